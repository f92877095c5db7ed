package autodiff

// linearToArg returns the pullback of linear algebra: Iain Murray, Differentiation of the Cholesky decomposition
// (2016), arXiv:1602.07527, and the rules for products and solves that it uses.
func linearToArg(n, bar Node, k int) Node {
	switch n.op.Kind {
	case OpMatMul:
		return productToArg(n, bar, k)
	case OpCholesky:
		return CholeskyPull(n, bar)
	case OpEigen:
		return eigenToArg(n, bar)
	case OpTriSolve:
		return solveToArg(n, bar, k)
	case OpCholeskyPull:
		return pullToArg(n, bar, k)
	}
	bug("%v has no gradient", n.op)
	return Node{}
}

// productToArg returns the pullback of C = A·B: Ā = C̄·Bᵀ and B̄ = Aᵀ·C̄. Stored transposes swap the factors; the
// gradient of a shared operand is summed over batches.
func productToArg(n, bar Node, k int) Node {
	a, b, ta, tb := n.args[0], n.args[1], n.op.TransA, n.op.TransB
	var d Node
	switch {
	case k == 0 && !ta:
		d = MatMul(bar, b, false, !tb)
	case k == 0:
		d = MatMul(b, bar, tb, true)
	case !tb:
		d = MatMul(a, bar, !ta, false)
	default:
		d = MatMul(bar, a, true, ta)
	}
	return Sum(d, iota0(d.Rank()-n.args[k].Rank())...)
}

// pullToArg returns the pullback of CholeskyPull. S = ½ L⁻ᵀ(P + Pᵀ)L⁻¹ with P = Φ(LᵀB), B = tril(L̄), Φ the lower
// triangle with its diagonal halved (Murray's equation 10, made symmetric). With T the symmetric part of S̄ and M =
// Φ(L⁻¹TL⁻ᵀ), the part for L̄ is tril(LM) and that for L tril(BMᵀ − 2·S·T·L⁻ᵀ).
func pullToArg(s, bar Node, k int) Node {
	l, c := s.args[0], s.Graph().Const
	low := triangle(l)
	factor := Mul(low, l)
	t := Mul(c(.5), Add(bar, transpose(bar)))
	m := Mul(halfTriangle(l), TriSolve(l, transpose(TriSolve(l, t, false)), false))
	if k == 1 {
		return Mul(low, MatMul(factor, m, false, false))
	}
	through := transpose(TriSolve(l, MatMul(t, s, false, false), false))
	return Mul(low, Sub(MatMul(Mul(low, s.args[1]), m, false, true), Mul(c(2), through)))
}

// eigenToArg returns Ā, the symmetric part of V (diag Λ̄ + F ∘ VᵀV̄) Vᵀ, where Λ̄ and V̄ are the two parts of bar and
// F_ij = 1/(λ_j − λ_i) (Giles 2008, Collected matrix derivative results for forward and reverse mode algorithmic
// differentiation, 3.1). The rotation of v_i towards v_j has gradient (antisymmetric part of VᵀV̄)_ij divided by the
// gap between eigenvalues. If a function does not depend on the choice of eigenvectors for equal eigenvalues, that
// quotient has a limit; rounding changes it by about 1e-16 divided by gap/max|λ|, as TestNearEqualEigenvalues measures.
// For other functions it tends to infinity, as their derivative does. Below a gap of 1e-14 max|λ| the quotient would be
// rounding error only and is omitted: this is correct for functions of eigenvalues, but not for others.
func eigenToArg(n, bar Node) Node {
	r := n.Rank()
	columns := n.Shape()[r-1]
	values, v := EigenParts(n)
	dValues, dVectors := EigenParts(bar)
	shape, c := v.Shape(), n.Graph().Const
	of := func(x Node, axis int) Node { return Broadcast(x, shape, append(iota0(r-2), axis)) }
	gap := Sub(of(values, r-1), of(values, r-2))
	size := Max(Abs(values), r-2)
	near := Mul(c(1e-14), Broadcast(size, shape, iota0(r-2)))
	same := Le(Abs(gap), near)
	f := Where(same, c(0), Div(c(1), Where(same, c(1), gap)))
	row, col := rowsAndCols(v)
	middle := Add(Mul(Eq(row, col), of(dValues, r-1)), chain(MatMul(v, dVectors, true, false), f))
	if columns == 0 {
		return v
	}
	a := MatMul(MatMul(v, middle, false, false), v, false, true)
	return Mul(c(.5), Add(a, transpose(a)))
}

// solveToArg returns the pullback of a triangular solve. For X = L⁻¹B it is B̄ = L⁻ᵀX̄ and L̄ = −tril(B̄Xᵀ), and for X
// = L⁻ᵀB it is B̄ = L⁻¹X̄ and L̄ = −tril(XB̄ᵀ).
func solveToArg(x, bar Node, k int) Node {
	l, trans := x.args[0], x.op.TransA
	b := TriSolve(l, bar, !trans)
	switch {
	case k == 1:
		return b
	case trans:
		return Neg(Mul(triangle(l), MatMul(x, b, false, true)))
	}
	return Neg(Mul(triangle(l), MatMul(b, x, false, true)))
}

func transpose(x Node) Node {
	perm := iota0(x.Rank())
	r := len(perm)
	perm[r-2], perm[r-1] = r-1, r-2
	return Permute(x, perm...)
}

// rowsAndCols returns the row and column number of each element of a stack of square matrices.
func rowsAndCols(x Node) (row, col Node) {
	r := x.Rank()
	i := x.Graph().Iota(x.Shape()[r-1])
	return Broadcast(i, x.Shape(), []int{r - 2}), Broadcast(i, x.Shape(), []int{r - 1})
}

// triangle returns 1 on and below the diagonal, else 0.
func triangle(x Node) Node {
	row, col := rowsAndCols(x)
	return Le(col, row)
}

// halfTriangle returns 1 below the diagonal, ½ on it, and 0 above.
func halfTriangle(x Node) Node {
	row, col := rowsAndCols(x)
	return share(col, row)
}
