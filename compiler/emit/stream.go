package emit

import (
	"fmt"

	"ppl/autodiff"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
)

// Data that stay in their file: rows of a batch whose numbers are known are read when the graph is built, and stand in
// it as data; for others the graph has an input, and who runs it puts the rows there.

// A Load is a stream read at a coordinate of the row set plus a shift.
type Load struct {
	stream    *dataset.Stream
	coord     int
	div, size int  // the coordinate of a row is row / div mod size, from 0
	shift     int  // from there to the row of the file
	mixed     bool // rows are places of the file
}

// input names the node that m rows are put in.
func (l Load) input(m int) string {
	return fmt.Sprintf("%d rows of %s, coordinate %d%+d", m, l.stream.Name, l.coord, l.shift)
}

// streamed is a stream's array at the row: its own axes are those of one row.
func (r *View) streamed(e *Evaluator, x *model.Ref) Value {
	at := e.along(x)
	if len(at) == 0 || at[0] < 0 {
		e.needsAll(x.Array, x.At)
	}
	return r.within(e, r.streamedAt(x.Array, at[0], 0), at[1:])
}

// within takes of own axes that are read at a coordinate the place of that: a row of the model may be an element of a
// row of the file.
func (r *View) within(e *Evaluator, v Value, along []int) Value {
	index, lead, rest := []Node{e.Graph.Iota(v.Node.Shape()[0])}, []int{0}, []int(nil)
	for k, coord := range along {
		if coord < 0 {
			rest = append(rest, k+1)
			continue
		}
		b := e.box(v.Axes[k])
		n := autodiff.Sub(r.at[coord].Node, e.Graph.Const(float64(b.Lo)))
		index, lead = append(index, e.clamped(n, pick{size: b.Size()})), append(lead, k+1)
	}
	if len(lead) == 1 {
		return v
	}
	return Value{autodiff.Gather(autodiff.Permute(v.Node, append(lead, rest...)...), index...), v.Bound,
		kept(v.Axes, along)}
}

func (r *View) streamedAt(a *model.Array, coord, shift int) Value {
	e := r.whole
	d, first := e.Data.Arrays[a], a.Type.Axes[0]
	l := Load{stream: d.Stream, coord: coord, div: 1, size: e.box(r.set.Axes[coord]).Size(),
		mixed: r.mixed,
		shift: shift + e.box(r.set.Axes[coord]).Lo - e.box(first).Lo}
	for _, s := range r.set.Axes[coord+1:] {
		l.div *= e.box(s).Size()
	}
	records := r.load(l)
	shape, width := append([]int{records.Shape()[0]}, d.Shape[1:]...), 1
	for _, n := range d.Shape[1:] {
		width *= n
	}
	n := autodiff.Slice(records, []int{0, d.First}, []int{shape[0], d.First + width})
	return Value{autodiff.Reshape(n, shape...), []*model.Index{r.index}, a.Type.Axes[1:]}
}

// load is the rows of a stream, shape [m, width].
func (r *View) load(l Load) Node {
	if n, ok := r.loaded[l]; ok {
		return n
	}
	m := r.rows.Size()
	if r.rows.Static() {
		values := make([]float64, m*l.stream.Width)
		if err := l.read(autodiff.Eval(nil, r.rows)[0], values); err != nil {
			bug("rows that could be read a moment ago: %v", err)
		}
		r.loaded[l] = r.whole.Graph.Data(l.stream.Name, values, m, l.stream.Width)
	} else {
		r.loaded[l] = r.whole.Graph.Input(l.input(m), m, l.stream.Width)
	}
	r.loads = append(r.loads, l)
	return r.loaded[l]
}

// read reads for rows of the row set the rows of the stream.
func (l Load) read(rows, dst []float64) error {
	places := make([]int, len(rows))
	for i, row := range rows {
		places[i] = int(row)
		if !l.mixed {
			at := int(row)/l.div%l.size + l.shift
			// beyond the ends, only in branches that are not taken
			places[i] = l.stream.Place(max(0, min(at, l.stream.Rows-1)))
		}
	}
	return l.stream.Read(places, dst)
}

// atRecords takes coordinates from the records of a stream, whose places rows are.
func (r *View) atRecords(l Load) {
	e := r.whole
	records := r.load(l)
	m, row := records.Shape()[0], l.stream.Row
	n := autodiff.Reshape(autodiff.Slice(records, []int{0, row}, []int{m, row + 1}), m)
	r.at[0].Node = autodiff.Add(n, e.Graph.Const(float64(e.box(r.set.Axes[0]).Lo)))
}

// Neighbour reads data in a file at a row's index plus a constant.
func (r *View) Neighbour(e *Evaluator, s *model.Subscript) (rest *model.Subscript, x Value, ok bool) {
	of, named := s.X.(*model.Ref)
	if !named || e.Data.Arrays[of.Array].Stream == nil || s.Subs[0].At == nil {
		return nil, x, false
	}
	at := e.along(of)
	i, c, affine := e.affine(s.Subs[0].At)
	if !affine || at != nil && at[0] >= 0 {
		return nil, x, false
	}
	coord, isRow := r.set.Index[i]
	if !isRow {
		return nil, x, false
	}
	checkNeighbour(e, s, i, c)
	x, rest = r.streamedAt(of.Array, coord, c), new(*s)
	rest.Subs, rest.Type.Axes = s.Subs[1:], e.axesOf(s)
	if at != nil {
		x, rest.Subs = r.within(e, x, at[1:]), kept(rest.Subs, at[1:])
	}
	return rest, x, true
}

// checkNeighbour refuses an index plus c beyond the axis.
func checkNeighbour(e *Evaluator, s *model.Subscript, i *model.Index, c int) {
	at, axis := e.box(i.Set), e.box(s.X.Info().Type.Axes[0])
	if len(e.Guards) == 0 && (at.Lo+c < axis.Lo || at.Hi+c > axis.Hi) {
		e.outOfRange(s, 0, at.Lo+c, at.Hi+c, axis)
	}
}
