package lower

import (
	"fmt"
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// total returns a sum over axes.
func (vs *values) total(x *value, axes []int) *value {
	if v := vs.sumOfScatter(x, axes); v != nil {
		return v
	}
	return vs.reduce(autodiff.OpSum, x, axes)
}

// reduce returns a reduction over axes. If it is over all axes, reshapes of its argument are removed.
func (vs *values) reduce(k autodiff.Kind, x *value, axes []int) *value {
	if len(axes) == len(x.shape) {
		x = base(x)
		axes = kept(len(x.shape), nil)
	}
	if vs.layout == ir.Apart && x.kind == autodiff.OpPermute {
		return vs.reduceUnmoved(k, x, axes)
	}
	switch axis, ok := vs.shorts[fmt.Sprint(x.shape)]; {
	case len(axes) == 0:
		return x
	case ok && !slices.Contains(axes, axis):
		return vs.split(k, x, axes, axis)
	case ok && len(axes) > 1:
		inner := vs.reduce(k, x, []int{axis})
		return vs.reduce(k, inner, remaining(axes, axis))
	}
	return vs.make(autodiff.Op{Kind: k, Axes: axes}, without(x.shape, axes), x)
}

// remaining returns the numbers of the other axes to reduce after axis `gone` has been removed.
func remaining(axes []int, gone int) []int {
	var out []int
	for _, k := range axes {
		switch {
		case k > gone:
			out = append(out, k-1)
		case k < gone:
			out = append(out, k)
		}
	}
	return out
}

// recordShort records reductions over one short axis of a long array. Such a reduction is written out inside the loops
// over the other axes, and so is every other reduction of an array of this shape that keeps the axis. Thus the rows of
// a mixture are visited once, for the sum over components and for the gradient of each component.
func (vs *values) recordShort(n autodiff.Node) {
	switch axes := n.Op().Axes; n.Op().Kind {
	case autodiff.OpSum, autodiff.OpMax, autodiff.OpMin, autodiff.OpLogSumExp:
		x := n.Args()[0].Shape()
		if len(axes) == 1 && x[axes[0]] <= maxUnrolled && size(without(x, axes)) > maxUnrolled {
			vs.shorts[fmt.Sprint(x)] = axes[0]
		}
	}
}

// split reduces each slice along the short axis separately.
func (vs *values) split(k autodiff.Kind, x *value, axes []int, axis int) *value {
	var parts []part
	for i := range x.shape[axis] {
		one := vs.one(x, axis, i)
		parts = append(parts, part{i, i + 1, vs.make(autodiff.Op{Kind: k, Axes: axes}, without(one.shape, axes), one)})
	}
	return vs.concat(slices.Index(kept(len(x.shape), axes), axis), without(x.shape, axes), parts)
}

// one returns the slice of x at one index of an axis; the axis remains, with length 1.
func (vs *values) one(x *value, axis, at int) *value {
	lo, hi, shape := make([]int, len(x.shape)), slices.Clone(x.shape), slices.Clone(x.shape)
	lo[axis], hi[axis], shape[axis] = at, at+1, 1
	return vs.slice(x, lo, hi, shape)
}

// partialSums returns a cumulative sum over few elements.
func (vs *values) partialSums(x *value, axis int, reverse bool) *value {
	n := x.shape[axis]
	parts := make([]part, n)
	var sum *value
	for i := range n {
		at := i
		if reverse {
			at = n - 1 - i
		}
		term := vs.one(x, axis, at)
		if sum == nil {
			sum = term
		} else {
			sum = vs.apply(autodiff.OpAdd, sum, term)
		}
		parts[at] = part{at, at + 1, sum}
	}
	return vs.concat(axis, x.shape, parts)
}

// logSumExp returns m + log Σ exp(x − m), where m is the largest element.
func (vs *values) logSumExp(x *value, axes []int) *value {
	m, _, total := vs.exponentials(x, axes)
	return vs.apply(autodiff.OpAdd, m, vs.apply(autodiff.OpLog, total))
}

// exponentials returns m, exp(x − m) and the sum of the latter, where m is the largest element, or 0 if that is
// infinite: if all elements are -inf the sum is 0, and if one is +inf the sum is +inf.
func (vs *values) exponentials(x *value, axes []int) (m, each, total *value) {
	top := vs.reduce(autodiff.OpMax, x, axes)
	m = vs.apply(autodiff.OpSelect, vs.apply(autodiff.OpIsFinite, top), top, vs.constant(0, nil))
	each = vs.apply(autodiff.OpExp, vs.apply(autodiff.OpSub, x, vs.broadcast(m, x.shape, kept(len(x.shape), axes))))
	return m, each, vs.total(each, axes)
}

// softmax recognises exp(x − log Σ exp x), the gradient of a LogSumExp, and computes it as exp(x − m)/Σ exp(x − m),
// which shares its exponentials with the sum. It returns nil for other nodes. The sum is at least 1, or 0 if all x are
// −∞.
func (vs *values) softmax(n autodiff.Node) *value {
	if n.Args()[0].Op().Kind != autodiff.OpSub {
		return nil
	}
	x, most := n.Args()[0].Args()[0], narrowest(n.Args()[0].Args()[1])
	if most.Op().Kind != autodiff.OpMaximum {
		return nil
	}
	sum := narrowest(most.Args()[0])
	if lowest, ok := most.Args()[1].IsConst(); !ok || lowest != -math.MaxFloat64 ||
		sum.Op().Kind != autodiff.OpLogSumExp || sum.Args()[0] != x {
		return nil
	}
	_, weights, total := vs.exponentials(vs.of(x), sum.Op().Axes)
	inverse := vs.apply(autodiff.OpDiv, vs.constant(1, nil), vs.apply(autodiff.OpMaximum, total, vs.constant(1, nil)))
	return vs.apply(autodiff.OpMul, weights, vs.broadcast(inverse, n.Shape(), kept(len(n.Shape()), sum.Op().Axes)))
}
