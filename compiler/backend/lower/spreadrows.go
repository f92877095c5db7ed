package lower

import (
	"slices"

	"ppl/compiler/backend/ir"
)

// fewRows is the number of iterations below which an outermost loop is not worth dividing.
const fewRows = 64

// inRows rewrites a kernel so that its outermost loop has many iterations, if possible. It merges loops where possible;
// then it moves the longest loop outside, unless the kernel has noise, which depends on the number of the point.
func inRows(k *ir.Kernel) *ir.Kernel {
	if len(k.Extents) < 2 || k.Extents[0] >= fewRows || k.Points() < fewRows {
		return k
	}
	k = &ir.Kernel{Extents: slices.Clone(k.Extents), Body: slices.Clone(k.Body), Out: slices.Clone(k.Out)}
	for axis := 0; axis+1 < len(k.Extents); {
		if !merge(k, axis) {
			axis++
		}
	}
	longest := 0
	for axis, n := range k.Extents {
		if n > k.Extents[longest] && !hasNoise(k) && separate(withOutermost(k, axis)) {
			longest = axis
		}
	}
	return withOutermost(k, longest)
}

func hasNoise(k *ir.Kernel) bool {
	return slices.ContainsFunc(k.Body, func(in ir.Instr) bool { return isNoise(in.Op) })
}

// separate reports whether the rows of a kernel can run in any order.
func separate(k *ir.Kernel) bool {
	return !slices.ContainsFunc(kernelRows(k), rowUse.conflicts)
}

// indices returns the indices of a kernel that have a stride for each loop.
func indices(k *ir.Kernel) (all []*ir.Index) {
	for i := range k.Body {
		if k.Body[i].Op == ir.Load {
			all = append(all, &k.Body[i].Index)
		}
	}
	for i := range k.Out {
		all = append(all, &k.Out[i].Index)
	}
	return all
}

// merge replaces loops axis and axis + 1 by one loop, and reports whether the indices allow it.
func merge(k *ir.Kernel, axis int) bool {
	outer, inner := k.Extents[axis], k.Extents[axis+1]
	for _, in := range k.Body {
		if in.Op == ir.Counter && (in.Axis == axis || in.Axis == axis+1) {
			return false
		}
	}
	for _, ix := range indices(k) {
		if ix.Stride != nil && outer != 1 && inner != 1 && ix.Stride[axis] != inner*ix.Stride[axis+1] {
			return false
		}
	}
	for _, ix := range indices(k) {
		if ix.Stride != nil {
			ix.Stride = slices.Clone(ix.Stride)
			if inner == 1 {
				ix.Stride[axis+1] = ix.Stride[axis]
			}
			ix.Stride = slices.Delete(ix.Stride, axis, axis+1)
		}
	}
	for r := range k.Body {
		if in := &k.Body[r]; in.Op == ir.Counter && in.Axis > axis {
			in.Axis--
		}
	}
	k.Extents[axis+1] = outer * inner
	k.Extents = slices.Delete(k.Extents, axis, axis+1)
	return true
}

// withOutermost returns a kernel with loop `axis` moved outside the others.
func withOutermost(k *ir.Kernel, axis int) *ir.Kernel {
	if axis == 0 {
		return k
	}
	out := &ir.Kernel{Extents: toFront(k.Extents, axis), Body: slices.Clone(k.Body), Out: slices.Clone(k.Out)}
	for _, ix := range indices(out) {
		if ix.Stride != nil {
			ix.Stride = toFront(ix.Stride, axis)
		}
	}
	for r := range out.Body {
		switch in := &out.Body[r]; {
		case in.Op != ir.Counter:
		case in.Axis == axis:
			in.Axis = 0
		case in.Axis < axis:
			in.Axis++
		}
	}
	return out
}

// toFront returns a list with one of its elements moved to the front.
func toFront(list []int, at int) []int {
	return slices.Concat(list[at:at+1], list[:at], list[at+1:])
}
