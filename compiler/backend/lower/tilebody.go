package lower

import (
	"maps"
	"slices"

	"ppl/compiler/backend/ir"
)

// makeTiles converts a region into a Tiles with `size` rows per tile.
func (t *tiler) makeTiles(r *region, size int) *ir.Tiles {
	c := &cutter{prog: t.prog, size: size, tiles: &ir.Tiles{Rows: r.rows, Size: size},
		tileBufs: map[ir.BufID]ir.BufID{}}
	inside := map[ir.BufID]int{}
	countUses(r.body, inside)
	for _, id := range slices.Sorted(maps.Keys(r.touched)) { // sorted, because new buffers are numbered in this order
		u := r.touched[id]
		local := t.prog.buffers[id].Space == ir.Scratch && inside[id] == t.uses[id] && u.lo >= 0 && u.hi < u.width
		if u.written && u.disjoint && local {
			c.tileBufs[id] = t.prog.buffer(ir.Tile, t.prog.buffers[id].Type, u.width*size)
		}
	}
	for _, s := range r.body {
		switch s := s.(type) {
		case *ir.Kernel:
			c.kernel(s)
		case *ir.MatMul:
			c.product(s)
		}
	}
	if t.images > 0 { // the many tile buffers of images would not fit in the cache
		shareTileBuffers(c.tiles, t.prog.buffers)
	}
	return c.tiles
}

// A cutter writes the body of a Tiles: statements over the rows of one tile instead of all rows.
type cutter struct {
	prog     *program
	size     int // rows of a tile
	tiles    *ir.Tiles
	tileBufs map[ir.BufID]ir.BufID // maps a scratch buffer to the tile buffer that replaces it
}

// rowElements returns the buffer with the elements of an iteration's rows, `width` elements per row, and the step from
// one iteration to the next.
func (c *cutter) rowElements(buf ir.BufID, width int) (ir.BufID, int) {
	if tile, ok := c.tileBufs[buf]; ok {
		return tile, 0
	}
	return buf, width * c.size
}

func (c *cutter) index(buf ir.BufID, at ir.Index) (ir.BufID, ir.Index) {
	width := 0
	if at.Stride != nil {
		width = at.Stride[0]
	}
	buf, at.Step = c.rowElements(buf, width)
	return buf, at
}

func (c *cutter) kernel(in *ir.Kernel) {
	k := &ir.Kernel{Extents: slices.Clone(in.Extents), Body: slices.Clone(in.Body)}
	k.Extents[0] = c.size
	for r := range k.Body {
		switch in := &k.Body[r]; in.Op {
		case ir.Load:
			in.Buf, in.Index = c.index(in.Buf, in.Index)
		case ir.Counter:
			if in.Axis == 0 {
				in.Index.Step = c.size
			}
		case ir.Normal, ir.Uniform:
			in.Index.Step = k.Points()
		}
	}
	c.tiles.Body = append(c.tiles.Body, k)
	for _, o := range in.Out {
		k.Out = append(k.Out, c.output(o))
	}
}

// output returns the output of one iteration. Results that are combined over rows go to a tile buffer, which is
// combined over iterations at the end. Results that are combined within rows, and read after the tiles, are computed in
// a tile buffer and copied.
func (c *cutter) output(o ir.Output) ir.Output {
	to := o.Buf
	o.Buf, o.Index = c.index(o.Buf, o.Index)
	switch {
	case o.Combine == ir.Store || o.Buf != to:
	case o.Index.Step == 0:
		o.Buf = c.accumulator(to, o.Combine)
	default:
		o.Buf = c.prog.buffer(ir.Tile, c.prog.buffers[to].Type, o.Index.Step)
		c.copyTo(o.Buf, to, o.Index.Step)
		o.Index.Step = 0
	}
	return o
}

// accumulator returns a tile buffer that is combined into `to` after all iterations. Iterations must not add to `to`
// directly: they run on several threads, and the order of the sum would depend on timing.
func (c *cutter) accumulator(to ir.BufID, combine ir.Combine) ir.BufID {
	from := c.prog.buffer(ir.Tile, c.prog.buffers[to].Type, c.prog.buffers[to].Size)
	c.tiles.Out = append(c.tiles.Out, ir.TileOut{From: from, To: to, Combine: combine})
	return from
}

// copyTo copies the n elements of an iteration to the buffer that keeps them.
func (c *cutter) copyTo(from, to ir.BufID, n int) {
	extents := []int{c.size, n / c.size}
	var b ir.Body
	v := b.Load(from, ir.Dense(extents...))
	at := ir.Dense(extents...)
	at.Step = n
	c.tiles.Body = append(c.tiles.Body,
		&ir.Kernel{Extents: extents, Body: b, Out: []ir.Output{{Buf: to, Index: at, Value: v}}})
}

func (c *cutter) product(in *ir.MatMul) {
	s := *in
	if s.Rows == ir.DimM {
		s.A, s.PartA.Step = c.rowElements(s.A, s.RowsOf(s.K))
		s.C, s.PartC.Step = c.rowElements(s.C, s.RowsOf(s.N))
		s.M = s.RowsOf(c.size)
	} else {
		s.A, s.PartA.Step = c.rowElements(s.A, s.RowsOf(s.M))
		s.B, s.PartB.Step = c.rowElements(s.B, s.RowsOf(s.N))
		s.C = c.accumulator(s.C, ir.Sum)
		s.K = s.RowsOf(c.size)
	}
	c.tiles.Body = append(c.tiles.Body, &s)
}
