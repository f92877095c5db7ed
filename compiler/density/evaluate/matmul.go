package evaluate

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
)

// matmul contracts the last axis of x with the first of y. If x and y have no index in common, it is one matrix product
// over all their bound axes; otherwise it is an elementwise product and a sum.
func (e *Evaluator) matmul(m *model.MatMul) Value {
	x, y := e.Expr(m.X), e.Expr(m.Y)
	common := slices.ContainsFunc(x.Bound, func(i *model.Index) bool { return slices.Contains(y.Bound, i) })
	if common {
		return e.contract(m, x, y)
	}
	k := e.Box(x.Axes[len(x.Axes)-1]).Size()
	rows, cols := x.Node.Size()/max(k, 1), y.Node.Size()/max(k, 1)
	if k == 0 {
		return e.contract(m, x, y)
	}
	left := autodiff.Reshape(x.Node, rows, k)
	first := append([]int{len(y.Bound)}, AxesBut(y.Rank(), len(y.Bound))...) // the contracted axis of y first
	right := autodiff.Reshape(autodiff.Permute(y.Node, first...), k, cols)
	n := autodiff.MatMul(left, right, false, false)
	xs, ys := x.Axes[:len(x.Axes)-1], y.Axes[1:]
	shape := append(e.Shape(x.Bound, xs), e.Shape(y.Bound, ys)...)
	n = autodiff.Reshape(n, shape...)
	return e.ordered(n, x.Bound, xs, y.Bound, ys)
}

// largeProduct is the number of multiplications above which a sum of products is computed as a matrix product.
const largeProduct = 1 << 16

// sumOfProducts returns a large sum of x * y as a matrix product, if the indices of the sum are all the indices that x
// and y have in common:
//
//	sum(p in P, c in C: w[k, p, c] * u[i, p, c])    [k, (p, c)] · [(p, c), i]
func (e *Evaluator) sumOfProducts(s *model.Reduce) (Value, bool) {
	body, ok := s.X.(*model.Apply)
	if !ok || body.Name != "*" || len(body.Args) != 2 || body.Static || len(body.Type.Axes) > 0 {
		return Value{}, false
	}
	x, y := e.Expr(body.Args[0]), e.Expr(body.Args[1])
	over := func(i *model.Index) bool { return slices.Contains(s.Over, i) }
	xs, ys := slices.DeleteFunc(slices.Clone(x.Bound), over), slices.DeleteFunc(slices.Clone(y.Bound), over)
	m, n := Product(e.Shape(xs, nil)), Product(e.Shape(ys, nil))
	if n > m {
		x, y, xs, ys, m, n = y, x, ys, xs, n, m
	}
	k := Product(e.Shape(s.Over, nil))
	contracted := func(v Value, rest []*model.Index) bool { return len(v.Bound) == len(rest)+len(s.Over) }
	if !contracted(x, xs) || !contracted(y, ys) || sharesIndex(xs, ys) || n < 2 || m*n*k < largeProduct {
		return Value{}, false
	}
	if e.Rows != nil && slices.Contains(xs, e.Rows.Batch()) { // in the order of memory, in which rows are outermost
		xs = append([]*model.Index{e.Rows.Batch()}, slices.DeleteFunc(xs, e.isBatch)...)
	}
	left := autodiff.Reshape(e.Arranged(x, slices.Concat(xs, s.Over)), m, k)
	right := autodiff.Reshape(e.Arranged(y, slices.Concat(ys, s.Over)), n, k)
	product := autodiff.Reshape(autodiff.MatMul(left, right, false, true), e.Shape(slices.Concat(xs, ys), nil)...)
	return Value{product, slices.Concat(xs, ys), nil}.Sorted(), true
}

func (e *Evaluator) isBatch(i *model.Index) bool { return i == e.Rows.Batch() }

// ordered permutes [x bound, x axes, y bound, y axes] to [bound sorted, x axes, y axes].
func (e *Evaluator) ordered(n Node, xb []*model.Index, xs []*model.Set, yb []*model.Index, ys []*model.Set) Value {
	bound := Union(Value{Bound: xb}, Value{Bound: yb})
	var perm []int
	for _, i := range bound {
		if k := slices.Index(xb, i); k >= 0 {
			perm = append(perm, k)
		} else {
			perm = append(perm, len(xb)+len(xs)+slices.Index(yb, i))
		}
	}
	for k := range xs {
		perm = append(perm, len(xb)+k)
	}
	for k := range ys {
		perm = append(perm, len(xb)+len(xs)+len(yb)+k)
	}
	return Value{autodiff.Permute(n, perm...), bound, append(slices.Clone(xs), ys...)}
}

// AxesBut returns the numbers of all axes of a rank except one.
func AxesBut(rank, but int) (out []int) {
	for k := range rank {
		if k != but {
			out = append(out, k)
		}
	}
	return out
}

// contract returns Σ_k x[…, k] y[k, …] by broadcasting.
func (e *Evaluator) contract(m *model.MatMul, x, y Value) Value {
	bound := Union(x, y)
	b, nx, ny := len(bound), len(x.Axes), len(y.Axes)
	shape := append(e.Shape(bound, x.Axes), e.Shape(nil, y.Axes[1:])...)
	to := func(v Value, own func(k int) int) []int {
		var out []int
		for _, i := range v.Bound {
			out = append(out, slices.Index(bound, i))
		}
		for k := range v.Axes {
			out = append(out, own(k))
		}
		return out
	}
	left := autodiff.Broadcast(x.Node, shape, to(x, func(k int) int { return b + k }))
	right := autodiff.Broadcast(y.Node, shape, to(y, func(k int) int { return b + nx - 1 + k }))
	n := autodiff.Sum(autodiff.Mul(left, right), b+nx-1)
	return Value{n, bound, append(slices.Clone(x.Axes[:nx-1]), y.Axes[1:ny]...)}
}
