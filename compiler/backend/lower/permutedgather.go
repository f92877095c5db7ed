package lower

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// A Gather selects along the leading axes of its argument, and a ScatterAdd adds along those of its result. The windows
// of a convolution are selected along the second and third axis of images [row, y, x, channel]; the graph permutes
// these axes to the front before the operation and back after it. Here the axes keep their order, so that a loop over
// the windows of an image reads and writes memory in sequence: Axes of the value's op holds the first axis that the
// indices select along.

// firstChosen returns the first axis along which the indices of a Gather or ScatterAdd select.
func firstChosen(v *value) int {
	if len(v.op.Axes) == 0 {
		return 0
	}
	return v.op.Axes[0]
}

// gatherPermuted returns a gather from a permuted array as a permuted gather from the original; nil if that does not
// apply.
func (vs *values) gatherPermuted(shape []int, x *value, index []*value) *value {
	at, ok := adjacentBefore(x, len(index))
	if !ok {
		return nil
	}
	n, from := len(index[0].shape), x.args[0]
	inner := slices.Concat(from.shape[:at], index[0].shape, from.shape[at+len(index):])
	op := autodiff.Op{Kind: autodiff.OpGather, Axes: []int{at}}
	v := vs.make(op, inner, append([]*value{from}, index...)...)
	return vs.permute(replaceLeading(x.op.Axes, at, len(index), n), v)
}

// scatterPermuted returns a scatter of a permuted array as a permuted scatter of the original; nil if that does not
// apply.
func (vs *values) scatterPermuted(shape []int, y *value, index []*value) *value {
	n := len(index[0].shape)
	at, ok := adjacentBefore(y, n)
	if !ok {
		return nil
	}
	from := y.args[0]
	inner := slices.Concat(from.shape[:at], shape[:len(index)], from.shape[at+n:])
	op := autodiff.Op{Kind: autodiff.OpScatterAdd, Axes: []int{at}, Shape: inner}
	v := vs.make(op, inner, append([]*value{from}, index...)...)
	return vs.permute(replaceLeading(y.op.Axes, at, n, len(index)), v)
}

// adjacentBefore returns the first of the axes that the n leading axes of x were before a permutation. ok reports
// whether they were adjacent, in this order, and not at the front.
func adjacentBefore(x *value, n int) (at int, ok bool) {
	if x.kind != autodiff.OpPermute || n == 0 {
		return 0, false
	}
	at = x.op.Axes[0]
	for k := range n {
		if x.op.Axes[k] != at+k {
			return 0, false
		}
	}
	return at, at > 0
}

// replaceLeading returns the axes of a permutation after its m leading axes, which are the axes from `at` of the
// source, have been replaced by n axes.
func replaceLeading(axes []int, at, m, n int) []int {
	var to []int
	for k := range n {
		to = append(to, at+k)
	}
	for _, a := range axes[m:] {
		if a > at {
			a += n - m
		}
		to = append(to, a)
	}
	return to
}

// chosen returns the coordinates, in an array of a shape, of the element that a Gather reads or a ScatterAdd writes at
// a point.
func (b *body) chosen(v *value, at []ir.Index, shape []int) []ir.Index {
	first := firstChosen(v)
	end := first + len(v.args[1].shape)
	return slices.Concat(at[:first], b.positions(v, at[first:end], shape[first:]), at[end:])
}

// constantCoordinate returns the coordinate that a known index selects, if it is affine in its coordinates and stays
// below n; the index then needs no memory and no check. It applies only to layout Apart.
func (b *body) constantCoordinate(index *value, lead []ir.Index, n int) (to ir.Index, ok bool) {
	if b.plan.prog.layout != ir.Apart {
		return to, false
	}
	lo, by, ok := steps(index)
	if !ok {
		return to, false
	}
	low, high := lo, lo
	for axis, step := range by {
		to = plus(to, scale(lead[axis], step))
		last := step * (index.shape[axis] - 1)
		low, high = low+min(0, last), high+max(0, last)
	}
	return shift(to, lo), low >= 0 && high < n
}
