package emit

import (
	"fmt"

	"ppl/autodiff"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
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

// streamed is a stream's array at the row: its own axes are those of one row.
func (r *rowView) streamed(e *emitter, x *model.Ref) value {
	at := e.along(x)
	if len(at) == 0 || at[0] < 0 {
		e.needsAll(x.Array, x.At)
	}
	return r.within(e, r.streamedAt(x.Array, at[0], 0), at[1:])
}

// within takes of own axes that are read at a coordinate the place of that: a row of the model may be an element of a
// row of the file.
func (r *rowView) within(e *emitter, v value, along []int) value {
	index, lead, rest := []Node{e.g.Iota(v.node.Shape()[0])}, []int{0}, []int(nil)
	for k, coord := range along {
		if coord < 0 {
			rest = append(rest, k+1)
			continue
		}
		b := e.box(v.axes[k])
		n := autodiff.Sub(r.at[coord].node, e.g.Const(float64(b.lo)))
		index, lead = append(index, e.clamped(n, pick{size: b.size()})), append(lead, k+1)
	}
	if len(lead) == 1 {
		return v
	}
	return value{autodiff.Gather(autodiff.Permute(v.node, append(lead, rest...)...), index...), v.bound,
		kept(v.axes, along)}
}

func (r *rowView) streamedAt(a *model.Array, coord, shift int) value {
	e := r.whole
	d, first := e.data.Arrays[a], a.Type.Axes[0]
	l := loading{stream: d.Stream, coord: coord, div: 1, size: e.box(r.set.Axes[coord]).size(),
		mixed: r.mixed,
		shift: shift + e.box(r.set.Axes[coord]).lo - e.box(first).lo}
	for _, s := range r.set.Axes[coord+1:] {
		l.div *= e.box(s).size()
	}
	records := r.load(l)
	shape, width := append([]int{records.Shape()[0]}, d.Shape[1:]...), 1
	for _, n := range d.Shape[1:] {
		width *= n
	}
	n := autodiff.Slice(records, []int{0, d.First}, []int{shape[0], d.First + width})
	return value{autodiff.Reshape(n, shape...), []*model.Index{r.index}, a.Type.Axes[1:]}
}

// load is the rows of a stream, shape [m, width].
func (r *rowView) load(l loading) Node {
	if n, ok := r.loaded[l]; ok {
		return n
	}
	m := r.rows.Size()
	if r.rows.Static() {
		values := make([]float64, m*l.stream.Width)
		if err := l.read(autodiff.Eval(nil, r.rows)[0], values); err != nil {
			bug("rows that could be read a moment ago: %v", err)
		}
		r.loaded[l] = r.whole.g.Data(l.stream.Name, values, m, l.stream.Width)
	} else {
		r.loaded[l] = r.whole.g.Input(l.input(m), m, l.stream.Width)
	}
	r.loads = append(r.loads, l)
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
func (r *rowView) atRecords(l loading) {
	e := r.whole
	records := r.load(l)
	m, row := records.Shape()[0], l.stream.Row
	n := autodiff.Reshape(autodiff.Slice(records, []int{0, row}, []int{m, row + 1}), m)
	r.at[0].node = autodiff.Add(n, e.g.Const(float64(e.box(r.set.Axes[0]).lo)))
}

// Neighbour reads data in a file at a row's index plus a constant.
func (r *rowView) Neighbour(e *emitter, s *model.Subscript) (rest *model.Subscript, x value, ok bool) {
	of, named := s.X.(*model.Ref)
	if !named || e.data.Arrays[of.Array].Stream == nil || s.Subs[0].At == nil {
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
func checkNeighbour(e *emitter, s *model.Subscript, i *model.Index, c int) {
	at, axis := e.box(i.Set), e.box(s.X.Info().Type.Axes[0])
	if len(e.guards) == 0 && (at.lo+c < axis.lo || at.hi+c > axis.hi) {
		e.outOfRange(s, 0, at.lo+c, at.hi+c, axis)
	}
}

// findStreams emits the density for some rows, to find what is wrong with it and which streams it reads.
func (p *Plan) findStreams(e *emitter, latents *latents, z map[*model.Term]Node) {
	if p.rowSet == nil {
		for a, d := range p.Data.Arrays {
			if d.Stream != nil {
				e.needsAll(a, a.At)
			}
		}
	}
	_, _, _, p.loads = e.split(p, e.g.Input("rows", 2), latents, z)
	p.mix()
	for i, a := range p.saved {
		if settled := p.Deterministic(); !settled[i] {
			p.reach(a, func(b *model.Array) {
				if p.Data.StreamedArray(b) || b.Role == model.Latent {
					e.stop(e.diags.Errorf("E86", a.At, "`%s` is generated from data of all rows, of which a few are read at "+
						"a time: they do not fit in memory", a.Name))
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
