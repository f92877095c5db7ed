package minibatch

import (
	"fmt"

	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// Some data remain in their file. If the row numbers of a batch are constants, the rows are read when the graph is
// built, and become data of the graph. Otherwise the graph has an input, and its caller supplies the rows.

// A Load is a stream that is read at a coordinate of the row set plus a shift.
type Load struct {
	Stream    *dataset.Stream
	coord     int
	div, size int  // the coordinate of a row is row / div mod size, from 0
	Shift     int  // added to the coordinate to give the row of the file
	Mixed     bool // row numbers are positions in the file
}

// Input returns the name of the graph input for m rows, which all lanes have in common or each lane has for itself.
func (l Load) Input(m int, common bool) string {
	kind := "rows"
	if common {
		kind = "common rows"
	}
	return fmt.Sprintf("%d %s of %s, coordinate %d%+d", m, kind, l.Stream.Name, l.coord, l.Shift)
}

// streamed returns a stream's array at the rows of the batch; its own axes are those of one row.
func (r *View) streamed(e *evaluate.Evaluator, x *model.Ref) evaluate.Value {
	at := e.Along(x)
	if len(at) == 0 || at[0] < 0 {
		e.NeedsAll(x.Array, x.At)
	}
	return r.within(e, r.streamedAt(x.Array, at[0], 0), at[1:])
}

// within gathers along own axes that are read at a coordinate: a row of the model may be an element of a row of the
// file.
func (r *View) within(e *evaluate.Evaluator, v evaluate.Value, along []int) evaluate.Value {
	index, lead, rest := []autodiff.Node{e.Graph.Iota(v.Node.Shape()[0])}, []int{0}, []int(nil)
	for k, coord := range along {
		if coord < 0 {
			rest = append(rest, k+1)
			continue
		}
		b := e.Box(v.Axes[k])
		n := autodiff.Sub(r.at[coord].Node, e.Graph.Const(float64(b.Lo)))
		index, lead = append(index, e.Clamped(n, evaluate.Pick{Size: b.Size()})), append(lead, k+1)
	}
	if len(lead) == 1 {
		return v
	}
	return evaluate.Value{Node: autodiff.Gather(autodiff.Permute(v.Node, append(lead, rest...)...), index...),
		Bound: v.Bound,
		Axes:  evaluate.WithoutRow(v.Axes, along)}
}

func (r *View) streamedAt(a *model.Array, coord, shift int) evaluate.Value {
	e := r.whole
	d, first := e.Data.Arrays[a], a.Type.Axes[0]
	l := Load{Stream: d.Stream, coord: coord, div: 1, size: e.Box(r.set.Axes[coord]).Size(),
		Mixed: r.mixed,
		Shift: shift + e.Box(r.set.Axes[coord]).Lo - e.Box(first).Lo}
	for _, s := range r.set.Axes[coord+1:] {
		l.div *= e.Box(s).Size()
	}
	records := r.load(l)
	shape, width := append([]int{records.Shape()[0]}, d.Shape[1:]...), 1
	for _, n := range d.Shape[1:] {
		width *= n
	}
	n := autodiff.Slice(records, []int{0, d.First}, []int{shape[0], d.First + width})
	return evaluate.Value{Node: autodiff.Reshape(n, shape...), Bound: []*model.Index{r.index}, Axes: a.Type.Axes[1:]}
}

// load returns the rows of a stream, shape [m, width].
func (r *View) load(l Load) autodiff.Node {
	if n, ok := r.loaded[l]; ok {
		return n
	}
	m := r.rows.Size()
	switch name := l.Input(m, r.rows.Common()); {
	case r.rows.Static():
		values := make([]float64, m*l.Stream.Width)
		if err := l.Read(autodiff.Eval(nil, r.rows)[0], values); err != nil {
			evaluate.InternalErrorf("rows that could be read a moment ago: %v", err)
		}
		r.loaded[l] = r.whole.Graph.Data(l.Stream.Name, values, m, l.Stream.Width)
	case r.rows.Common():
		r.loaded[l] = r.whole.Graph.Given(name, m, l.Stream.Width)
	default:
		r.loaded[l] = r.whole.Graph.Input(name, m, l.Stream.Width)
	}
	r.Loads = append(r.Loads, l)
	return r.loaded[l]
}

// Read reads the rows of the stream that belong to rows of the row set into dst.
func (l Load) Read(rows, dst []float64) error {
	places := make([]int, len(rows))
	for i, row := range rows {
		places[i] = int(row)
		if !l.Mixed {
			at := int(row)/l.div%l.size + l.Shift
			// rows beyond the ends occur only in branches that are not taken
			places[i] = l.Stream.Place(max(0, min(at, l.Stream.Rows-1)))
		}
	}
	return l.Stream.Read(places, dst)
}

// atRecords sets the coordinate of the rows from records of a stream; row numbers are positions in that stream.
func (r *View) atRecords(l Load) {
	e := r.whole
	records := r.load(l)
	m, row := records.Shape()[0], l.Stream.Row
	n := autodiff.Reshape(autodiff.Slice(records, []int{0, row}, []int{m, row + 1}), m)
	r.at[0].Node = autodiff.Add(n, e.Graph.Const(float64(e.Box(r.set.Axes[0]).Lo)))
}

// Neighbour reads data in a file at a row's index plus a constant; ok is false for other subscripts.
func (r *View) Neighbour(e *evaluate.Evaluator, s *model.Subscript) (rest *model.Subscript, x evaluate.Value, ok bool) {
	of, named := s.X.(*model.Ref)
	if !named || e.Data.Arrays[of.Array].Stream == nil || s.Subs[0].At == nil {
		return nil, x, false
	}
	at := e.Along(of)
	i, c, affine := e.Affine(s.Subs[0].At)
	if !affine || at != nil && at[0] >= 0 {
		return nil, x, false
	}
	coord, isRow := r.set.Index[i]
	if !isRow {
		return nil, x, false
	}
	checkNeighbour(e, s, i, c)
	x, rest = r.streamedAt(of.Array, coord, c), new(*s)
	rest.Subs, rest.Type.Axes = s.Subs[1:], e.AxesOf(s)
	if at != nil {
		x, rest.Subs = r.within(e, x, at[1:]), evaluate.WithoutRow(rest.Subs, at[1:])
	}
	return rest, x, true
}

// checkNeighbour reports an error if an index plus c exceeds the axis.
func checkNeighbour(e *evaluate.Evaluator, s *model.Subscript, i *model.Index, c int) {
	at, axis := e.Box(i.Set), e.Box(s.X.Info().Type.Axes[0])
	if len(e.Guards) == 0 && (at.Lo+c < axis.Lo || at.Hi+c > axis.Hi) {
		e.OutOfRange(s, 0, at.Lo+c, at.Hi+c, axis)
	}
}
