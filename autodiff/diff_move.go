package autodiff

import (
	"math"
	"slices"
)

// movementToArg returns the adjoint of an op that moves elements.
func movementToArg(n, bar Node, k int) Node {
	x := n.args[k]
	switch n.op.Kind {
	case OpBroadcast:
		return Sum(bar, without(iota0(n.Rank()), n.op.Axes...)...)
	case OpPermute:
		return Permute(bar, inverse(n.op.Axes)...)
	case OpReshape:
		return Reshape(bar, x.Shape()...)
	case OpSlice:
		return Pad(bar, n.op.Lo, minus(x.Shape(), n.op.Hi))
	case OpPad:
		return Slice(bar, n.op.Lo, minus(n.Shape(), n.op.Hi))
	case OpConcat:
		return part(n, bar, k)
	case OpGather:
		return ScatterAdd(x.Shape(), bar, n.args[1:]...)
	case OpScatterAdd:
		return Gather(bar, n.args[1:]...)
	}
	bug("%v has no gradient", n.op)
	return Node{}
}

// part returns the slice of bar that belongs to argument k of a Concat.
func part(n, bar Node, k int) Node {
	axis := n.op.Axes[0]
	lo, hi := make([]int, n.Rank()), slices.Clone(n.Shape())
	for _, a := range n.args[:k] {
		lo[axis] += a.Shape()[axis]
	}
	hi[axis] = lo[axis] + n.args[k].Shape()[axis]
	return Slice(bar, lo, hi)
}

func inverse(perm []int) []int {
	out := make([]int, len(perm))
	for k, p := range perm {
		out[p] = k
	}
	return out
}

func plus(xs, ys []int) []int {
	out := make([]int, len(xs))
	for k := range xs {
		out[k] = xs[k] + ys[k]
	}
	return out
}

func minus(xs, ys []int) []int {
	out := make([]int, len(xs))
	for k := range xs {
		out[k] = xs[k] - ys[k]
	}
	return out
}

// reductionToArg returns the pullback of a reduction or CumSum.
func reductionToArg(n, bar Node) Node {
	x := n.args[0]
	spread := func(r Node) Node { return Broadcast(r, x.Shape(), without(iota0(x.Rank()), n.op.Axes...)) }
	switch n.op.Kind {
	case OpSum:
		return spread(bar)
	case OpMax, OpMin:
		most := Eq(x, spread(n))
		return chain(Div(most, spread(Sum(most, n.op.Axes...))), spread(bar))
	case OpLogSumExp:
		// If all x are −∞, all shares are 0: −∞ − lowest = −∞.
		lowest := n.Graph().Const(-math.MaxFloat64)
		return chain(spread(bar), Exp(Sub(x, spread(Maximum(n, lowest)))))
	case OpCumSum:
		return CumSum(bar, n.op.Axes[0], !n.op.Reverse)
	}
	bug("%v has no gradient", n.op)
	return Node{}
}
