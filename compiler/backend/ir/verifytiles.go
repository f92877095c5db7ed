package ir

import "fmt"

// tiled checks the statements of a Tiles in the first iteration, in the last full one, and in the last. Between these,
// indices move in equal steps, so an index that stays inside its buffer in these iterations does so in all.
func (v *verifier) tiled(s *Tiles) error {
	if s.Rows < 1 || s.Size < 1 {
		return fmt.Errorf("%d rows cannot be divided into tiles of %d rows", s.Rows, s.Size)
	}
	if v.loop != nil || v.tiles != nil || v.setup {
		return fmt.Errorf("tiles in setup, a loop or other tiles")
	}
	for i, b := range s.Body {
		if err := s.hasRows(b); err != nil {
			return fmt.Errorf("tiles, statement %d: %w", i, err)
		}
	}
	v.tiles = s
	defer func() { v.tiles = nil }()
	last := s.Turns() - 1
	for _, t := range []int{0, max(last-1, 0), last} {
		v.resetTileBuffers()
		for i, b := range s.Turn(t) {
			if err := v.statement(b); err != nil {
				return fmt.Errorf("tiles, statement %d, iteration %d: %w", i, t, err)
			}
		}
	}
	if err := v.windows(s); err != nil {
		return err
	}
	return v.tileOuts(s)
}

// hasRows checks that a statement runs over the rows of a tile.
func (s *Tiles) hasRows(b Stmt) error {
	switch b := b.(type) {
	case *Kernel:
		if len(b.Extents) > 0 && b.Extents[0] == s.Size {
			return nil
		}
		return fmt.Errorf("extents %v do not begin with %d rows", b.Extents, s.Size)
	case *MatMul:
		if n := b.RowsOf(s.Size); b.Batch == 1 && (b.Rows == DimM && b.M == n || b.Rows == DimK && b.K == n) {
			return nil
		}
		return fmt.Errorf("a product with batch %d and sizes %d×%d×%d does not run over the %d rows of a tile", b.Batch,
			b.M, b.K, b.N, s.Size)
	}
	return fmt.Errorf("tiles contain a statement of type %T", b)
}

// resetTileBuffers marks the Tile buffers as unwritten, because they are undefined at the start of an iteration.
func (v *verifier) resetTileBuffers() {
	for i, b := range v.p.Buffers {
		if b.Space == Tile {
			v.written[i] = b.Size == 0
		}
	}
}

// A window is the range of elements of a buffer that iteration 0 uses, and the step from one iteration to the next.
type window struct {
	lo, hi, step int
	mixed        bool // some use has another step
	combined     bool
}

// windows checks that no two iterations use the same element of a buffer that they write.
func (v *verifier) windows(s *Tiles) error {
	all := windows{}
	for _, b := range s.Body {
		switch b := b.(type) {
		case *Kernel:
			all.kernel(b)
		case *MatMul:
			all.touch(b.A, b.PartA.First, b.PartA.First+b.M*b.K-1, b.PartA.Step, false)
			all.touch(b.B, b.PartB.First, b.PartB.First+b.K*b.N-1, b.PartB.Step, false)
			all.touch(b.C, b.PartC.First, b.PartC.First+b.M*b.N-1, b.PartC.Step, false)
		}
	}
	for _, id := range each(s.Body, Writes) {
		w, b := all[id], v.p.Buffers[id]
		if b.Space != Tile && (w.mixed || w.combined || w.hi-w.lo >= w.step || b.Type == I32) {
			return fmt.Errorf("two iterations use the same elements of b%d", id)
		}
	}
	return nil
}

type windows map[BufID]*window

func (all windows) kernel(k *Kernel) {
	for _, in := range k.Body {
		if lo, hi := in.Index.Span(k.Extents); in.Op == Load {
			all.touch(in.Buf, lo, hi, in.Index.Step, false)
		}
	}
	for _, o := range k.Out {
		lo, hi := o.Index.Span(k.Extents)
		all.touch(o.Buf, lo, hi, o.Index.Step, o.Combine != Store)
	}
}

func (all windows) touch(id BufID, lo, hi, step int, combined bool) {
	w, ok := all[id]
	if !ok {
		w = &window{lo: lo, hi: hi, step: step}
		all[id] = w
	}
	w.lo, w.hi, w.mixed, w.combined = min(w.lo, lo), max(w.hi, hi), w.mixed || step != w.step, w.combined || combined
}

// tileOuts checks the buffers that are combined after the iterations.
func (v *verifier) tileOuts(s *Tiles) error {
	for _, o := range s.Out {
		for _, id := range []BufID{o.From, o.To} {
			if id < 0 || int(id) >= len(v.p.Buffers) {
				return fmt.Errorf("there is no buffer b%d", id)
			}
		}
		from, to := v.p.Buffers[o.From], v.p.Buffers[o.To]
		if from.Space != Tile || to.Space == Tile || from.Size != to.Size || o.Combine == Store || o.Combine > Min ||
			from.Type != to.Type || to.Type == I32 {
			return fmt.Errorf("%v from %v buffer b%d to %v buffer b%d: it must combine a tile buffer into another "+
				"buffer of the same size and type", o.Combine, from.Space, o.From, to.Space, o.To)
		}
		if err := v.read(o.From); err != nil {
			return err
		}
		if err := v.write(o.To); err != nil {
			return err
		}
	}
	return nil
}
