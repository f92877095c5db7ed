package render

import "ppl/compiler/backend/ir"

// If the rows of a product start at a row that is known only at run time, as in a minibatch, the product is a kernel
// over rows and columns instead of a MatMul. The additions of one sum depend on each other; several rows in parallel
// hide this latency without storing partial sums. So several rows are computed together:
//
//	for (; i0 + 3 < rows; i0 += 4) {
//	  wide a0 = splat(0), a0_1 = …, a0_2 = …, a0_3 = …;
//	  for (long i1 = 0; i1 < 21; i1++) { a0 = a0 + x[21 * i0 + i1] * y[i1]; a0_1 = a0_1 + x[21 * (i0 + 1) + i1] * …
//
// Each sum has its terms in the same order, so the results are identical to those of one row at a time.
const rowsAtOnce = 4

// isRowProduct reports whether the kernel is such a product.
func (k *kernel) isRowProduct() bool {
	if k.Layout != ir.Interleaved || len(k.loops) != 2 || len(k.outs) != 1 || k.outs[0].perTile ||
		k.outs[0].Combine != ir.Sum || k.outs[0].depth == 0 {
		return false
	}
	counted := false
	for r, in := range k.in.Body {
		switch {
		case !k.live[r] || k.depth[r] == 0:
		case in.Op == ir.Load:
			for _, d := range in.Index.Dyn {
				if k.depth[d.Reg] > 0 || k.forms[d.Reg].wide {
					return false
				}
				counted = true
			}
		case in.Op != ir.Mul && in.Op != ir.Add && in.Op != ir.Sub:
			return false
		}
	}
	return counted
}

// rowBlocks writes a loop over blocks of rowsAtOnce rows, and a loop over the remaining rows.
func (k *kernel) rowBlocks() {
	axis, o := k.loops[0], k.outs[0]
	end := k.bound(axis)
	each := func(write func()) {
		for k.nth = range rowsAtOnce {
			write()
		}
		k.nth = 0
	}
	at := func(depth int) {
		for r := range k.in.Body {
			if k.live[r] && k.depth[r] == depth {
				k.instr(r)
			}
		}
	}
	k.line("long i%d = 0;", axis)
	k.head("for (; i%d + %d < %s; i%d += %d) {", axis, rowsAtOnce-1, end, axis, rowsAtOnce)
	each(func() { at(1); k.start(k.around(1)) })
	k.head("for (long i%d = 0; i%d < %d; i%d++) {", k.loops[1], k.loops[1], k.in.Extents[k.loops[1]], k.loops[1])
	each(func() { at(2); k.combine(o) })
	k.line("}")
	each(func() { k.flush(k.around(1)) })
	k.line("}")
	k.head("for (; i%d < %s; i%d++) {", axis, end, axis)
	k.level(1)
	k.line("}")
}
