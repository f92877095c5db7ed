package stdlib

import (
	ad "ppl/autodiff"
)

// A MatrixFunc is a row of the table of functions of a square matrix, which is in the last two axes of x. Functions of
// symmetric matrices read only the lower triangle.
type MatrixFunc struct {
	Name  string
	Doc   string
	Drops int // number of axes of x that the result lacks
	Build func(x Node) Node
}

// MatrixFuncs returns the table of functions of square matrices by name. The caller must not modify it.
func MatrixFuncs() map[string]*MatrixFunc { return matrixFuncTable }

var matrixFuncTable = indexMatrixFuncs([]MatrixFunc{
	{Name: "cholesky", Doc: "lower triangular L with L @ transpose(L) = x, for a positive definite x",
		Build: ad.Cholesky},
	{Name: "eigenvalues", Doc: "eigenvalues of a symmetric x in increasing order", Drops: 1, Build: func(x Node) Node {
		values, _ := ad.EigenParts(ad.Eigen(x))
		return values
	}},
	{Name: "eigenvectors", Doc: "matrix whose column j is the eigenvector of length 1 for eigenvalue j of a " +
		"symmetric x; its first element that is not 0 is positive; gradients lose digits if eigenvalues are nearly " +
		"equal, and omit the rotation of eigenvectors of equal eigenvalues",
		Build: func(x Node) Node {
			_, vectors := ad.EigenParts(ad.Eigen(x))
			return vectors
		}},
	{Name: "inverse", Doc: "inverse of a square x, NaN if x is singular; for a symmetric positive definite x, " +
		"inverse_spd is faster", Build: inverse},
	{Name: "determinant", Doc: "determinant of a square x", Drops: 2, Build: determinant},
	{Name: "log_determinant", Doc: "logarithm of the absolute value of the determinant of a square x", Drops: 2,
		Build: logAbsDeterminant},
	{Name: "matrix_exp", Doc: "matrix exponential of a square x, the sum of x^k / k!", Build: matrixExp},
	{Name: "inverse_spd", Doc: "inverse of a symmetric positive definite x", Build: inverseSPD},
	{Name: "log_determinant_spd", Doc: "logarithm of the determinant of a symmetric positive definite x", Drops: 2,
		Build: func(x Node) Node {
			l := ad.Cholesky(x)
			return times(2, ad.Sum(ad.Log(diagonalOf(l)), l.Rank()-2))
		}},
})

func indexMatrixFuncs(rows []MatrixFunc) map[string]*MatrixFunc {
	table := make(map[string]*MatrixFunc, len(rows))
	for _, r := range rows {
		table[r.Name] = &r
	}
	return table
}

// inverseSPD returns the inverse of a symmetric positive definite matrix, as L⁻ᵀ L⁻¹.
func inverseSPD(x Node) Node {
	return ad.TriSolve(ad.Cholesky(x), ad.TriSolve(ad.Cholesky(x), identityLike(x), false), true)
}

// identityLike returns identity matrices with the shape of x.
func identityLike(x Node) Node {
	r, n := x.Rank(), x.Shape()[x.Rank()-1]
	i := x.Graph().Iota(n)
	return ad.Eq(ad.Broadcast(i, x.Shape(), []int{r - 2}), ad.Broadcast(i, x.Shape(), []int{r - 1}))
}

// diagonalOf returns the diagonal of each matrix of x.
func diagonalOf(x Node) Node { return ad.Sum(ad.Where(identityLike(x), x, num(x, 0)), x.Rank()-1) }
