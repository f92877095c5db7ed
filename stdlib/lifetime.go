package stdlib

import (
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// lifetimeDists lists distributions of waiting times, extremes and variances. Their supports are half-lines.
var lifetimeDists = []Dist{
	{
		Name: "LogLogistic", Support: types.Interval, Lo: 0, Hi: inf,
		Doc: "Log-logistic, the exponential of a logistic: (shape / scale) (x / scale)^(shape-1) / (1 + (x / " +
			"scale)^shape)^2",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, section 23.10",
		Forms: []Form{{Args: args(positive("scale"), positive("shape")),
			LogProb: func(x Node, a []Node) Node {
				t := ad.Log(ad.Div(x, a[0]))
				return total(ad.Log(ad.Div(a[1], a[0])), ad.MulZero(plus(a[1], -1), t),
					times(-2, ad.Softplus(ad.Mul(a[1], t))))
			},
			LogCDF:  func(x Node, a []Node) Node { return ad.LogSigmoid(ad.Mul(a[1], ad.Log(ad.Div(x, a[0])))) },
			LogCCDF: func(x Node, a []Node) Node { return ad.Neg(ad.Softplus(ad.Mul(a[1], ad.Log(ad.Div(x, a[0]))))) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] * math.Pow(r.ExpFloat64()/r.ExpFloat64(), 1/a[1])
			})}},
	},
	{
		Name: "Frechet", Support: types.Interval, Lo: 0, Hi: inf,
		Doc: "Frechet, the distribution of maxima with heavy tails: (shape / scale) (x / scale)^(-shape-1) exp(-(x / " +
			"scale)^-shape)",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, ch. 22",
		Forms: []Form{{Args: args(positive("shape"), positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				t := ad.Log(ad.Div(x, a[1]))
				return aboveZero(x, total(ad.Log(ad.Div(a[0], a[1])), ad.Neg(ad.Mul(plus(a[0], 1), t)),
					frechetLogCDF(x, a)))
			},
			LogCDF: frechetLogCDF,
			LogCCDF: func(x Node, a []Node) Node {
				return log1mExpNegExp(ad.Neg(ad.Mul(a[0], ad.Log(ad.Div(x, a[1])))))
			},
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[1] * math.Pow(r.ExpFloat64(), -1/a[0])
			})}},
	},
	{
		Name: "Rayleigh", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Rayleigh, the length of two independent Normal(0, scale): x exp(-(x / scale)^2 / 2) / scale^2",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, section 18.10",
		Forms: []Form{{Args: args(positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				return total(times(-2, ad.Log(a[0])), ad.Log(x), rayleighLogCCDF(x, a))
			},
			LogCDF:  func(x Node, a []Node) Node { return log1mexp(rayleighLogCCDF(x, a)) },
			LogCCDF: rayleighLogCCDF,
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] * math.Sqrt(2*r.ExpFloat64())
			})}},
	},
	{
		Name: "Gompertz", Support: types.Interval, Lo: 0, Hi: inf,
		Doc: "Gompertz, a hazard that grows exponentially: concentration rate exp(rate x - concentration " +
			"(exp(rate x) - 1))",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, section 10; Marshall & Olkin " +
			"2007, Life Distributions, ch. 10",
		Forms: []Form{{Args: args(positive("concentration"), positive("rate")),
			LogProb: func(x Node, a []Node) Node {
				return total(ad.Log(ad.Mul(a[0], a[1])), ad.Mul(a[1], x), gompertzLogCCDF(x, a))
			},
			LogCDF:  func(x Node, a []Node) Node { return log1mexp(gompertzLogCCDF(x, a)) },
			LogCCDF: gompertzLogCCDF,
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return math.Log1p(r.ExpFloat64()/a[0]) / a[1]
			})}},
	},
	{
		Name: "ParetoType2", Support: types.Interval, Lo: -inf, Hi: inf,
		Doc:    "Pareto of type 2, Lomax for loc = 0: (shape / scale) (1 + (x - loc) / scale)^(-shape-1) for x >= loc",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 20",
		Forms: []Form{{Args: args(real0("loc"), positive("scale"), positive("shape")),
			LogProb: func(x Node, a []Node) Node {
				return ad.Sub(ad.Log(ad.Div(a[2], a[1])), ad.Mul(plus(a[2], 1), ad.Log1p(standard(x, a))))
			},
			Bounds:  func(a []Node) (lo, hi Node) { return a[0], Node{} },
			LogCDF:  func(x Node, a []Node) Node { return log1mexp(lomaxLogCCDF(x, a)) },
			LogCCDF: lomaxLogCCDF,
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] + a[1]*math.Expm1(r.ExpFloat64()/a[2])
			})}},
	},
	{
		Name: "Levy", Support: types.Interval, Lo: -inf, Hi: inf,
		Doc: "Levy, scale over the square of a standard normal, moved to loc: sqrt(scale / (2 pi)) exp(-scale / " +
			"(2 (x - loc))) / (x - loc)^(3/2) for x > loc",
		Source: "Nolan 2020, Univariate Stable Distributions, section 1.1",
		Forms: []Form{{Args: args(real0("loc"), positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				d := ad.Sub(x, a[0])
				return aboveZero(d, total(plus(times(0.5, ad.Log(a[1])), -logSqrt2Pi), times(-1.5, ad.Log(d)),
					times(-0.5, ad.Div(a[1], d))))
			},
			Bounds:  func(a []Node) (lo, hi Node) { return a[0], Node{} },
			LogCDF:  func(x Node, a []Node) Node { return halfNormalLogCCDF(levyRoot(x, a)) },
			LogCCDF: func(x Node, a []Node) Node { return halfNormalLogCDF(levyRoot(x, a)) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				z := r.NormFloat64()
				return a[0] + a[1]/(z*z)
			})}},
	},
	{
		Name: "InverseGaussian", Support: types.Interval, Lo: 0, Hi: inf,
		Doc: "Inverse Gaussian (Wald), the time in which a Brownian motion with drift reaches a level: sqrt(shape " +
			"/ (2 pi x^3)) exp(-shape (x - mean)^2 / (2 mean^2 x))",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 15; sampler: Michael, " +
			"Schucany & Haas 1976, The American Statistician 30, 88",
		Forms: []Form{{Args: args(positive("mean"), positive("shape")),
			LogProb: func(x Node, a []Node) Node {
				z := plus(ad.Div(x, a[0]), -1)
				return aboveZero(x, total(plus(times(0.5, ad.Log(a[1])), -logSqrt2Pi), times(-1.5, ad.Log(x)),
					times(-0.5, ad.Div(ad.Mul(a[1], square(z)), x))))
			},
			LogCDF: func(x Node, a []Node) Node {
				near, far := waldTails(x, a)
				return logAddExp(ad.LogNormCDF(near), far)
			},
			LogCCDF: func(x Node, a []Node) Node {
				near, far := waldTails(x, a)
				return logDiffExp(ad.LogNormCDF(ad.Neg(near)), far)
			},
			Sample: scalar(drawWald)}},
	},
	{
		Name: "ChiSquare", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Chi-square, the sum of nu squares of standard normals: x^(nu/2-1) exp(-x/2) / (2^(nu/2) Gamma(nu/2))",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 18",
		Forms: []Form{{Args: args(positive("nu")),
			LogProb: func(x Node, a []Node) Node { return gammaLogProb(x, []Node{times(0.5, a[0]), num(a[0], 0.5)}) },
			both: func(x Node, a []Node) (lower, upper Node) {
				return logGammaTails(times(0.5, a[0]), times(0.5, x))
			},
			Sample: scalar(func(r *rand.Rand, a []float64) float64 { return 2 * drawGamma(r, a[0]/2) })}},
	},
	{
		Name: "InverseChiSquare", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "One over a chi-square: x^(-nu/2-1) exp(-1/(2 x)) / (2^(nu/2) Gamma(nu/2))",
		Source: "Gelman et al., Bayesian Data Analysis (3rd ed.), appendix A",
		Forms: []Form{{Args: args(positive("nu")),
			LogProb: func(x Node, a []Node) Node { return inverseGammaLogProb(x, times(0.5, a[0]), num(a[0], 0.5)) },
			both: func(x Node, a []Node) (lower, upper Node) {
				return inverseGammaTails(x, times(0.5, a[0]), num(a[0], 0.5))
			},
			Sample: scalar(func(r *rand.Rand, a []float64) float64 { return 0.5 / drawGamma(r, a[0]/2) })}},
	},
	{
		Name: "ScaledInverseChiSquare", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Scaled inverse chi-square, nu scale^2 over a chi-square: InverseGamma(nu/2, nu scale^2 / 2)",
		Source: "Gelman et al., Bayesian Data Analysis (3rd ed.), appendix A",
		Forms: []Form{{Args: args(positive("nu"), positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				half := times(0.5, a[0])
				return inverseGammaLogProb(x, half, ad.Mul(half, square(a[1])))
			},
			both: func(x Node, a []Node) (lower, upper Node) {
				half := times(0.5, a[0])
				return inverseGammaTails(x, half, ad.Mul(half, square(a[1])))
			},
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] * a[1] * a[1] / 2 / drawGamma(r, a[0]/2)
			})}},
	},
}

// frechetLogCDF returns −(x/scale)^−shape.
func frechetLogCDF(x Node, a []Node) Node {
	return ad.Neg(ad.Exp(ad.Neg(ad.Mul(a[0], ad.Log(ad.Div(x, a[1]))))))
}

func rayleighLogCCDF(x Node, a []Node) Node { return times(-0.5, square(ad.Div(x, a[0]))) }

func gompertzLogCCDF(x Node, a []Node) Node { return ad.Neg(ad.Mul(a[0], ad.Expm1(ad.Mul(a[1], x)))) }

func lomaxLogCCDF(x Node, a []Node) Node { return ad.Neg(ad.Mul(a[2], ad.Log1p(standard(x, a)))) }

// levyRoot returns |z| for x = loc + scale / z².
func levyRoot(x Node, a []Node) Node { return ad.Sqrt(ad.Div(a[1], ad.Sub(x, a[0]))) }

// waldTails returns the argument of Φ in the near tail, √λ (√x/μ − 1/√x), and the log of the far tail, e^{2λ/μ} Φ(−√λ
// (√x/μ + 1/√x)).
func waldTails(x Node, a []Node) (near, far Node) {
	root := ad.Sqrt(x)
	up, down := ad.Div(root, a[0]), ad.Div(num(x, 1), root)
	scale := ad.Sqrt(a[1])
	far = ad.LogNormCDF(ad.Neg(ad.Mul(scale, ad.Add(up, down))))
	return ad.Mul(scale, ad.Sub(up, down)), ad.Add(times(2, ad.Div(a[1], a[0])), far)
}

// drawWald draws the smaller root x of λ(x − μ)² / (μ²x) = z² or the other root μ²/x. It computes the smaller root as
// μ/(1 + w + √(2w + w²)), which does not cancel.
func drawWald(r *rand.Rand, a []float64) float64 {
	mean, z := a[0], r.NormFloat64()
	w := mean * z * z / (2 * a[1])
	x := mean / (1 + w + math.Sqrt(w*(2+w)))
	if r.Float64()*(mean+x) > mean {
		return mean * mean / x
	}
	return x
}
