package lower

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// A Gather chooses along the leading axes of its argument, and a ScatterAdd adds along those of its result. The windows
// of a convolution are chosen along the second and third axis of images [row, y, x, channel]; the graph moves these to
// the front before, and back after. Here the axes are left where they are, so that a loop over the windows of an image
// reads and writes memory in its order: the value's Axes holds the first axis that indices choose along.

// firstChosen returns the first axis along which the indices of a Gather or ScatterAdd choose.
func firstChosen(v *value) int {
	if len(v.op.Axes) == 0 {
		return 0
	}
	return v.op.Axes[0]
}

// gatherPermuted returns a gather from an array whose axes were moved; nil if they were not, or to other places.
func (vs *values) gatherPermuted(shape []int, x *value, index []*value) *value {
	at, ok := togetherBefore(x, len(index))
	if !ok {
		return nil
	}
	n, from := len(index[0].shape), x.args[0]
	inner := slices.Concat(from.shape[:at], index[0].shape, from.shape[at+len(index):])
	op := autodiff.Op{Kind: autodiff.OpGather, Axes: []int{at}}
	v := vs.make(op, inner, append([]*value{from}, index...)...)
	return vs.permute(outside(x.op.Axes, at, len(index), n), v)
}

// scatterPermuted adds an array whose axes were moved; nil if they were not, or to other places.
func (vs *values) scatterPermuted(shape []int, y *value, index []*value) *value {
	n := len(index[0].shape)
	at, ok := togetherBefore(y, n)
	if !ok {
		return nil
	}
	from := y.args[0]
	inner := slices.Concat(from.shape[:at], shape[:len(index)], from.shape[at+n:])
	op := autodiff.Op{Kind: autodiff.OpScatterAdd, Axes: []int{at}, Shape: inner}
	v := vs.make(op, inner, append([]*value{from}, index...)...)
	return vs.permute(outside(y.op.Axes, at, n, len(index)), v)
}

// togetherBefore finds where the n leading axes of x were together before they were moved, if others were before them.
func togetherBefore(x *value, n int) (at int, ok bool) {
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

// outside returns the axes of a movement whose leading ones, from at on, are n instead of m.
func outside(axes []int, at, m, n int) []int {
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

// chosen returns the coordinates in an array of a shape of what a Gather reads, or a ScatterAdd writes, at a point.
func (b *body) chosen(v *value, at []ir.Index, shape []int) []ir.Index {
	first := firstChosen(v)
	end := first + len(v.args[1].shape)
	return slices.Concat(at[:first], b.positions(v, at[first:end], shape[first:]), at[end:])
}

// constantCoordinate returns the coordinate that a known index gives, if it moves evenly along its axes and stays in an
// axis of n: then the index needs no memory and no check. Only programs whose lanes are apart have it.
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
