package render

import (
	"fmt"
	"slices"

	"ppl/compiler/backend/ir"
)

// The iterations of a recurrence are serial, so the processor idles between them. This file fuses independent kernels
// into the loop: a kernel over the rows that a Loop visits processes each row in the Loop's iteration for that row,
// before or after the Loop's own statements, instead of in a separate pass over memory. For
//
//	for i < N { e[i] = exp(x[i]) }                      for t < N {
//	loop t < N { s[t] = a·s[t-1] + e[t] }    becomes        e[t] = exp(x[t]); s[t] = a·s[t-1] + e[t]
//	for i < N { add out[0] s[i]·y[i] }                      add out[0] s[t]·y[t]
//	                                                    }
//
// If a kernel runs over one row more than the Loop (a recurrence has an initial row), it processes its first row before
// the loop.

// maxFused is the largest number of instructions of all kernels fused into a Loop. It bounds the compile time of the
// function, which grows faster than its length.
const maxFused = 1000

// fuseWithLoop divides a body at a Loop. turn lists the Loop and the kernels fused with it, in the order in which an
// iteration runs them; before and after list the statements that remain separate.
func (f *file) fuseWithLoop(body []ir.Stmt, at int) (before, turn, after []ir.Stmt) {
	loop := body[at].(*ir.Loop)
	turn = []ir.Stmt{loop}
	size := 0
	joins := func(s ir.Stmt, passed, early, late []ir.Stmt) bool {
		k, ok := s.(*ir.Kernel)
		if !ok || !f.runsOver(k, loop.N) || size+len(k.Body) > maxFused {
			return false
		}
		ok = !slices.ContainsFunc(passed, func(p ir.Stmt) bool { return dependent(p, s) }) && inStep(early, late, loop)
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

// runsOver reports whether a kernel runs over that number of rows or one more. It must not store to an I32 buffer,
// because narrow truncates these in a separate pass after the store.
func (f *file) runsOver(k *ir.Kernel, rows int) bool {
	truncated := func(o ir.Output) bool { return f.Buffers[o.Buf].Type == ir.I32 }
	return rows > 1 && len(k.Extents) > 0 && (k.Extents[0] == rows || k.Extents[0] == rows+1) &&
		!slices.ContainsFunc(k.Out, truncated)
}

// lead returns the number of rows by which a kernel is ahead of the Loop's iterations.
func lead(k *ir.Kernel, loop *ir.Loop) int {
	if loop.Reverse {
		return 0
	}
	return k.Extents[0] - loop.N
}

// dependent reports whether two statements must keep their order.
func dependent(s, t ir.Stmt) bool {
	clash := func(writes, all []ir.BufID) bool {
		return slices.ContainsFunc(writes, func(id ir.BufID) bool { return slices.Contains(all, id) })
	}
	return clash(ir.Writes(s), slices.Concat(ir.Reads(t), ir.Writes(t))) || clash(ir.Writes(t), ir.Reads(s))
}

// An access is the range of elements that iteration t reads or writes of a buffer: width·t + lo … width·t + hi. Width 0
// also means unknown elements.
type access struct {
	buf           ir.BufID
	write         bool
	width, lo, hi int
}

// inStep reports whether statements give the same result if each iteration runs the early ones and then the late ones,
// as if all iterations of the early ones ran first. This holds if no late statement uses an element that an early
// statement uses in a later iteration.
func inStep(early, late []ir.Stmt, loop *ir.Loop) bool {
	for _, s := range early {
		for _, p := range accesses(s, loop) {
			for _, t := range late {
				if slices.ContainsFunc(accesses(t, loop), func(q access) bool {
					return p.conflictsLater(q, loop.Reverse)
				}) {
					return false
				}
			}
		}
	}
	return true
}

// conflictsLater reports whether access q in an iteration may conflict with access p in a later iteration.
func (p access) conflictsLater(q access, reverse bool) bool {
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

// accesses returns the accesses of a kernel that is fused with a Loop, or those of the Loop itself.
func accesses(s ir.Stmt, loop *ir.Loop) (all []access) {
	if k, ok := s.(*ir.Kernel); ok {
		ahead := lead(k, loop)
		return kernelAccesses(k, func(at ir.Index) access {
			if at.Stride == nil {
				return access{}
			}
			width := at.Stride[0]
			at.Stride = slices.Concat([]int{0}, at.Stride[1:])
			lo, hi := at.Span(k.Extents)
			return access{width: width, lo: lo + ahead*width, hi: hi + ahead*width}
		})
	}
	for _, b := range loop.Body {
		if k, ok := b.(*ir.Kernel); ok {
			all = append(all, kernelAccesses(k, func(at ir.Index) access {
				lo, hi := at.Span(k.Extents)
				return access{width: at.Step, lo: lo, hi: hi}
			})...)
			continue
		}
		for _, id := range ir.Reads(b) {
			all = append(all, access{buf: id})
		}
		for _, id := range ir.Writes(b) {
			all = append(all, access{buf: id, write: true})
		}
	}
	return all
}

// kernelAccesses returns the accesses of a kernel; `place` returns the range of elements for an index. A buffer that is
// combined into is treated as written entirely.
func kernelAccesses(k *ir.Kernel, place func(ir.Index) access) (all []access) {
	for _, in := range k.Body {
		if in.Op == ir.Load {
			t := place(in.Index)
			t.buf = in.Buf
			all = append(all, t)
		}
	}
	for _, o := range k.Out {
		t := access{}
		if o.Combine == ir.Store {
			t = place(o.Index)
		}
		t.buf, t.write = o.Buf, true
		all = append(all, t)
	}
	return all
}

// A fusedLoop is a Loop being rendered, with the kernels fused with it. The first `before` kernels run before the
// Loop's own statements.
type fusedLoop struct {
	*file
	*ir.Loop
	kernels []*kernel
	before  int
}

// turns renders a Loop with the kernels fused with it.
func (f *file) turns(turn []ir.Stmt) {
	w := fusedLoop{file: f}
	first := 0
	for i, s := range turn {
		switch s := s.(type) {
		case *ir.Loop:
			w.Loop, w.before = s, i
		case *ir.Kernel:
			w.kernels = append(w.kernels, f.begin(s, first, 0))
			first += len(s.Body) + len(s.Out)
		}
	}
	w.run()
}

func (w *fusedLoop) run() {
	for _, k := range w.kernels {
		k.beforeRows()
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
		k.afterRows()
	}
}

// turn renders the loop with this head.
func (w *fusedLoop) turn(head string) {
	w.head("%s", head)
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

// row renders the part of a kernel that runs in one iteration.
func (w *fusedLoop) row(k *kernel) {
	if lead(k.in, w.Loop) == 0 {
		k.row("turn")
	} else {
		k.row("turn + 1")
	}
}

// first renders the first row of a kernel that has one row more than the Loop. The row forms a separate tile before the
// loop.
func (w *fusedLoop) first(k *kernel) {
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

// tile returns the number of iterations after which sums are added to their buffers; 0 means only at the end.
func (w *fusedLoop) tile() (turns int) {
	for _, k := range w.kernels {
		if slices.ContainsFunc(k.outs, output.inTile) && (turns == 0 || k.tile < turns) {
			turns = k.tile
		}
	}
	return turns
}

func (w *fusedLoop) tiles(turns int) {
	head := fmt.Sprintf("for (long turn = t; turn < %s; turn++) {", blockEnd("t", w.N, turns))
	if w.Reverse {
		w.head("for (long t = %d; t >= 0; t -= %d) {", (w.N-1)/turns*turns, turns)
		head = fmt.Sprintf("for (long turn = %s - 1; turn >= t; turn--) {", blockEnd("t", w.N, turns))
	} else {
		w.head("for (long t = 0; t < %d; t += %d) {", w.N, turns)
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
