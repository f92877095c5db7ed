package autodiff

import "slices"

// MatMul returns the matrix product [B…, M, K] · [B…, K, N] = [B…, M, N]. transA and transB report whether the stored
// matrix is the transpose of the factor. Leading axes must be equal, or one operand has none and is shared by all
// batches.
func MatMul(a, b Node, transA, transB bool) Node {
	if a.Rank() < 2 || b.Rank() < 2 {
		bug("matmul of %v and %v", a.Shape(), b.Shape())
	}
	m, k := matrix(a, transA)
	k2, n := matrix(b, transB)
	batch := batchOf(a)
	if a.Rank() == 2 {
		batch = batchOf(b)
	}
	if k != k2 || b.Rank() > 2 && !slices.Equal(batchOf(b), batch) {
		bug("matmul of %v (transposed %v) and %v (transposed %v)", a.Shape(), transA, b.Shape(), transB)
	}
	shape := slices.Concat(batch, []int{m, n})
	switch {
	case k == 0:
		return a.Graph().Full(0, shape...)
	case a.Rank() > 2 && b.Rank() == 2 && !transA:
		// Compute one tall product instead of many with the same right factor.
		return Reshape(MatMul(Reshape(a, size(batch)*m, k), b, false, transB), shape...)
	}
	return a.Graph().add(Op{Kind: OpMatMul, TransA: transA, TransB: transB}, shape, a, b)
}

// matrix returns the numbers of rows and columns of the matrices in a stack, after transposing.
func matrix(x Node, trans bool) (rows, cols int) {
	s := x.Shape()[x.Rank()-2:]
	if trans {
		return s[1], s[0]
	}
	return s[0], s[1]
}

func batchOf(x Node) []int { return x.Shape()[:x.Rank()-2] }

// Cholesky returns the lower factor of each symmetric matrix of [B…, N, N], with zeros above the diagonal. It reads
// only the lower triangle. The result is NaN if the matrix is not positive definite.
func Cholesky(a Node) Node {
	square(OpCholesky, a)
	return a.Graph().add(Op{Kind: OpCholesky}, a.Shape(), a)
}

// Eigen returns the eigendecomposition of each symmetric matrix of [B…, N, N]; it reads only the lower triangle. The
// result [B…, N+1, N] has first a row of eigenvalues in increasing order, then the matrix whose column j is the
// eigenvector of eigenvalue j. Eigenvectors have length 1, and their first element that is not within 1e-8 of 0 is
// positive. The result is NaN if the matrix is not finite.
func Eigen(a Node) Node {
	square(OpEigen, a)
	n := a.Shape()[a.Rank()-1]
	return a.Graph().add(Op{Kind: OpEigen}, append(slices.Clone(batchOf(a)), n+1, n), a)
}

// EigenParts splits a result of Eigen into eigenvalues [B…, N] and eigenvectors [B…, N, N].
func EigenParts(e Node) (values, vectors Node) {
	s := e.Shape()
	r, n := len(s), s[len(s)-1]
	lo, hi := make([]int, r), slices.Clone(s)
	hi[r-2] = 1
	values = Reshape(Slice(e, lo, hi), append(slices.Clone(s[:r-2]), n)...)
	lo, hi = make([]int, r), slices.Clone(s)
	lo[r-2] = 1
	return values, Slice(e, lo, hi)
}

// TriSolve returns L⁻¹B, or L⁻ᵀB if trans, for lower triangular L [B…, N, N] and B [B…, N, M]. Elements above L's
// diagonal are not read.
func TriSolve(l, b Node, trans bool) Node {
	square(OpTriSolve, l)
	if b.Rank() != l.Rank() || !slices.Equal(b.Shape()[:b.Rank()-1], l.Shape()[:l.Rank()-1]) {
		bug("trisolve of %v and %v", l.Shape(), b.Shape())
	}
	if b.isConst(0) {
		return b
	}
	return b.Graph().add(Op{Kind: OpTriSolve, TransA: trans}, b.Shape(), l, b)
}

// CholeskyPull returns the pullback of Cholesky at its value L, given L̄, both [B…, N, N]: the symmetric S with
// tril(2·S·L) = tril(L̄). Elements above the diagonal are not read.
func CholeskyPull(l, bar Node) Node {
	square(OpCholeskyPull, l)
	if !slices.Equal(l.Shape(), bar.Shape()) {
		bug("choleskypull of %v and %v", l.Shape(), bar.Shape())
	}
	if bar.isConst(0) {
		return bar
	}
	return l.Graph().add(Op{Kind: OpCholeskyPull}, l.Shape(), l, bar)
}

func square(k Kind, a Node) {
	if a.Rank() < 2 {
		bug("%v of %v", k, a.Shape())
	}
	if rows, cols := matrix(a, false); rows != cols {
		bug("%v of %v", k, a.Shape())
	}
}
