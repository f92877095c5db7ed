package autodiff

import (
	"math"
	"slices"
)

// Sum sums over axes, which it removes. Without axes it returns x. The sum over an empty axis is 0.
func Sum(x Node, axes ...int) Node { return reduce(OpSum, x, axes) }

// SumAll returns the sum of all elements.
func SumAll(x Node) Node { return Sum(x, iota0(x.Rank())...) }

// Max returns the maximum over axes; −∞ over an empty axis.
func Max(x Node, axes ...int) Node { return reduce(OpMax, x, axes) }

// Min returns the minimum over axes; +∞ over an empty axis.
func Min(x Node, axes ...int) Node { return reduce(OpMin, x, axes) }

// LogSumExp returns log Σ exp x over axes; −∞ over an empty axis.
func LogSumExp(x Node, axes ...int) Node { return reduce(OpLogSumExp, x, axes) }

func reduce(k Kind, x Node, axes []int) Node {
	checkAxes(axes, x.Rank())
	axes = slices.Sorted(slices.Values(axes))
	n, shape := size(pick(x.Shape(), axes)), without(x.Shape(), axes...)
	switch v, ok := x.IsConst(); {
	case n == 1:
		return Reshape(x, shape...)
	case x.Size() == 0:
		return x.Graph().Full(nothing(k), shape...)
	case ok:
		return Broadcast(reduceCopies(k, x.Graph().Const(v), float64(n)), shape, nil)
	case x.is(OpBroadcast) && slices.ContainsFunc(axes, func(a int) bool { return !slices.Contains(x.op.Axes, a) }):
		return reduceRepeated(k, x, axes)
	case k == OpSum && x.is(OpMatMul) && slices.Equal(axes, iota0(x.Rank()-2)) && x.args[0].Rank() == x.args[1].Rank():
		return sumOfProducts(x)
	}
	if k == OpSum {
		if n := splitConstantPart(x, axes); n.Valid() {
			return n
		}
	}
	return x.Graph().add(Op{Kind: k, Axes: axes}, shape, x)
}

// splitConstantPart rewrites a sum over axes of x = c ± p as Σc ± Σp if c depends only on data, so that Σc is computed
// once. It also moves constant factors and signs out of the sum. The result is invalid if x has no such form.
func splitConstantPart(x Node, axes []int) Node {
	switch {
	case x.is(OpNeg):
		return Neg(Sum(x.args[0], axes...))
	case x.static || !x.is(OpAdd) && !x.is(OpSub) && !x.is(OpMul):
		return Node{}
	}
	a, b := x.args[0], x.args[1]
	if !x.is(OpMul) && (a.static || b.static) {
		return Binary(x.op.Kind, Sum(a, axes...), Sum(b, axes...))
	}
	for k, arg := range x.args {
		if v, ok := arg.IsConst(); ok && x.is(OpMul) {
			return Mul(x.Graph().Const(v), Sum(x.args[1-k], axes...))
		}
	}
	return Node{}
}

// sumOfProducts computes Σ Aₙ·Bₙ over all batches as one product of tall matrices, so that no memory is needed for each
// batch.
func sumOfProducts(x Node) Node {
	return MatMul(tall(x.args[0], !x.op.TransA), tall(x.args[1], x.op.TransB), true, false)
}

// tall concatenates the matrices of a stack, transposed or not, below one another.
func tall(x Node, trans bool) Node {
	if rows, cols := matrix(x, false); trans && rows > 1 && cols > 1 {
		x = transpose(x)
	} else if trans {
		x = Reshape(x, slices.Concat(batchOf(x), []int{cols, rows})...)
	}
	cols := x.Shape()[x.Rank()-1]
	return Reshape(x, x.Size()/cols, cols)
}

// nothing returns the value of a reduction over no elements.
func nothing(k Kind) float64 {
	switch k {
	case OpSum:
		return 0
	case OpMin:
		return math.Inf(1)
	}
	return math.Inf(-1)
}

// CumSum returns the inclusive cumulative sum along an axis. With reverse, it starts at the end.
func CumSum(x Node, axis int, reverse bool) Node {
	checkAxes([]int{axis}, x.Rank())
	if x.Shape()[axis] <= 1 || x.isConst(0) {
		return x
	}
	return x.Graph().add(Op{Kind: OpCumSum, Axes: []int{axis}, Reverse: reverse}, x.Shape(), x)
}
