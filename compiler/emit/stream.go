package emit

import (
	"fmt"
	"math"

	"ppl/autodiff"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
	"ppl/lang/source"
)

// Data that stay in their file: rows of a batch whose numbers are known are read when the graph is built, and stand in
// it as data; for others the graph has an input, and who runs it puts the rows there.

// A loading is a stream read at a coordinate of the row set plus a shift.
type loading struct {
	stream    *dataset.Stream
	coord     int
	div, size int  // the coordinate of a row is row / div mod size, from 0
	shift     int  // from there to the row of the file
	mixed     bool // rows are places of the file
}

// input names the node that m rows are put in.
func (l loading) input(m int) string {
	return fmt.Sprintf("%d rows of %s, coordinate %d%+d", m, l.stream.Name, l.coord, l.shift)
}

// needsAll refuses what needs all rows of a stream at once.
func (e *emitter) needsAll(a *model.Array, at source.Span) {
	d := e.data.Arrays[a]
	e.diags.Errorf("E86", at, "`%s` has %d rows in %s, too many for memory, so that a few are read at a time; here "+
		"all are needed at once", a.Name, d.Stream.Rows, d.Stream.Name).
		Help("work it out beforehand and give it as data: a number, or a column of the file").Related(a.At, "the data")
	panic(stop{})
}

// streamed is a stream's array at the row: its own axes are those of one row.
func (e *emitter) streamed(x *model.Ref) value {
	at := e.along(x)
	if e.rows == nil || e.rows.whole == nil || len(at) == 0 || at[0] < 0 {
		e.needsAll(x.Array, x.At)
	}
	return e.within(e.streamedAt(x.Array, at[0], 0), at[1:])
}

// within takes of own axes that are read at a coordinate the place of that: a row of the model may be an element of a
// row of the file.
func (e *emitter) within(v value, along []int) value {
	index, lead, rest := []Node{e.g.Iota(v.node.Shape()[0])}, []int{0}, []int(nil)
	for k, coord := range along {
		if coord < 0 {
			rest = append(rest, k+1)
			continue
		}
		b := e.box(v.axes[k])
		n := autodiff.Sub(e.rows.at[coord].node, e.g.Const(float64(b.lo)))
		index, lead = append(index, e.clamped(n, pick{size: b.size()})), append(lead, k+1)
	}
	if len(lead) == 1 {
		return v
	}
	return value{autodiff.Gather(autodiff.Permute(v.node, append(lead, rest...)...), index...), v.bound,
		kept(v.axes, along)}
}

func (e *emitter) streamedAt(a *model.Array, coord, shift int) value {
	d, first := e.data.Arrays[a], a.Type.Axes[0]
	l := loading{stream: d.Stream, coord: coord, div: 1, size: e.box(e.rows.set.Axes[coord]).size(),
		mixed: e.rows.whole.mixed != nil,
		shift: shift + e.box(e.rows.set.Axes[coord]).lo - e.box(first).lo}
	for _, s := range e.rows.set.Axes[coord+1:] {
		l.div *= e.box(s).size()
	}
	records := e.load(l)
	shape, width := append([]int{records.Shape()[0]}, d.Shape[1:]...), 1
	for _, n := range d.Shape[1:] {
		width *= n
	}
	n := autodiff.Slice(records, []int{0, d.First}, []int{shape[0], d.First + width})
	return value{autodiff.Reshape(n, shape...), []*model.Index{e.rows.index}, a.Type.Axes[1:]}
}

// load is the rows of a stream, shape [m, width].
func (e *emitter) load(l loading) Node {
	r := e.rows
	if n, ok := r.loaded[l]; ok {
		return n
	}
	m := r.rows.Size()
	if r.rows.Static() {
		values := make([]float64, m*l.stream.Width)
		if err := l.read(autodiff.Eval(nil, r.rows)[0], values); err != nil {
			bug("rows that could be read a moment ago: %v", err)
		}
		r.loaded[l] = e.g.Data(l.stream.Name, values, m, l.stream.Width)
	} else {
		r.loaded[l] = e.g.Input(l.input(m), m, l.stream.Width)
	}
	if r.want != nil {
		*r.want = append(*r.want, l)
	}
	return r.loaded[l]
}

// read reads for rows of the row set the rows of the stream.
func (l loading) read(rows, dst []float64) error {
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

// mix numbers rows as they stand in the files, where the row set is their rows and nothing but the row itself is read:
// then rows that follow one another are rows at random, and together on disk.
func (p *Plan) mix() {
	if len(p.loads) == 0 || len(p.rowSet.Axes) > 1 {
		return
	}
	for _, l := range p.loads {
		if l.shift != 0 || l.stream.Rows != p.rowCount {
			return
		}
	}
	for i := range p.loads {
		p.loads[i].mixed = true
	}
	p.mixed = &p.loads[0]
}

// Mixed reports whether rows that follow one another are as good as rows at random.
func (p *Plan) Mixed() bool { return p.mixed != nil }

// atRecords takes coordinates from the records of a stream, whose places rows are.
func (e *emitter) atRecords(l loading) {
	records := e.load(l)
	m, row := records.Shape()[0], l.stream.Row
	n := autodiff.Reshape(autodiff.Slice(records, []int{0, row}, []int{m, row + 1}), m)
	e.rows.at[0].node = autodiff.Add(n, e.g.Const(float64(e.box(e.rows.set.Axes[0]).lo)))
}

// read is a subscript without what is read at the row, and what it subscripts.
func (e *emitter) read(s *model.Subscript) (*model.Subscript, value) {
	if rest, x, ok := e.readNeighbour(s); ok {
		return rest, x
	}
	s = e.asRead(s)
	return s, e.expr(s.X)
}

// readNeighbour reads data in a file at a row's index plus a constant.
func (e *emitter) readNeighbour(s *model.Subscript) (rest *model.Subscript, x value, ok bool) {
	r, named := s.X.(*model.Ref)
	if !named || e.rows == nil || e.rows.whole == nil || e.data.Arrays[r.Array].Stream == nil || s.Subs[0].At == nil {
		return nil, x, false
	}
	at := e.along(r)
	i, c, affine := e.affine(s.Subs[0].At)
	if !affine || at != nil && at[0] >= 0 {
		return nil, x, false
	}
	coord, isRow := e.coordinate(i)
	if !isRow {
		return nil, x, false
	}
	e.neighbour(s, i, c)
	x, rest = e.streamedAt(r.Array, coord, c), new(*s)
	rest.Subs, rest.Type.Axes = s.Subs[1:], e.axesOf(s)
	if at != nil {
		x, rest.Subs = e.within(x, at[1:]), kept(rest.Subs, at[1:])
	}
	return rest, x, true
}

// neighbour refuses an index plus c beyond the axis.
func (e *emitter) neighbour(s *model.Subscript, i *model.Index, c int) {
	at, axis := e.box(i.Set), e.box(s.X.Info().Type.Axes[0])
	if len(e.guards) == 0 && (at.lo+c < axis.lo || at.hi+c > axis.hi) {
		e.outOfRange(s, 0, at.lo+c, at.hi+c, axis)
	}
}

// checkStreamed refuses positions outside the axis that are read from a stream, whose extremes are known.
func (e *emitter) checkStreamed(s *model.Subscript, k int, b box) {
	x := s.Subs[k].At
	d, ok := e.data.StreamItself(x)
	if !ok {
		e.fail("E86", x, "`%s` is worked out from data that are read from %s row by row, so that it cannot be "+
			"checked as a subscript before sampling; give it as a column of the file",
			x.Info().At.Text(), e.data.StreamFile(x))
	}
	if d.Low.At >= 0 && (d.Low.Value < float64(b.lo) || d.High.Value > float64(b.hi)) {
		e.outOfRange(s, k, int(d.Low.Value), int(d.High.Value), b)
	}
}

// possibleByRows is possible for a term on data in a file, as far as their extremes tell.
func (e *emitter) possibleByRows(t *model.Term) {
	if d, ok := e.data.StreamItself(t.Value); ok && t.Kind == model.Likelihood && t.Dist.Event == 0 && d.Low.At >= 0 {
		lo, hi := e.endsByRows(t)
		shift := 0.0
		if t.Offset != nil {
			shift = t.Offset.(*model.Num).Value
		}
		for _, x := range []dataset.Extreme{d.Low, d.High} {
			if v := x.Value - shift; v < lo || v > hi || math.IsInf(v, 0) {
				e.diags.Errorf("E57", t.At, "`%s` is %g (%s), but %s", t.Array.Name, x.Value, e.data.Row(t.Array, x.At),
					supportText(t, lo+shift, hi+shift)).Related(t.Array.At, "the data")
				panic(stop{})
			}
		}
	}
	for k, x := range t.Args {
		d, ok := e.data.StreamItself(x)
		if form := t.Form.Args[k]; ok && d.Low.At >= 0 && form.Rank == 0 {
			for _, v := range []float64{d.Low.Value, d.High.Value} {
				if !form.Domain.Has(v) {
					e.fail("E51", x, "the argument `%s` of `%s` must be %s, but `%s` is %g", form.Name, t.Dist.Name,
						form.Domain, x.Info().At.Text(), v)
				}
			}
		}
	}
}

// endsByRows are the ends of a law's support as far as they are numbers, on the scale of its value.
func (e *emitter) endsByRows(t *model.Term) (lo, hi float64) {
	ends := [2]Node{e.finite(t.Dist.Lo), e.finite(t.Dist.Hi)}
	if t.Form.Bounds != nil {
		args := make([]Node, len(t.Args))
		for i, a := range t.Args {
			if args[i] = e.g.Input("unknown"); !e.data.Streamed(a) {
				args[i] = e.expr(a).node
			}
		}
		ends[0], ends[1] = t.Form.Bounds(args)
	}
	number := func(n Node, none float64) float64 {
		if !n.Valid() || !n.Static() || n.Size() != 1 {
			return none
		}
		return autodiff.Eval(nil, n)[0][0]
	}
	return number(ends[0], math.Inf(-1)), number(ends[1], math.Inf(1))
}

// findStreams emits the density for some rows, to find what is wrong with it and which streams it reads.
func (p *Plan) findStreams(e *emitter) {
	if p.rowSet == nil {
		for a, d := range p.Data.Arrays {
			if d.Stream != nil {
				e.needsAll(a, a.At)
			}
		}
	}
	e.want = &p.loads
	e.split(p, e.g.Input("rows", 2), e.z(p))
	e.want = nil
	p.mix()
	for i, a := range p.saved {
		if settled := p.Deterministic(); !settled[i] {
			p.reach(a, func(b *model.Array) {
				if p.Data.StreamedArray(b) || b.Role == model.Latent {
					e.diags.Errorf("E86", a.At, "`%s` is generated from data of all rows, of which a few are read at "+
						"a time: they do not fit in memory", a.Name)
					panic(stop{})
				}
			})
		}
	}
}

// Streams is how many streams, each at some shift, a split reads.
func (p *Plan) Streams() int { return len(p.loads) }

// StreamInput names the input of Split's graph in which m rows of stream k stand, shape [m, width].
func (p *Plan) StreamInput(k, m int) (name string, width int) {
	return p.loads[k].input(m), p.loads[k].stream.Width
}

// ReadRows puts what stream k has for rows of the row set into dst, width numbers each.
func (p *Plan) ReadRows(k int, rows, dst []float64) error {
	return p.loads[k].read(rows, dst)
}
