package stdlib

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// matrixDists lists distributions of covariance matrices, of their Cholesky factors, and of matrices of normals.
var matrixDists = []Dist{
	{
		Name: "LKJCholesky", Event: 2, Support: types.CholeskyCorr,
		Doc: "Cholesky factor of an LKJ(eta) correlation matrix: prod x[j, j]^(D-j+2 eta-2) / c(eta, D), a " +
			"density in the elements below the diagonal",
		Source: "Lewandowski, Kurowicka & Joe 2009, Journal of Multivariate Analysis 100, 1989, eq. 16",
		Forms: []Form{{Args: args(positive("eta")),
			LogProb: func(x Node, a []Node) Node {
				logDiag := ad.Log(Diagonal(x))
				logDet := ad.Mul(times(2, plus(a[0], -1)), sumLast(logDiag, 1))
				return total(ad.Neg(lkjLogNorm(a[0], lastSize(x))), logDet, logCorrelationJacobian(logDiag))
			},
			Sample: func(r *rand.Rand, a [][]float64, out []float64) {
				drawLKJ(r, a[0][0], out)
				copy(out, factor(out, order(out)))
			}}},
	},
	{
		Name: "Wishart", Event: 2, Support: types.Covariance,
		Doc: "Wishart with nu > D-1 degrees of freedom: det(x)^((nu-D-1)/2) exp(-tr(scale^-1 x) / 2) / (2^(nu " +
			"D/2) det(scale)^(nu/2) Gamma_D(nu/2)), a density in the elements on and below the diagonal; scale = " +
			"chol chol', the mean is nu scale",
		Source: "Muirhead 1982, Aspects of Multivariate Statistical Theory, theorem 3.2.1",
		Forms:  matrixForms(ofCovariance(wishartLogProb), drawWishart),
	},
	{
		Name: "WishartCholesky", Event: 2, Support: types.CholeskyCov,
		Doc:    "Cholesky factor of a Wishart(nu, scale) matrix, a density in the elements on and below the diagonal",
		Source: "Muirhead 1982, Aspects of Multivariate Statistical Theory, theorems 2.1.9 and 3.2.1",
		Forms:  matrixForms(ofFactor(wishartLogProb), factored(drawWishart)),
	},
	{
		Name: "InverseWishart", Event: 2, Support: types.Covariance,
		Doc: "Inverse of a Wishart(nu, scale^-1) matrix, nu > D-1: det(scale)^(nu/2) det(x)^(-(nu+D+1)/2) " +
			"exp(-tr(scale x^-1) / 2) / (2^(nu D/2) Gamma_D(nu/2)), a density in the elements on and below the " +
			"diagonal; scale = chol chol', the mean is scale / (nu-D-1)",
		Source: "Gelman et al., Bayesian Data Analysis (3rd ed.), appendix A",
		Forms:  matrixForms(ofCovariance(inverseWishartLogProb), drawInverseWishart),
	},
	{
		Name: "InverseWishartCholesky", Event: 2, Support: types.CholeskyCov,
		Doc: "Cholesky factor of an InverseWishart(nu, scale) matrix, a density in the elements on and below " +
			"the diagonal",
		Source: "Gelman et al., Bayesian Data Analysis (3rd ed.), appendix A; Muirhead 1982, theorem 2.1.9",
		Forms:  matrixForms(ofFactor(inverseWishartLogProb), factored(drawInverseWishart)),
	},
	{
		Name: "MatrixNormal", Event: 2, Support: types.RealLine,
		Doc: "Matrix normal, mu + R Z C' with independent standard normals Z; row_cov = R R' is of the elements " +
			"of a column, col_cov = C C' of those of a row; row_chol = R, col_chol = C",
		Source: "Gupta & Nagar 2000, Matrix Variate Distributions, section 2.2",
		Forms: []Form{
			{Args: args(array("mu", 2, realDomain), ofKind("row_cov", 2, types.Covariance),
				ofKind("col_cov", 2, types.Covariance)),
				LogProb: func(x Node, a []Node) Node {
					return matrixNormalLogProb(x, a[0], ad.Cholesky(a[1]), ad.Cholesky(a[2]))
				},
				Sample: func(r *rand.Rand, a [][]float64, out []float64) {
					rows, cols := order(a[1]), order(a[2])
					drawMatrixNormal(r, a[0], dense(factor(a[1], rows)), dense(factor(a[2], cols)), out)
				}},
			{Args: args(array("mu", 2, realDomain), ofKind("row_chol", 2, types.CholeskyCov),
				ofKind("col_chol", 2, types.CholeskyCov)),
				LogProb: func(x Node, a []Node) Node { return matrixNormalLogProb(x, a[0], a[1], a[2]) },
				Sample: func(r *rand.Rand, a [][]float64, out []float64) {
					drawMatrixNormal(r, a[0], dense(a[1]), dense(a[2]), out)
				}},
		},
	},
}

// A factorDensity returns the log density of a covariance X = L Lᵀ with scale matrix S Sᵀ, from the factors L and S.
type factorDensity func(l, nu, s Node) Node

// matrixForms returns the form with the scale matrix and the form with its Cholesky factor.
func matrixForms(logProb func(x, nu, s Node) Node, draw func(r *rand.Rand, nu float64, s *mat.Dense,
	out []float64)) []Form {
	return []Form{
		{Args: args(positive("nu"), ofKind("scale", 2, types.Covariance)),
			LogProb: func(x Node, a []Node) Node { return logProb(x, a[0], ad.Cholesky(a[1])) },
			Sample: func(r *rand.Rand, a [][]float64, out []float64) {
				draw(r, a[0][0], dense(factor(a[1], order(out))), out)
			}},
		{Args: args(positive("nu"), ofKind("chol", 2, types.CholeskyCov)),
			LogProb: func(x Node, a []Node) Node { return logProb(x, a[0], a[1]) },
			Sample:  func(r *rand.Rand, a [][]float64, out []float64) { draw(r, a[0][0], dense(a[1]), out) }},
	}
}

func ofCovariance(f factorDensity) func(x, nu, s Node) Node {
	return func(x, nu, s Node) Node { return f(ad.Cholesky(x), nu, s) }
}

// ofFactor returns the density of the factor: it adds the log-Jacobian of L ↦ L Lᵀ.
func ofFactor(f factorDensity) func(x, nu, s Node) Node {
	return func(x, nu, s Node) Node { return ad.Add(f(x, nu, s), logProductJacobian(ad.Log(Diagonal(x)))) }
}

func wishartLogProb(l, nu, s Node) Node {
	d := lastSize(l)
	nu, norm := wishartNorm(nu, d)
	s = lift(s, 2, plates(l, 2), lastShape(l, 2))
	return total(norm, ad.Neg(ad.Mul(nu, logDetRoot(s))), ad.Mul(plus(nu, -float64(d+1)), logDetRoot(l)),
		times(-0.5, sumLast(square(ad.TriSolve(s, l, false)), 2)))
}

func inverseWishartLogProb(l, nu, s Node) Node {
	d := lastSize(l)
	nu, norm := wishartNorm(nu, d)
	s = lift(s, 2, plates(l, 2), lastShape(l, 2))
	return total(norm, ad.Mul(nu, logDetRoot(s)), ad.Neg(ad.Mul(plus(nu, float64(d+1)), logDetRoot(l))),
		times(-0.5, sumLast(square(ad.TriSolve(l, s, false)), 2)))
}

// wishartNorm returns −log(2^{νD/2} Γ_D(ν/2)), or −∞ unless ν > D − 1. safe is ν, or a valid value if ν is not. Γ_D(a)
// = π^{D(D−1)/4} ∏ Γ(a − j/2), j = 0..D−1 (Muirhead 1982, theorem 2.1.12).
func wishartNorm(nu Node, d int) (safe, norm Node) {
	least := float64(d - 1)
	above, penalty := positiveOnly(plus(nu, -least))
	safe = plus(above, least)
	norm = plus(ad.Add(penalty, times(-0.5*float64(d)*ln2, safe)), -0.25*float64(d)*least*math.Log(math.Pi))
	for j := range d {
		norm = ad.Sub(norm, ad.Lgamma(times(0.5, plus(safe, -float64(j)))))
	}
	return safe, norm
}

// logDetRoot returns Σ log L_ii, half the log-determinant of L Lᵀ.
func logDetRoot(l Node) Node { return sumLast(ad.Log(Diagonal(l)), 1) }

// matrixNormalLogProb returns −|Z|²/2 − q log det R − p log det C − pq/2 log 2π, where Z = R⁻¹ (x − mu) C⁻ᵀ is p × q.
func matrixNormalLogProb(x, mu, row, col Node) Node {
	of, shape := plates(x, 2), lastShape(x, 2)
	p, q := float64(shape[0]), float64(shape[1])
	norm := total(times(-q, logDetRoot(row)), times(-p, logDetRoot(col)))
	d := ad.Sub(x, lift(mu, 2, of, shape))
	z := ad.TriSolve(lift(row, 2, of, []int{shape[0], shape[0]}), d, false)
	z = ad.TriSolve(lift(col, 2, of, []int{shape[1], shape[1]}), transposed(z), false)
	return total(plus(norm, -p*q*logSqrt2Pi), times(-0.5, sumLast(square(z), 2)))
}

func transposed(m Node) Node {
	axes := iota(0, m.Rank())
	axes[m.Rank()-2], axes[m.Rank()-1] = m.Rank()-1, m.Rank()-2
	return ad.Permute(m, axes...)
}

// order returns the number of rows of a square matrix.
func order(m []float64) int { return int(math.Round(math.Sqrt(float64(len(m))))) }

func dense(m []float64) *mat.Dense { return mat.NewDense(order(m), order(m), m) }

// bartlett draws a lower triangular A such that A Aᵀ has the distribution Wishart(ν, I). Elements below the diagonal
// are standard normal. Diagonal element i, from 0, is the root of a chi-square with ν − i degrees of freedom, or NaN if
// ν ≤ i (Bartlett 1933; Muirhead 1982, theorem 3.2.14).
func bartlett(r *rand.Rand, nu float64, d int) *mat.Dense {
	a := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range i {
			a.Set(i, j, r.NormFloat64())
		}
		a.Set(i, i, math.NaN())
		if df := nu - float64(i); df > 0 {
			a.Set(i, i, math.Sqrt(2*drawGamma(r, df/2)))
		}
	}
	return a
}

// drawWishart draws S A Aᵀ Sᵀ.
func drawWishart(r *rand.Rand, nu float64, s *mat.Dense, out []float64) {
	var root mat.Dense
	root.Mul(s, bartlett(r, nu, order(out)))
	dense(out).Mul(&root, root.T())
}

// drawInverseWishart draws S A⁻ᵀ A⁻¹ Sᵀ.
func drawInverseWishart(r *rand.Rand, nu float64, s *mat.Dense, out []float64) {
	var root mat.Dense
	_ = root.Solve(bartlett(r, nu, order(out)), s.T()) // the error only means that A is ill-conditioned
	dense(out).Mul(root.T(), &root)
}

// factored returns a function that draws the lower Cholesky factor instead of the matrix.
func factored(draw func(*rand.Rand, float64, *mat.Dense, []float64)) func(*rand.Rand, float64, *mat.Dense, []float64) {
	return func(r *rand.Rand, nu float64, s *mat.Dense, out []float64) {
		draw(r, nu, s, out)
		copy(out, factor(out, order(out)))
	}
}

// drawMatrixNormal draws mu + R Z Cᵀ.
func drawMatrixNormal(r *rand.Rand, mu []float64, row, col *mat.Dense, out []float64) {
	p, q := row.RawMatrix().Rows, col.RawMatrix().Rows
	x := mat.NewDense(p, q, out)
	x.Mul(row, mat.NewDense(p, q, normals(r, p*q)))
	x.Mul(x, col.T())
	for i := range out {
		out[i] += element(mu, i)
	}
}
