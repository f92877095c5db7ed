package render

import (
	"fmt"
	"slices"

	"ppl/compiler/ir"
)

// A recurrence waits: each turn of a Loop needs what the one before has just worked out, and meanwhile a processor has next to nothing to do.
// Kernels over the rows that a Loop walks along go along with it: what they do at a row is done in the Loop's turn at that row, before
// its own statements or after them, instead of in a pass over memory of its own.

// alongSize is the number of instructions up to which kernels join a Loop, so that compile time grows in proportion.
const alongSize = 1000

// along parts a body at a Loop: what goes along with it, in the order of a turn, and what is done before and after all of that.
func (f *file) along(body []ir.Stmt, at int) (before, turn, after []ir.Stmt) {
	loop := body[at].(*ir.Loop)
	turn = []ir.Stmt{loop}
	size := 0
	joins := func(s ir.Stmt, passed, early, late []ir.Stmt) bool {
		k, ok := s.(*ir.Kernel)
		if !ok || !f.goesOver(k, loop.N) || size+len(k.Body) > alongSize {
			return false
		}
		ok = !slices.ContainsFunc(passed, func(p ir.Stmt) bool { return meet(p, s) }) && inStep(early, late, loop.Reverse)
		if ok {
			size += len(k.Body)
		}
		return ok
	}
	for _, s := range slices.Backward(body[:at]) {
		if joins(s, before, []ir.Stmt{s}, turn) {
			turn = slices.Insert(turn, 0, s)
		} else {
			before = slices.Insert(before, 0, s)
		}
	}
	for _, s := range body[at+1:] {
		if joins(s, after, turn, []ir.Stmt{s}) {
			turn = append(turn, s)
		} else {
			after = append(after, s)
		}
	}
	return before, turn, after
}

// goesOver reports whether a kernel goes over so many rows, and is done with a row when it has stored it.
func (f *file) goesOver(k *ir.Kernel, rows int) bool {
	whole := func(o ir.Output) bool { return f.Buffers[o.Buf].Type == ir.I32 }
	return rows > 1 && len(k.Extents) > 0 && k.Extents[0] == rows && !slices.ContainsFunc(k.Out, whole)
}

// meet reports whether two statements must keep their order.
func meet(s, t ir.Stmt) bool {
	clash := func(writes, all []ir.BufID) bool {
		return slices.ContainsFunc(writes, func(id ir.BufID) bool { return slices.Contains(all, id) })
	}
	return clash(ir.Writes(s), slices.Concat(ir.Reads(t), ir.Writes(t))) || clash(ir.Writes(t), ir.Reads(s))
}

// A touch is what a turn reads or writes of a buffer: elements width·t + lo … width·t + hi. Of width 0 are also those that are not known.
type touch struct {
	buf           ir.BufID
	write         bool
	width, lo, hi int
}

// inStep reports whether statements can be done turn by turn, the early ones first, and still find what they would if all turns of
// the early ones came first: what one of these touches in a turn to come is no concern of the late ones yet.
func inStep(early, late []ir.Stmt, reverse bool) bool {
	for _, s := range early {
		for _, p := range touches(s) {
			for _, t := range late {
				if slices.ContainsFunc(touches(t), func(q touch) bool { return p.overtaken(q, reverse) }) {
					return false
				}
			}
		}
	}
	return true
}

// overtaken reports whether q, in a turn, may meet p in a later one.
func (p touch) overtaken(q touch, reverse bool) bool {
	switch {
	case p.buf != q.buf || !p.write && !q.write:
		return false
	case p.width < 1 || p.width != q.width:
		return true
	case reverse:
		return q.lo <= p.hi-p.width
	}
	return q.hi >= p.lo+p.width
}

// touches are those of a kernel over rows, or of a Loop.
func touches(s ir.Stmt) (all []touch) {
	switch s := s.(type) {
	case *ir.Kernel:
		return kernelTouches(s, rowOf)
	case *ir.Loop:
		for _, b := range s.Body {
			if k, ok := b.(*ir.Kernel); ok {
				all = append(all, kernelTouches(k, func(at ir.Index) (int, ir.Index) { return at.Step, at })...)
				continue
			}
			for _, id := range ir.Reads(b) {
				all = append(all, touch{buf: id})
			}
			for _, id := range ir.Writes(b) {
				all = append(all, touch{buf: id, write: true})
			}
		}
	}
	return all
}

// rowOf is the width of a row under an index of a kernel over rows, and the index inside it.
func rowOf(at ir.Index) (width int, inside ir.Index) {
	if at.Stride == nil {
		return 0, at
	}
	inside = at
	inside.Stride = slices.Clone(at.Stride)
	inside.Stride[0] = 0
	return at.Stride[0], inside
}

// kernelTouches are a kernel's; what is combined is set in one go, and not by turns.
func kernelTouches(k *ir.Kernel, row func(ir.Index) (int, ir.Index)) (all []touch) {
	at := func(id ir.BufID, write bool, ix ir.Index) {
		width, inside := row(ix)
		lo, hi := inside.Span(k.Extents)
		all = append(all, touch{id, write, width, lo, hi})
	}
	for _, in := range k.Body {
		if in.Op == ir.Load {
			at(in.Buf, false, in.Index)
		}
	}
	for _, o := range k.Out {
		if o.Combine == ir.Store {
			at(o.Buf, true, o.Index)
		} else {
			all = append(all, touch{buf: o.Buf, write: true})
		}
	}
	return all
}

// A walk is a Loop under rendering, and the kernels that go along, so many of them before its statements.
type walk struct {
	*file
	*ir.Loop
	kernels []*kernel
	before  int
}

// turns runs a Loop, with what goes along.
func (f *file) turns(turn []ir.Stmt) {
	w := walk{file: f}
	first := 0
	for i, s := range turn {
		switch s := s.(type) {
		case *ir.Loop:
			w.Loop, w.before = s, i
		case *ir.Kernel:
			w.kernels = append(w.kernels, f.begin(s, first))
			first += len(s.Body) + len(s.Out)
		}
	}
	w.run()
}

func (w *walk) run() {
	for _, k := range w.kernels {
		k.reset()
		k.noiseBlocks()
		k.straight(0)
		k.start(k.around(0))
	}
	if tile := w.tile(); tile > 0 {
		w.tiles(tile)
	} else if w.Reverse {
		w.turn(fmt.Sprintf("for (long turn = %d; turn >= 0; turn--) {", w.N-1))
	} else {
		w.turn(fmt.Sprintf("for (long turn = 0; turn < %d; turn++) {", w.N))
	}
	for _, k := range w.kernels {
		k.flush(k.around(0))
	}
}

// turn is the loop with this head.
func (w *walk) turn(head string) {
	w.line("%s", head)
	for _, k := range w.kernels[:w.before] {
		k.row()
	}
	for _, s := range w.Body {
		w.line("{")
		w.statement(s)
		w.narrow(s)
		w.line("}")
	}
	for _, k := range w.kernels[w.before:] {
		k.row()
	}
	w.line("}")
}

// tile is the number of turns after which sums are put away, 0 where that is once.
func (w *walk) tile() (turns int) {
	for _, k := range w.kernels {
		if slices.ContainsFunc(k.outs, output.inTile) && (turns == 0 || k.tile < turns) {
			turns = k.tile
		}
	}
	return turns
}

func (w *walk) tiles(turns int) {
	head := fmt.Sprintf("for (long turn = t; turn < %s; turn++) {", blockEnd("t", w.N, turns))
	if w.Reverse {
		w.line("for (long t = %d; t >= 0; t -= %d) {", (w.N-1)/turns*turns, turns)
		head = fmt.Sprintf("for (long turn = %s - 1; turn >= t; turn--) {", blockEnd("t", w.N, turns))
	} else {
		w.line("for (long t = 0; t < %d; t += %d) {", w.N, turns)
	}
	for _, k := range w.kernels {
		k.start(output.inTile)
	}
	w.turn(head)
	for _, k := range w.kernels {
		k.flush(output.inTile)
	}
	w.line("}")
}
