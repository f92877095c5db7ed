package stdlib

import (
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// positiveDists lists distributions on 0..inf, and Pareto, whose support is another half-line.
var positiveDists = []Dist{
	{
		Name: "HalfNormal", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Absolute value of a Normal(0, sd): 2 exp(-(x / sd)^2 / 2) / (sd sqrt(2 pi))",
		Source: "Gelman 2006, Bayesian Analysis 1, 515",
		Forms: []Form{{Args: args(positive("sd")),
			LogProb: func(x Node, a []Node) Node { return ad.Add(num(x, math.Ln2), normalCore(ad.Div(x, a[0]), a[0])) },
			LogCDF:  func(x Node, a []Node) Node { return halfNormalLogCDF(ad.Div(x, a[0])) },
			LogCCDF: func(x Node, a []Node) Node { return halfNormalLogCCDF(ad.Div(x, a[0])) },
			Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return a[0] * math.Abs(r.NormFloat64()) })}},
	},
	{
		Name: "HalfStudentT", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Absolute value of a StudentT(nu, 0, sd): twice its density",
		Source: "Gelman 2006, Bayesian Analysis 1, 515",
		Forms: []Form{{Args: args(positive("nu"), positive("sd")),
			LogProb: func(x Node, a []Node) Node {
				return ad.Add(num(x, math.Ln2), studentLogProb(a[0], ad.Div(x, a[1]), a[1]))
			},
			both:   func(x Node, a []Node) (lower, upper Node) { return halfStudentTails(a[0], ad.Div(x, a[1])) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 { return a[1] * math.Abs(drawT(r, a[0])) })}},
	},
	{
		Name: "HalfCauchy", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Absolute value of a Cauchy(0, scale): 2 / (pi scale (1 + (x / scale)^2))",
		Source: "Gelman 2006, Bayesian Analysis 1, 515",
		Forms: []Form{{Args: args(positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				return ad.Add(num(x, math.Ln2), cauchyLogProb(ad.Div(x, a[0]), a[0]))
			},
			LogCDF:  func(x Node, a []Node) Node { return halfCauchyLogCDF(ad.Div(x, a[0])) },
			LogCCDF: func(x Node, a []Node) Node { return halfCauchyLogCCDF(ad.Div(x, a[0])) },
			Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return a[0] * math.Abs(drawCauchy(r)) })}},
	},
	{
		Name: "LogNormal", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Exponential of a Normal(mu, sd): exp(-((log x - mu) / sd)^2 / 2) / (x sd sqrt(2 pi))",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 14",
		Forms: []Form{{Args: args(real0("mu"), positive("sd")),
			LogProb: func(x Node, a []Node) Node {
				return aboveZero(x, ad.Sub(normalLogProb(ad.Log(x), a), ad.Log(x)))
			},
			LogCDF:  func(x Node, a []Node) Node { return ad.LogNormCDF(standard(ad.Log(x), a)) },
			LogCCDF: func(x Node, a []Node) Node { return ad.LogNormCDF(ad.Neg(standard(ad.Log(x), a))) },
			Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return math.Exp(a[0] + a[1]*r.NormFloat64()) })}},
	},
	{
		Name: "Exponential", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Exponential: rate exp(-rate x); mean = 1 / rate",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 19",
		Forms: []Form{
			{Args: args(positive("rate")),
				LogProb: func(x Node, a []Node) Node { return ad.Sub(ad.Log(a[0]), ad.Mul(a[0], x)) },
				LogCDF:  func(x Node, a []Node) Node { return log1mexp(ad.Neg(ad.Mul(a[0], x))) },
				LogCCDF: func(x Node, a []Node) Node { return ad.Neg(ad.Mul(a[0], x)) },
				Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return r.ExpFloat64() / a[0] })},
			{Args: args(positive("mean")),
				LogProb: func(x Node, a []Node) Node { return ad.Neg(ad.Add(ad.Log(a[0]), ad.Div(x, a[0]))) },
				LogCDF:  func(x Node, a []Node) Node { return log1mexp(ad.Neg(ad.Div(x, a[0]))) },
				LogCCDF: func(x Node, a []Node) Node { return ad.Neg(ad.Div(x, a[0])) },
				Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return r.ExpFloat64() * a[0] })},
		},
	},
	{
		Name: "Gamma", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Gamma: rate^shape x^(shape-1) exp(-rate x) / Gamma(shape); scale = 1 / rate, mean = shape / rate",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 17",
		Forms: []Form{
			{Args: args(positive("shape"), positive("rate")),
				LogProb: gammaLogProb, both: gammaTails,
				Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawGamma(r, a[0]) / a[1] })},
			{Args: args(positive("shape"), positive("scale")),
				LogProb: func(x Node, a []Node) Node {
					return gammaLogProb(x, []Node{a[0], ad.Div(num(a[1], 1), a[1])})
				},
				both:   func(x Node, a []Node) (lower, upper Node) { return logGammaTails(a[0], ad.Div(x, a[1])) },
				Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawGamma(r, a[0]) * a[1] })},
			{Args: args(positive("mean"), positive("shape")),
				LogProb: func(x Node, a []Node) Node { return gammaLogProb(x, []Node{a[1], ad.Div(a[1], a[0])}) },
				both: func(x Node, a []Node) (lower, upper Node) {
					return gammaTails(x, []Node{a[1], ad.Div(a[1], a[0])})
				},
				Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawGamma(r, a[1]) * a[0] / a[1] })},
		},
	},
	{
		Name: "InverseGamma", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Inverse gamma: scale^shape x^(-shape-1) exp(-scale / x) / Gamma(shape)",
		Source: "Gelman et al., Bayesian Data Analysis (3rd ed.), appendix A",
		Forms: []Form{{Args: args(positive("shape"), positive("scale")),
			LogProb: func(x Node, a []Node) Node { return inverseGammaLogProb(x, a[0], a[1]) },
			both:    func(x Node, a []Node) (lower, upper Node) { return inverseGammaTails(x, a[0], a[1]) },
			Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return a[1] / drawGamma(r, a[0]) })}},
	},
	{
		Name: "Weibull", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Weibull: (shape / scale) (x / scale)^(shape-1) exp(-(x / scale)^shape)",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 21",
		Forms: []Form{{Args: args(positive("shape"), positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				t := ad.Log(ad.Div(x, a[1]))
				return total(ad.Log(ad.Div(a[0], a[1])), ad.MulZero(plus(a[0], -1), t), ad.Neg(ad.Exp(ad.Mul(a[0], t))))
			},
			LogCDF:  func(x Node, a []Node) Node { return log1mExpNegExp(ad.Mul(a[0], ad.Log(ad.Div(x, a[1])))) },
			LogCCDF: weibullLogCCDF,
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[1] * math.Pow(r.ExpFloat64(), 1/a[0])
			})}},
	},
	{
		Name: "Pareto", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Pareto: shape scale^shape / x^(shape+1) for x >= scale",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1, ch. 20",
		Forms: []Form{{Args: args(positive("scale"), positive("shape")),
			LogProb: func(x Node, a []Node) Node {
				return total(ad.Log(a[1]), ad.Mul(a[1], ad.Log(a[0])), ad.Neg(ad.Mul(plus(a[1], 1), ad.Log(x))))
			},
			Bounds:  func(a []Node) (lo, hi Node) { return a[0], Node{} },
			LogCDF:  func(x Node, a []Node) Node { return log1mexp(paretoLogCCDF(x, a)) },
			LogCCDF: paretoLogCCDF,
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] * math.Exp(r.ExpFloat64()/a[1])
			})}},
	},
}

// aboveZero returns logp for x > 0 and −∞ for x = 0, where the formula would be ∞ − ∞.
func aboveZero(x, logp Node) Node {
	return ad.Where(ad.Lt(num(x, 0), x), logp, num(x, math.Inf(-1)))
}

// gammaLogProb returns the log density. With 0·log 0 = 0, the density at x = 0 is 0 for shape > 1, rate for shape = 1,
// and ∞ for shape < 1.
func gammaLogProb(x Node, a []Node) Node {
	norm := ad.Sub(ad.Mul(a[0], ad.Log(a[1])), ad.Lgamma(a[0]))
	return total(norm, ad.MulZero(plus(a[0], -1), ad.Log(x)), ad.Neg(ad.Mul(a[1], x)))
}

func inverseGammaLogProb(x, shape, scale Node) Node {
	norm := ad.Sub(ad.Mul(shape, ad.Log(scale)), ad.Lgamma(shape))
	return aboveZero(x, total(norm, ad.Neg(ad.Mul(plus(shape, 1), ad.Log(x))), ad.Neg(ad.Div(scale, x))))
}

func weibullLogCCDF(x Node, a []Node) Node {
	return ad.Neg(ad.Exp(ad.Mul(a[0], ad.Log(ad.Div(x, a[1])))))
}

func paretoLogCCDF(x Node, a []Node) Node { return ad.Mul(a[1], ad.Sub(ad.Log(a[0]), ad.Log(x))) }

// The cumulative functions of the half-normal and half-Cauchy at z ≥ 0 are computed from the smaller tail, so that they
// do not cancel.

func halfNormalLogCDF(z Node) Node {
	t := times(math.Sqrt2/2, z)
	return ad.Where(ad.Lt(z, num(z, 1)), ad.Log(ad.Erf(t)), ad.Log1p(ad.Neg(ad.Erfc(t))))
}

func halfNormalLogCCDF(z Node) Node {
	t := times(math.Sqrt2/2, z)
	return ad.Where(ad.Lt(z, num(z, 1)), ad.Log1p(ad.Neg(ad.Erf(t))), plus(ad.LogNormCDF(ad.Neg(z)), math.Ln2))
}

func halfCauchyLogCDF(z Node) Node {
	lower, upper, low := halfCauchyTails(z)
	return ad.Where(low, ad.Log(lower), ad.Log1p(ad.Neg(upper)))
}

func halfCauchyLogCCDF(z Node) Node {
	lower, upper, low := halfCauchyTails(z)
	return ad.Where(low, ad.Log1p(ad.Neg(lower)), ad.Log(upper))
}

// halfCauchyTails returns (2/π) atan z, to be used if low holds (z < 1), and (2/π) atan(1/z), to be used otherwise.
func halfCauchyTails(z Node) (lower, upper, low Node) {
	low = ad.Lt(z, num(z, 1))
	one := num(z, 1)
	return times(2/math.Pi, ad.Atan(z)), times(2/math.Pi, ad.Atan(ad.Div(one, ad.Where(low, one, z)))), low
}
