package host

import "ppl/compiler/backend/ir"

// tiles runs statements over the rows of each tile, on any free worker, and combines the results of the iterations in
// order.
type tiles struct {
	turns int
	full  []statement
	last  []statement // statements for the last iteration, which may have fewer rows
	outs  []tileOut
}

// A tileOut is an ir.TileOut with the number of its memory in a runner: [iteration][element][lane].
type tileOut struct {
	ir.TileOut
	left, len int
}

func (c *compiler) tiled(s *ir.Tiles) statement {
	c.inTile = true
	defer func() { c.inTile = false }()
	t := &tiles{turns: s.Turns(), full: c.statements(s.Body)}
	t.last = t.full
	if rows := s.RowsIn(t.turns - 1); rows != s.Size {
		t.last = c.statements(s.With(rows))
	}
	for _, o := range s.Out {
		n := c.program.Buffers[o.To].Size * c.width
		c.resultSizes = append(c.resultSizes, t.turns*n)
		t.outs = append(t.outs, tileOut{o, len(c.resultSizes) - 1, n})
	}
	c.tiles = c.tiles || t.turns > 1
	return t
}

func (s *tiles) run(w *worker) {
	w.tiles(s, s.turns)
	for _, o := range s.outs {
		to := output{combine: o.Combine}
		to.reset(w.bufs[o.To])
		for t := range s.turns {
			combineLoops[o.Combine](w.bufs[o.To], o.of(w, t))
		}
	}
}

// of returns the result of an iteration.
func (o *tileOut) of(owner *worker, turn int) []float64 {
	return owner.tileResults[o.left][turn*o.len:][:o.len]
}

func (s *tiles) tile(w, owner *worker, turn int) {
	for _, o := range s.outs {
		w.bufs[o.From] = o.of(owner, turn)
	}
	body := s.full
	if turn == s.turns-1 {
		body = s.last
	}
	w.turn, w.inTile = turn, true
	for _, b := range body {
		b.run(w)
	}
	w.turn, w.inTile = 0, false
}
