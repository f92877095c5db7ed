package host

import "ppl/compiler/ir"

// tiles runs statements over the rows of one tile after another, by whoever is free, and combines what the turns leave.
type tiles struct {
	turns int
	full  []statement
	last  []statement // of the last turn, which may have fewer rows
	outs  []tileOut
}

// A tileOut is an ir.TileOut and where a runner keeps what the turns leave: [turn][element][lane].
type tileOut struct {
	ir.TileOut
	left, len int
}

func (c *compiler) tiled(s *ir.Tiles) statement {
	c.inside = true
	defer func() { c.inside = false }()
	t := &tiles{turns: s.Turns(), full: c.statements(s.Body)}
	t.last = t.full
	if rows := s.RowsIn(t.turns - 1); rows != s.Size {
		t.last = c.statements(s.With(rows))
	}
	for _, o := range s.Out {
		n := c.program.Buffers[o.To].Size * c.width
		c.lefts = append(c.lefts, t.turns*n)
		t.outs = append(t.outs, tileOut{o, len(c.lefts) - 1, n})
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

// of is what a turn leaves with a runner.
func (o *tileOut) of(owner *worker, turn int) []float64 {
	return owner.left[o.left][turn*o.len:][:o.len]
}

func (s *tiles) tile(w, owner *worker, turn int) {
	for _, o := range s.outs {
		w.bufs[o.From] = o.of(owner, turn)
	}
	body := s.full
	if turn == s.turns-1 {
		body = s.last
	}
	w.turn, w.inside = turn, true
	for _, b := range body {
		b.run(w)
	}
	w.turn, w.inside = 0, false
}
