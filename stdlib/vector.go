package stdlib

import (
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// vectorDists lists distributions of vectors and matrices.
var vectorDists = []Dist{
	{
		Name: "Dirichlet", Event: 1, Support: types.Simplex,
		Doc: "Dirichlet on simplices: Gamma(sum a) / prod Gamma(a[k]) prod x[k]^(a[k]-1) with a = concentration, " +
			"a density in the first K-1 elements",
		Source: "Kotz, Balakrishnan & Johnson, Continuous Multivariate Distributions 1, ch. 49",
		Forms: []Form{{Args: args(array("concentration", 1, posDomain)),
			LogProb: func(x Node, a []Node) Node {
				norm := ad.Sub(ad.Lgamma(sumLast(a[0], 1)), sumLast(ad.Lgamma(a[0]), 1))
				power := lift(plus(a[0], -1), 1, plates(x, 1), lastShape(x, 1))
				return ad.Add(norm, sumLast(ad.MulZero(power, ad.Log(x)), 1))
			},
			Sample: func(r *rand.Rand, a [][]float64, out []float64) { drawDirichlet(r, a[0], out) }}},
	},
	{
		Name: "Multinomial", Event: 1, Support: types.IntRange, Lo: 0, Hi: inf,
		Doc:    "Multinomial, counts of n draws from p: n! prod p[k]^x[k] / x[k]!; logits are log p up to a constant",
		Source: "Johnson, Kotz & Balakrishnan, Discrete Multivariate Distributions, ch. 35",
		Forms: []Form{
			{Args: args(count("n"), ofKind("p", 1, types.Simplex)),
				LogProb: func(x Node, a []Node) Node {
					p := lift(a[1], 1, plates(x, 1), lastShape(x, 1))
					return multinomialLogProb(x, a[0], xlogy(x, p))
				},
				Sample: func(r *rand.Rand, a [][]float64, out []float64) { drawMultinomial(r, a[0][0], a[1], out) }},
			{Args: args(count("n"), array("logits", 1, realDomain)),
				LogProb: func(x Node, a []Node) Node {
					logP := lift(logSoftmax(a[1], a[1].Rank()-1), 1, plates(x, 1), lastShape(x, 1))
					return multinomialLogProb(x, a[0], ad.MulZero(x, logP))
				},
				Sample: func(r *rand.Rand, a [][]float64, out []float64) {
					p := make([]float64, len(out))
					softmax(a[1], p)
					drawMultinomial(r, a[0][0], p, out)
				}},
		},
	},
	{
		Name: "DirichletMultinomial", Event: 1, Support: types.IntRange, Lo: 0, Hi: inf,
		Doc: "Dirichlet-multinomial, Multinomial(n, p) with p from Dirichlet(a): n! Gamma(A) / Gamma(n+A) prod " +
			"Gamma(x[k]+a[k]) / (x[k]! Gamma(a[k])) with A = sum a",
		Source: "Johnson, Kotz & Balakrishnan, Discrete Multivariate Distributions, section 35.13",
		Forms: []Form{{Args: args(count("n"), array("concentration", 1, posDomain)),
			LogProb: dirichletMultinomialLogProb,
			Sample: func(r *rand.Rand, a [][]float64, out []float64) {
				p := make([]float64, len(out))
				drawDirichlet(r, a[1], p)
				drawMultinomial(r, a[0][0], p, out)
			}}},
	},
	{
		Name: "MvNormal", Event: 1, Support: types.RealLine,
		Doc: "Multivariate normal: exp(-(x - mu)' cov^-1 (x - mu) / 2) / sqrt((2 pi)^D det cov); cov = chol chol' " +
			"= prec^-1 = diag(sd) corr diag(sd) = cov_factor cov_factor' + diag(cov_diag)",
		Source: "Kotz, Balakrishnan & Johnson, Continuous Multivariate Distributions 1, ch. 45",
		Forms: []Form{
			{Args: args(array("mu", 1, realDomain), ofKind("cov", 2, types.Covariance)),
				LogProb: func(x Node, a []Node) Node { return mvNormalCore(centred(x, a[0]), ad.Cholesky(a[1])) },
				Marginal: func(x, seen Node, a []Node) Node {
					return mvNormalMarginal(centred(x, a[0]), seen, a[1])
				},
				Sample: drawMvNormalCov,
				Given: func(r *rand.Rand, a [][]float64, known []bool, out []float64) {
					drawMvNormalGiven(r, a[0], a[1], known, out)
				}},
			{Args: args(array("mu", 1, realDomain), ofKind("chol", 2, types.CholeskyCov)),
				LogProb: func(x Node, a []Node) Node { return mvNormalCore(centred(x, a[0]), a[1]) },
				Marginal: func(x, seen Node, a []Node) Node {
					return mvNormalMarginal(centred(x, a[0]), seen, crossed(a[1]))
				},
				Sample: drawMvNormalChol,
				Given: func(r *rand.Rand, a [][]float64, known []bool, out []float64) {
					drawMvNormalGiven(r, a[0], squared(a[1], len(out), len(out)), known, out)
				}},
			{Args: args(array("mu", 1, realDomain), ofKind("prec", 2, types.Covariance)),
				LogProb: func(x Node, a []Node) Node { return mvNormalPrecision(centred(x, a[0]), ad.Cholesky(a[1])) },
				Marginal: func(x, seen Node, a []Node) Node {
					return mvNormalMarginal(centred(x, a[0]), seen, inverseSPD(a[1]))
				},
				Sample: drawMvNormalPrec},
			{Args: args(array("mu", 1, realDomain), array("sd", 1, posDomain), ofKind("corr", 2, types.Correlation)),
				LogProb: func(x Node, a []Node) Node {
					z, sd := standardised(x, a[0], a[1])
					return ad.Sub(mvNormalCore(z, ad.Cholesky(a[2])), sumLast(ad.Log(sd), 1))
				},
				Marginal: func(x, seen Node, a []Node) Node {
					z, sd := standardised(x, a[0], a[1])
					return ad.Sub(mvNormalMarginal(z, seen, a[2]), sumLast(ad.MulZero(seen, ad.Log(sd)), 1))
				},
				Sample: drawMvNormalCorr,
				Given: func(r *rand.Rand, a [][]float64, known []bool, out []float64) {
					drawMvNormalGiven(r, a[0], scaledCovariance(a[1], a[2], len(out)), known, out)
				}},
			{Args: args(array("mu", 1, realDomain), Arg{Name: "cov_factor", Rank: 2, Domain: realDomain, Columns: true},
				array("cov_diag", 1, posDomain)),
				LogProb: func(x Node, a []Node) Node { return lowRankCore(centred(x, a[0]), a[1], a[2]) },
				Marginal: func(x, seen Node, a []Node) Node {
					return lowRankMarginal(centred(x, a[0]), seen, a[1], a[2])
				},
				Sample: drawLowRank,
				Given: func(r *rand.Rand, a [][]float64, known []bool, out []float64) {
					drawMvNormalGiven(r, a[0], lowRankCovariance(a[1], a[2], len(out)), known, out)
				}},
		},
	},
	{
		Name: "MvStudentT", Event: 1, Support: types.RealLine,
		Doc: "Multivariate Student's t: Gamma((nu+D)/2) / (Gamma(nu/2) sqrt((nu pi)^D det scale)) (1 + (x - mu)' " +
			"scale^-1 (x - mu) / nu)^(-(nu+D)/2); scale = chol chol', the covariance is nu / (nu - 2) scale",
		Source: "Kotz & Nadarajah 2004, Multivariate t Distributions and Their Applications, section 1.1",
		Forms: []Form{
			{Args: args(positive("nu"), array("mu", 1, realDomain), ofKind("scale", 2, types.Covariance)),
				LogProb: func(x Node, a []Node) Node {
					return mvStudentCore(a[0], centred(x, a[1]), ad.Cholesky(a[2]))
				},
				Marginal: func(x, seen Node, a []Node) Node {
					return mvStudentMarginal(a[0], centred(x, a[1]), seen, a[2])
				},
				Sample: func(r *rand.Rand, a [][]float64, out []float64) {
					drawMvStudent(r, a[0][0], a[1], factor(a[2], len(out)), out)
				},
				Given: func(r *rand.Rand, a [][]float64, known []bool, out []float64) {
					drawMvStudentGiven(r, a[0][0], a[1], a[2], known, out)
				}},
			{Args: args(positive("nu"), array("mu", 1, realDomain), ofKind("chol", 2, types.CholeskyCov)),
				LogProb: func(x Node, a []Node) Node { return mvStudentCore(a[0], centred(x, a[1]), a[2]) },
				Marginal: func(x, seen Node, a []Node) Node {
					return mvStudentMarginal(a[0], centred(x, a[1]), seen, crossed(a[2]))
				},
				Sample: func(r *rand.Rand, a [][]float64, out []float64) {
					drawMvStudent(r, a[0][0], a[1], a[2], out)
				},
				Given: func(r *rand.Rand, a [][]float64, known []bool, out []float64) {
					drawMvStudentGiven(r, a[0][0], a[1], squared(a[2], len(out), len(out)), known, out)
				}},
		},
	},
	{
		Name: "UniformDirection", Event: 1, Support: types.UnitVector,
		Doc:    "Uniform on the unit sphere in D dimensions: Gamma(D/2) / (2 pi^(D/2)), a density in the sphere's area",
		Source: "Mardia & Jupp, Directional Statistics, section 9.3.1",
		Forms: []Form{{
			LogProb: func(x Node, _ []Node) Node {
				half := float64(lastSize(x)) / 2
				gamma, _ := math.Lgamma(half)
				return x.Graph().Full(gamma-ln2-half*math.Log(math.Pi), plates(x, 1)...)
			},
			Sample: drawDirection}},
	},
	{
		Name: "LKJ", Event: 2, Support: types.Correlation,
		Doc: "LKJ on correlation matrices: det(x)^(eta-1) / c(eta, D), a density in the elements below the " +
			"diagonal; uniform for eta = 1",
		Source: "Lewandowski, Kurowicka & Joe 2009, Journal of Multivariate Analysis 100, 1989, eq. 16",
		Forms: []Form{{Args: args(positive("eta")),
			LogProb: func(x Node, a []Node) Node {
				logDet := times(2, sumLast(ad.Log(Diagonal(ad.Cholesky(x))), 1))
				return ad.Add(ad.Neg(lkjLogNorm(a[0], lastSize(x))), ad.Mul(plus(a[0], -1), logDet))
			},
			Sample: func(r *rand.Rand, a [][]float64, out []float64) { drawLKJ(r, a[0][0], out) }}},
	},
}

func lastShape(x Node, r int) []int { return x.Shape()[x.Rank()-r:] }

// ofSum returns logp if the counts x add up to n, else −∞.
func ofSum(x, n, logp Node) Node {
	return ad.Where(ad.Eq(sumLast(x, 1), n), logp, num(x, -inf))
}

// multinomialLogProb returns log(n! / ∏ x_k!) plus the sum of the terms x_k log p_k.
func multinomialLogProb(x, n, terms Node) Node {
	terms = ad.Sub(terms, ad.Lgamma(plus(x, 1)))
	return ofSum(x, n, ad.Add(ad.Lgamma(plus(n, 1)), sumLast(terms, 1)))
}

func dirichletMultinomialLogProb(x Node, args []Node) Node {
	n, a := args[0], args[1]
	norm := ad.Sub(ad.Lgamma(plus(n, 1)), logRising(n, sumLast(a, 1)))
	a = lift(a, 1, plates(x, 1), lastShape(x, 1))
	terms := ad.Sub(logRising(x, a), ad.Lgamma(plus(x, 1)))
	return ofSum(x, n, ad.Add(norm, sumLast(terms, 1)))
}

// centred returns x − mu.
func centred(x, mu Node) Node { return ad.Sub(x, lift(mu, 1, plates(x, 1), lastShape(x, 1))) }

// standardised returns (x − mu) / sd, and sd with the shape of x.
func standardised(x, mu, sd Node) (z, each Node) {
	each = lift(sd, 1, plates(x, 1), lastShape(x, 1))
	return ad.Div(centred(x, mu), each), each
}

// mvNormalCore returns −|L⁻¹d|²/2 − log det L − D/2 log 2π. L has the plates of d or none.
func mvNormalCore(d, l Node) Node {
	z := solve(l, d)
	norm := plus(sumLast(ad.Log(Diagonal(l)), 1), float64(lastSize(d))*logSqrt2Pi)
	return ad.Sub(ad.Neg(norm), times(0.5, sumLast(square(z), 1)))
}

// lowRankCore returns the log density at d = x − mu for the covariance W Wᵀ + diag v, where W has K columns. It
// factorises only the K × K matrix C = I + Wᵀ diag(v)⁻¹ W, by Woodbury's identity and the matrix determinant lemma: −(Σ
// d²/v − |L⁻¹ Wᵀ(d/v)|²)/2 − log det L − Σ log v/2 − D/2 log 2π with L Lᵀ = C.
func lowRankCore(d, w, v Node) Node {
	of, n, k := plates(w, 2), lastSize(d), lastSize(w)
	if v.Rank()-1 > len(of) {
		of = plates(v, 1)
	}
	w, v = lift(w, 2, of, []int{n, k}), lift(v, 1, of, []int{n}) // v may be one number
	c := ad.MatMul(w, ad.Div(w, spread(v, w.Shape())), true, false)
	l := ad.Cholesky(ad.Add(c, identityLike(c)))
	logDet := ad.Add(sumLast(ad.Log(Diagonal(l)), 1), times(0.5, sumLast(ad.Log(v), 1)))
	scaled := ad.Div(d, lift(v, 1, plates(d, 1), []int{n}))
	rows := join(plates(d, 1), n, k)
	seen := ad.Sum(ad.Mul(lift(w, 2, plates(d, 1), []int{n, k}), spread(scaled, rows)), len(rows)-2)
	q := ad.Sub(sumLast(ad.Mul(d, scaled), 1), sumLast(square(solve(l, seen)), 1))
	return ad.Sub(times(-0.5, q), plus(logDet, float64(n)*logSqrt2Pi))
}

// mvStudentCore returns log Γ((ν+D)/2)/Γ(ν/2) − D/2 log νπ − log det L − (ν+D)/2 log(1 + |L⁻¹d|²/ν).
func mvStudentCore(nu, d, l Node) Node { return mvStudentOf(nu, d, l, num(nu, float64(lastSize(d))/2)) }

// mvStudentOf is mvStudentCore with half = D/2 given.
func mvStudentOf(nu, d, l, half Node) Node {
	norm := ad.Sub(logRising(half, times(0.5, nu)), ad.Mul(half, ad.Log(times(math.Pi, nu))))
	size := ad.Sub(norm, sumLast(ad.Log(Diagonal(l)), 1))
	q := sumLast(square(solve(l, d)), 1)
	return ad.Sub(size, ad.Mul(ad.Add(times(0.5, nu), half), ad.Log1p(ad.Div(q, nu))))
}

// mvNormalPrecision returns −|Lᵀd|²/2 + log det L − D/2 log 2π, where L Lᵀ is the precision.
func mvNormalPrecision(d, l Node) Node {
	z := asRows(d, l, func(rows Node) Node { return ad.MatMul(l, rows, true, false) })
	norm := plus(sumLast(ad.Log(Diagonal(l)), 1), -float64(lastSize(d))*logSqrt2Pi)
	return ad.Sub(norm, times(0.5, sumLast(square(z), 1)))
}

// solve returns L⁻¹ d for each plate.
func solve(l, d Node) Node {
	return asRows(d, l, func(rows Node) Node { return ad.TriSolve(l, rows, false) })
}

// asRows applies f to the vectors d, of shape [plates, D], as columns. If l has plates, each is a matrix of one column;
// otherwise all vectors are the columns of one matrix.
func asRows(d, l Node, f func(Node) Node) Node {
	shape, n := d.Shape(), lastSize(d)
	if l.Rank() > 2 || d.Rank() == 1 {
		return ad.Reshape(f(ad.Reshape(d, join(shape, 1)...)), shape...)
	}
	columns := ad.Permute(ad.Reshape(d, d.Size()/n, n), 1, 0)
	return ad.Reshape(ad.Permute(f(columns), 1, 0), shape...)
}

// Diagonal returns m[…, i, i].
func Diagonal(m Node) Node {
	d := lastSize(m)
	index := make([]float64, m.Size()/d)
	for i := range index {
		index[i] = float64(i/d*d*d + i%d*(d+1))
	}
	at := m.Graph().Data("diagonal", index, m.Shape()[:m.Rank()-1]...)
	return ad.Gather(ad.Reshape(m, m.Size()), at)
}

// lkjLogNorm returns Σ_{k=1}^{D−1} (D−k) [(2η−2+D−k) log 2 + log B(b, b)] with b = η + (D−k−1)/2.
func lkjLogNorm(eta Node, d int) Node {
	sum := num(eta, 0)
	for k := 1; k < d; k++ {
		m := float64(d - k)
		b := plus(eta, (m-1)/2)
		term := ad.Add(times(ln2, plus(times(2, eta), m-2)), logBeta(b, b))
		sum = ad.Add(sum, times(m, term))
	}
	return sum
}
