package render

import (
	"fmt"

	"ppl/compiler/backend/ir"
)

// In a program of layout Apart, the C compiler vectorises the innermost loop of a kernel. The OpenMP pragma declares
// that iterations are independent and that their sums may be reordered. The order is then determined by the text, the
// compiler and the processor; without the pragma, the text alone determines it.

// noiseStrip is the number of points whose noise is computed together in a separate loop.
const noiseStrip = 256

// vectorTurns writes the innermost loop without its closing brace. A loop with noise is cut into strips.
func (k *kernel) vectorTurns(axis int, from, to string) {
	if !k.hasNoise() {
		k.vector(axis, from, to)
		return
	}
	k.head("for (long s = %s; s < %s; s += %d) {", from, to, noiseStrip)
	k.line("const long end = s + %d < %s ? s + %d : %s;", noiseStrip, to, noiseStrip, to)
	for r, in := range k.in.Body {
		if k.live[r] && isNoise(in.Op) {
			k.line("%s n%d[%d];", k.forms[r].typ(), k.first+r, noiseStrip)
			k.line("%vs_%s(c, %d, %s, end - s, n%d);", in.Op, k.forms[r].suffix(), in.Site, k.point(r, axis), k.first+r)
		}
	}
	k.strip = true
	k.vector(axis, "s", "end")
	k.strip = false
	k.line("}")
}

func (k *kernel) vector(axis int, from, to string) {
	n := 1
	if sums, ok := k.parallel(axis); k.small && from == "0" {
		n = k.in.Extents[axis]
	} else if ok {
		k.line("#pragma omp simd%s", sums)
	}
	k.points(len(k.loops)-1, n, from, to)
	k.level(len(k.loops))
}

// parallel reports whether iterations of the innermost loop can run at the same time, and returns the OpenMP clauses
// for its sums. Every output must be a sum in an accumulator, or go to an element that other iterations do not write.
func (k *kernel) parallel(axis int) (sums string, ok bool) {
	for _, o := range k.outs {
		switch {
		case o.accumulates && o.Combine == ir.Sum:
			sums += fmt.Sprintf(" reduction(+:a%d)", k.first+o.number)
		case o.accumulates, k.scatters(o.Index):
			return "", false
		case o.Combine != ir.Store && (o.Index.Stride == nil || o.Index.Stride[axis] == 0):
			return "", false
		}
	}
	return sums, true
}

// scatters reports whether an index depends on values that are computed in the innermost loop.
func (k *kernel) scatters(ix ir.Index) bool {
	for _, d := range ix.Dyn {
		if k.depth[d.Reg] == len(k.loops) {
			return true
		}
	}
	return false
}

func (k *kernel) hasNoise() bool {
	for r, in := range k.in.Body {
		if k.live[r] && isNoise(in.Op) {
			return true
		}
	}
	return false
}

func isNoise(op ir.Op) bool { return op == ir.Normal || op == ir.Uniform }

// point returns the text of the point number that a noise register uses. With an axis (≥ 0), it is the point at the
// start of the strip.
func (k *kernel) point(r, axis int) string {
	in := &k.in.Body[r]
	at := ir.Dense(k.in.Extents...)
	at.Const, at.Step = in.Index.Const, in.Index.Step
	if axis < 0 {
		return k.element(at)
	}
	inner := at.Stride[axis]
	at.Stride[axis] = 0
	return fmt.Sprintf("%s + %s", k.element(at), scaled(inner, "s"))
}

// oneNoise writes the noise of one point: it reads the strip if there is one, and otherwise computes a single number.
func (k *kernel) oneNoise(r int) {
	n, f := k.first+r, k.forms[r]
	if k.strip {
		k.line("const %s r%d = n%d[i%d - s];", f.typ(), n, n, k.loops[len(k.loops)-1])
		return
	}
	in := &k.in.Body[r]
	k.line("%s r%d;", f.typ(), n)
	k.line("%vs_%s(c, %d, %s, 1, &r%d);", in.Op, f.suffix(), in.Site, k.point(r, -1), n)
}
