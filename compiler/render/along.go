package render

import (
	"fmt"
	"slices"

	"ppl/compiler/ir"
)

// A recurrence waits: each turn of a Loop needs what the one before has just worked out, and meanwhile a processor has
// next to nothing to do. Kernels over the rows that a Loop walks along go along with it: what they do at a row is done
// in the Loop's turn at that row, before its own statements or after them, instead of in a pass over memory of its own.
// A kernel over one row more, as a recurrence has with its beginning, does the first of them before all turns.

// alongSize is the number of instructions up to which kernels join a Loop, so that compile time grows in proportion.
const alongSize = 1000

// along parts a body at a Loop: what goes along with it, in the order of a turn, and what is done before and after all
// of that.
func (f *file) along(body []ir.Stmt, at int) (before, turn, after []ir.Stmt) {
	loop := body[at].(*ir.Loop)
	turn = []ir.Stmt{loop}
	size := 0
	joins := func(s ir.Stmt, passed, early, late []ir.Stmt) bool {
		k, ok := s.(*ir.Kernel)
		if !ok || !f.goesOver(k, loop.N) || size+len(k.Body) > alongSize {
			return false
		}
		ok = !slices.ContainsFunc(passed, func(p ir.Stmt) bool { return meet(p, s) }) && inStep(early, late, loop)
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

// goesOver reports whether a kernel goes over so many rows or one more, and is done with a row when it has stored it.
func (f *file) goesOver(k *ir.Kernel, rows int) bool {
	whole := func(o ir.Output) bool { return f.Buffers[o.Buf].Type == ir.I32 }
	return rows > 1 && len(k.Extents) > 0 && (k.Extents[0] == rows || k.Extents[0] == rows+1) &&
		!slices.ContainsFunc(k.Out, whole)
}

// lead is how many rows a kernel is ahead of a Loop's turns.
func lead(k *ir.Kernel, loop *ir.Loop) int {
	if loop.Reverse {
		return 0
	}
	return k.Extents[0] - loop.N
}

// meet reports whether two statements must keep their order.
func meet(s, t ir.Stmt) bool {
	clash := func(writes, all []ir.BufID) bool {
		return slices.ContainsFunc(writes, func(id ir.BufID) bool { return slices.Contains(all, id) })
	}
	return clash(ir.Writes(s), slices.Concat(ir.Reads(t), ir.Writes(t))) || clash(ir.Writes(t), ir.Reads(s))
}

// A touch is what a turn reads or writes of a buffer: elements width·t + lo … width·t + hi. Of width 0 are also those
// that are not known.
type touch struct {
	buf           ir.BufID
	write         bool
	width, lo, hi int
}

// inStep reports whether statements can be done turn by turn, the early ones first, and still find what they would if
// all turns of the early ones came first: what one of these touches in a turn to come is no concern of the late ones
// yet.
func inStep(early, late []ir.Stmt, loop *ir.Loop) bool {
	for _, s := range early {
		for _, p := range touches(s, loop) {
			for _, t := range late {
				if slices.ContainsFunc(touches(t, loop), func(q touch) bool { return p.overtaken(q, loop.Reverse) }) {
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

// touches are those of a kernel that goes along with a Loop, or of the Loop.
func touches(s ir.Stmt, loop *ir.Loop) (all []touch) {
	if k, ok := s.(*ir.Kernel); ok {
		ahead := lead(k, loop)
		return kernelTouches(k, func(at ir.Index) touch {
			if at.Stride == nil {
				return touch{}
			}
			width := at.Stride[0]
			at.Stride = slices.Concat([]int{0}, at.Stride[1:])
			lo, hi := at.Span(k.Extents)
			return touch{width: width, lo: lo + ahead*width, hi: hi + ahead*width}
		})
	}
	for _, b := range loop.Body {
		if k, ok := b.(*ir.Kernel); ok {
			all = append(all, kernelTouches(k, func(at ir.Index) touch {
				lo, hi := at.Span(k.Extents)
				return touch{width: at.Step, lo: lo, hi: hi}
			})...)
			continue
		}
		for _, id := range ir.Reads(b) {
			all = append(all, touch{buf: id})
		}
		for _, id := range ir.Writes(b) {
			all = append(all, touch{buf: id, write: true})
		}
	}
	return all
}

// kernelTouches are a kernel's, of which the place is known; what is combined is set in one go, and not by turns.
func kernelTouches(k *ir.Kernel, place func(ir.Index) touch) (all []touch) {
	for _, in := range k.Body {
		if in.Op == ir.Load {
			t := place(in.Index)
			t.buf = in.Buf
			all = append(all, t)
		}
	}
	for _, o := range k.Out {
		t := touch{}
		if o.Combine == ir.Store {
			t = place(o.Index)
		}
		t.buf, t.write = o.Buf, true
		all = append(all, t)
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
	for _, k := range w.kernels {
		if k.in.Extents[0] > w.N {
			w.first(k)
		}
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
		w.row(k)
	}
	for _, s := range w.Body {
		w.line("{")
		w.statement(s)
		w.narrow(s)
		w.line("}")
	}
	for _, k := range w.kernels[w.before:] {
		w.row(k)
	}
	w.line("}")
}

// row is what a kernel does in a turn.
func (w *walk) row(k *kernel) {
	if lead(k.in, w.Loop) == 0 {
		k.row("turn")
	} else {
		k.row("turn + 1")
	}
}

// first is what a kernel over one row more does before all turns, a tile by itself.
func (w *walk) first(k *kernel) {
	at := "0"
	if w.Reverse {
		at = fmt.Sprint(w.N)
	}
	w.line("{")
	k.start(output.inTile)
	k.row(at)
	k.flush(output.inTile)
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
