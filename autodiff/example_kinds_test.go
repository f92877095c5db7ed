package autodiff_test

import (
	"fmt"
	"math/rand/v2"

	. "ppl/autodiff"
)

// An example applies one kind to inputs whose elements are drawn from [lo, hi).
type example struct {
	kind   Kind
	shapes [][]int
	lo, hi float64
	build  func(x []Node) Node
}

// examples has at least one row for every kind except noise, which has no value on a host.
var examples = append(append(unaryExamples(), binaryExamples()...), arrayExamples()...)

func unaryExamples() (out []example) {
	for _, k := range ElementwiseKinds() {
		if k.Row().Arity() == 1 && k != OpSingle && k != OpDouble { // see TestSinglePrecision
			lo, hi := testedBetween(k.Row())
			out = append(out, example{k, [][]int{{3, 2}}, lo, hi, func(x []Node) Node { return Unary(k, x[0]) }})
		}
	}
	return out
}

// testedBetween returns the part of −2.3…2.4 in which the op is tested, without the neighbourhood of the domain's ends,
// where slopes are steep.
func testedBetween(row *Elementwise) (lo, hi float64) {
	lo, hi = -2.3, 2.4
	if row.Lo < row.Hi {
		margin := min(.2, (row.Hi-row.Lo)/15)
		lo, hi = max(lo, row.Lo+margin), min(hi, row.Hi-margin)
	}
	return lo, hi
}

func binaryExamples() (out []example) {
	for _, k := range ElementwiseKinds() {
		if k.Row().Arity() != 2 {
			continue
		}
		build := func(x []Node) Node { return Binary(k, x[0], x[1]) }
		out = append(out,
			example{k, [][]int{{3, 2}, {3, 2}}, .3, 2, build},
			example{k, [][]int{{4}, {}}, .3, 2, build},
			example{k, [][]int{{}, {4}}, .3, 2, build},
			example{k, [][]int{{}, {}}, .3, 2, build})
		if k.Row().Lo < 0 || k.Row().Lo == k.Row().Hi {
			out = append(out, example{k, [][]int{{3, 2}, {3, 2}}, -2, 2, build})
		}
	}
	for exponent := -3; exponent <= 5; exponent++ {
		build := func(x []Node) Node { return Pow(x[0], x[0].Graph().Const(float64(exponent))) }
		out = append(out, example{OpPow, [][]int{{5}}, -2, -.5, build}, example{OpPow, [][]int{{5}}, .5, 2, build})
	}
	return out
}

func arrayExamples() []example {
	return []example{
		{OpConst, [][]int{{2}}, -1, 1, func(x []Node) Node { return Add(x[0], x[0].Graph().Full(.7, 2)) }},
		{OpData, [][]int{{3}}, -1, 1, func(x []Node) Node {
			return Mul(x[0], x[0].Graph().Data("d", []float64{1, -2, 3}, 3))
		}},
		{OpInput, [][]int{{2, 2}}, -1, 1, func(x []Node) Node { return x[0] }},
		{OpSelect, [][]int{{4}, {4}}, -1, 1, func(x []Node) Node {
			return Where(Lt(x[0], x[1]), Mul(x[0], x[1]), Exp(x[0]))
		}},
		{OpSelect, [][]int{{4}, {}}, -1, 1, func(x []Node) Node { return Where(Lt(x[1], x[0]), x[1], x[0]) }},

		{OpBroadcast, [][]int{{2, 3}}, -1, 1, func(x []Node) Node {
			return Broadcast(x[0], []int{4, 2, 5, 3}, []int{1, 3})
		}},
		{OpBroadcast, [][]int{{2, 3}}, -1, 1, func(x []Node) Node {
			return Broadcast(x[0], []int{3, 4, 2}, []int{2, 0})
		}},
		{OpBroadcast, [][]int{{}}, -1, 1, func(x []Node) Node { return Broadcast(x[0], []int{2, 2}, nil) }},
		{OpPermute, [][]int{{2, 3, 4}}, -1, 1, func(x []Node) Node { return Permute(x[0], 2, 0, 1) }},
		{OpReshape, [][]int{{2, 3, 4}}, -1, 1, func(x []Node) Node { return Reshape(x[0], 6, 4) }},
		{OpReshape, [][]int{{}}, -1, 1, func(x []Node) Node { return Reshape(x[0], 1, 1) }},
		{OpSlice, [][]int{{4, 5}}, -1, 1, func(x []Node) Node { return Slice(x[0], []int{1, 2}, []int{4, 3}) }},
		{OpPad, [][]int{{2, 3}}, -1, 1, func(x []Node) Node { return Pad(x[0], []int{1, 0}, []int{2, 3}) }},
		{OpConcat, [][]int{{2, 1}, {2, 3}, {2, 0}, {2, 2}}, -1, 1, func(x []Node) Node { return Concat(1, x...) }},
		{OpConcat, [][]int{{2, 3}, {1, 3}}, -1, 1, func(x []Node) Node { return Concat(0, x...) }},
		{OpGather, [][]int{{3, 4, 2}}, -1, 1, func(x []Node) Node {
			return Gather(x[0], index(x[0], 2, 0, 2, 1), index(x[0], 3, 3, 0, 3))
		}},
		{OpGather, [][]int{{3, 2}}, -1, 1, func(x []Node) Node { return Gather(x[0], index(x[0], 2, 0, 2, 1)) }},
		{OpGather, [][]int{{3, 2}}, -1, 1, func(x []Node) Node { return Gather(x[0], x[0].Graph().Const(1)) }},
		{OpScatterAdd, [][]int{{4, 2}}, -1, 1, func(x []Node) Node {
			return ScatterAdd([]int{3, 2}, x[0], index(x[0], 2, 0, 2, 1))
		}},

		{OpSum, [][]int{{2, 3, 4}}, -1, 1, func(x []Node) Node { return Sum(x[0], 2, 0) }},
		{OpSum, [][]int{{2, 3}}, -1, 1, func(x []Node) Node { return SumAll(x[0]) }},
		{OpSum, [][]int{{2, 3}, {}}, .5, 1, func(x []Node) Node {
			return Sum(Mul(Log(Broadcast(x[0], []int{2, 4, 3}, []int{0, 2})), x[1]), 1, 2)
		}},
		{OpMax, [][]int{{2, 3, 4}}, -1, 1, func(x []Node) Node { return Max(x[0], 1) }},
		{OpMax, [][]int{{5}}, -1, 1, func(x []Node) Node { return Max(x[0], 0) }},
		{OpMin, [][]int{{2, 3, 4}}, -1, 1, func(x []Node) Node { return Min(x[0], 0, 2) }},
		{OpLogSumExp, [][]int{{2, 3, 4}}, -1, 1, func(x []Node) Node { return LogSumExp(x[0], 1) }},
		{OpLogSumExp, [][]int{{5}}, -1, 1, func(x []Node) Node { return LogSumExp(x[0], 0) }},
		{OpCumSum, [][]int{{2, 3, 2}}, -1, 1, func(x []Node) Node { return CumSum(x[0], 1, false) }},
		{OpCumSum, [][]int{{2, 3, 2}}, -1, 1, func(x []Node) Node { return CumSum(x[0], 0, true) }},

		matMul([]int{2, 3}, []int{3, 4}, false, false),
		matMul([]int{3, 2}, []int{3, 4}, true, false),
		matMul([]int{2, 3}, []int{4, 3}, false, true),
		matMul([]int{3, 2}, []int{4, 3}, true, true),
		matMul([]int{1, 3}, []int{3, 1}, false, false),
		matMul([]int{5, 2, 3}, []int{5, 3, 4}, false, false),
		matMul([]int{5, 3, 2}, []int{5, 4, 3}, true, true),
		matMul([]int{5, 2, 3}, []int{3, 4}, false, false),
		matMul([]int{5, 2, 3}, []int{4, 3}, false, true),
		matMul([]int{5, 3, 2}, []int{3, 4}, true, false),
		matMul([]int{2, 3}, []int{5, 3, 4}, false, false),
		matMul([]int{3, 2}, []int{5, 4, 3}, true, true),

		sumOfProducts([]int{5, 2, 3}, []int{5, 3, 4}, false, false),
		sumOfProducts([]int{5, 3, 2}, []int{5, 4, 3}, true, true),
		sumOfProducts([]int{2, 5, 3, 2}, []int{2, 5, 3, 4}, true, false),
		sumOfProducts([]int{5, 2, 1}, []int{5, 4, 1}, false, true),

		{OpCholesky, [][]int{{3, 3}}, -1, 1, func(x []Node) Node { return Cholesky(definite(x[0])) }},
		{OpCholesky, [][]int{{2, 3, 3}}, -1, 1, func(x []Node) Node { return Cholesky(definite(x[0])) }},
		{OpEigen, [][]int{{3, 3}}, -1, 1, func(x []Node) Node { return Eigen(definite(x[0])) }},
		{OpEigen, [][]int{{2, 3, 3}}, -1, 1, func(x []Node) Node { return Eigen(definite(x[0])) }},
		{OpTriSolve, [][]int{{3, 3}, {3, 2}}, .5, 1.5, func(x []Node) Node { return TriSolve(x[0], x[1], false) }},
		{OpTriSolve, [][]int{{3, 3}, {3, 2}}, .5, 1.5, func(x []Node) Node { return TriSolve(x[0], x[1], true) }},
		{OpTriSolve, [][]int{{2, 3, 3}, {2, 3, 1}}, .5, 1.5, func(x []Node) Node { return TriSolve(x[0], x[1], true) }},

		{OpCholeskyPull, [][]int{{3, 3}, {3, 3}}, .5, 1.5, func(x []Node) Node { return CholeskyPull(x[0], x[1]) }},
		{OpCholeskyPull, [][]int{{2, 3, 3}, {2, 3, 3}}, .5, 1.5,
			func(x []Node) Node { return CholeskyPull(x[0], x[1]) }},

		{OpScan, [][]int{{2}, {4, 2}, {}}, -1, 1, func(x []Node) Node {
			return Scan(x[0], x[1:2], x[2:], false, func(c Node, x, s []Node) Node {
				return Sin(Add(Mul(c, s[0]), x[0]))
			})
		}},
	}
}

func matMul(a, b []int, transA, transB bool) example {
	return example{OpMatMul, [][]int{a, b}, -1, 1, func(x []Node) Node { return MatMul(x[0], x[1], transA, transB) }}
}

func sumOfProducts(a, b []int, transA, transB bool) example {
	build := func(x []Node) Node {
		plain := MatMul(x[0], x[1], transA, transB)
		return Sum(plain, iotaFrom(0, plain.Rank()-2)...)
	}
	return example{OpMatMul, [][]int{a, b}, -1, 1, build}
}

func index(x Node, at ...float64) Node { return x.Graph().Data("index", at, len(at)) }

// definite returns xxᵀ with 1 added to every element. It is positive definite for almost all x.
func definite(x Node) Node {
	return Add(MatMul(x, x, false, true), x.Graph().Const(1))
}

// instance builds the example with inputs x0, x1, …, and draws their values with a fixed seed.
func (e example) instance() (y Node, xs []Node, values map[string][]float64) {
	g, r := New(), rand.New(rand.NewPCG(7, 1))
	values = map[string][]float64{}
	for i, shape := range e.shapes {
		x := g.Input(fmt.Sprintf("x%d", i), shape...)
		for range x.Size() {
			values[x.Op().Name] = append(values[x.Op().Name], e.lo+(e.hi-e.lo)*r.Float64())
		}
		xs = append(xs, x)
	}
	return e.build(xs), xs, values
}

func (e example) name() string { return fmt.Sprintf("%v%v[%v,%v)", e.kind, e.shapes, e.lo, e.hi) }
