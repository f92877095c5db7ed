package stdlib

import (
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// boundedDists lists the distributions whose support is an interval, and Flat, which is improper on the whole line.
var boundedDists = []Dist{
	{
		Name: "Beta", Support: types.Interval, Lo: 0, Hi: 1,
		Doc: "Beta: x^(a-1) (1-x)^(b-1) / B(a, b); a = mean concentration, b = (1 - mean) concentration",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, ch. 25; mean: Ferrari & " +
			"Cribari-Neto 2004, Journal of Applied Statistics 31, 799",
		Forms: []Form{
			{Args: args(positive("a"), positive("b")),
				LogProb: func(x Node, a []Node) Node { return betaLogProb(x, a[0], a[1]) },
				both:    betaTails,
				Sample:  scalar(func(r *rand.Rand, a []float64) float64 { return drawBeta(r, a[0], a[1]) })},
			{Args: args(Arg{Name: "mean", Domain: openUnit}, positive("concentration")),
				LogProb: func(x Node, m []Node) Node {
					a, b := proportions(m[0], m[1])
					return betaLogProb(x, a, b)
				},
				both: func(x Node, m []Node) (lower, upper Node) {
					a, b := proportions(m[0], m[1])
					return betaTails(x, []Node{a, b})
				},
				Sample: scalar(func(r *rand.Rand, m []float64) float64 {
					return drawBeta(r, m[0]*m[1],
						(1-m[0])*m[1])
				})},
		},
	},
	{
		Name: "Kumaraswamy", Support: types.Interval, Lo: 0, Hi: 1,
		Doc:    "Kumaraswamy, like a beta with a distribution function in closed form: a b x^(a-1) (1 - x^a)^(b-1)",
		Source: "Jones 2009, Statistical Methodology 6, 70",
		Forms: []Form{{Args: args(positive("a"), positive("b")),
			LogProb: func(x Node, a []Node) Node {
				t := ad.Log(x)
				return total(ad.Log(ad.Mul(a[0], a[1])), ad.MulZero(plus(a[0], -1), t),
					ad.MulZero(plus(a[1], -1), log1mexp(ad.Mul(a[0], t))))
			},
			LogCDF:  func(x Node, a []Node) Node { return log1mexp(kumaraswamyLogCCDF(x, a)) },
			LogCCDF: kumaraswamyLogCCDF,
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return math.Pow(-math.Expm1(-r.ExpFloat64()/a[1]), 1/a[0])
			})}},
	},
	{
		Name: "LogitNormal", Support: types.Interval, Lo: 0, Hi: 1,
		Doc:    "Sigmoid of a Normal(mu, sd): exp(-((logit x - mu) / sd)^2 / 2) / (x (1 - x) sd sqrt(2 pi))",
		Source: "Aitchison & Shen 1980, Biometrika 67, 261",
		Forms: []Form{{Args: args(real0("mu"), positive("sd")), LogProb: logitNormalLogProb,
			LogCDF:  func(x Node, a []Node) Node { return ad.LogNormCDF(standard(logit(x), a)) },
			LogCCDF: func(x Node, a []Node) Node { return ad.LogNormCDF(ad.Neg(standard(logit(x), a))) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return logistic(a[0] + a[1]*r.NormFloat64())
			})}},
	},
	{
		Name: "LogUniform", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Log-uniform (reciprocal) on lo..hi: 1 / (x log(hi / lo))",
		Source: "Hamming 1970, Bell System Technical Journal 49, 1609",
		Forms: []Form{{Args: args(positive("lo"), positive("hi")),
			LogProb: func(x Node, a []Node) Node {
				return ad.Sub(minusLogPositive(ad.Log(ad.Div(a[1], a[0]))), ad.Log(x))
			},
			Bounds:  func(a []Node) (lo, hi Node) { return a[0], a[1] },
			LogCDF:  func(x Node, a []Node) Node { return ad.Log(logShare(a[0], x, a)) },
			LogCCDF: func(x Node, a []Node) Node { return ad.Log(logShare(x, a[1], a)) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] * math.Exp(r.Float64()*math.Log(a[1]/a[0]))
			})}},
	},
	{
		Name: "TruncatedPowerLaw", Support: types.Interval, Lo: 0, Hi: inf,
		Doc:    "Power law on lo..hi: x^alpha over its integral, for any real alpha",
		Source: "Clauset, Shalizi & Newman 2009, SIAM Review 51, 661, table 2.1, with an upper end",
		Forms: []Form{{Args: args(real0("alpha"), positive("lo"), positive("hi")),
			LogProb: func(x Node, a []Node) Node {
				width, penalty := positiveOnly(ad.Log(ad.Div(a[2], a[1])))
				mid := times(0.5, ad.Add(ad.Log(a[1]), ad.Log(a[2])))
				norm := ad.Add(penalty, ad.Add(mid, logPowerIntegral(a[0], width)))
				return ad.Sub(ad.Mul(a[0], ad.Sub(ad.Log(x), mid)), norm)
			},
			Bounds: func(a []Node) (lo, hi Node) { return a[1], a[2] },
			LogCDF: func(x Node, a []Node) Node {
				return nearerTail(logPowerShare(a[1], x, a), logPowerShare(x, a[2], a))
			},
			LogCCDF: func(x Node, a []Node) Node {
				return nearerTail(logPowerShare(x, a[2], a), logPowerShare(a[1], x, a))
			},
			Sample: scalar(drawPowerLaw)}},
	},
	{
		Name: "RelaxedBernoulli", Support: types.Interval, Lo: 0, Hi: 1,
		Doc: "Relaxed Bernoulli (binary concrete), the sigmoid of a logistic around logits over the temperature: " +
			"t c (x (1-x))^(t-1) / (x^t + c (1-x)^t)^2 with t = temperature, c = exp(logits) = p / (1-p)",
		Source: "Maddison, Mnih & Teh 2017, International Conference on Learning Representations, appendix B",
		Forms: []Form{
			relaxedBernoulli(Arg{Name: "p", Domain: openUnit}, logit, logitOf),
			relaxedBernoulli(real0("logits"), func(l Node) Node { return l }, func(l float64) float64 { return l }),
		},
	},
	{
		Name: "Uniform", Support: types.Interval, Lo: -inf, Hi: inf,
		Doc:    "Uniform on lo..hi: 1 / (hi - lo)",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, ch. 26",
		Forms: []Form{{Args: args(real0("lo"), real0("hi")),
			LogProb: func(_ Node, a []Node) Node { return minusLogPositive(ad.Sub(a[1], a[0])) },
			Bounds:  func(a []Node) (lo, hi Node) { return a[0], a[1] },
			LogCDF:  func(x Node, a []Node) Node { return ad.Log(ad.Div(ad.Sub(x, a[0]), ad.Sub(a[1], a[0]))) },
			LogCCDF: func(x Node, a []Node) Node { return ad.Log(ad.Div(ad.Sub(a[1], x), ad.Sub(a[1], a[0]))) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] + (a[1]-a[0])*r.Float64()
			})}},
	},
	{
		Name: "Flat", Support: types.RealLine, Improper: true,
		Doc:    "Improper uniform over the reals: log density 0",
		Source: "Gelman et al., Bayesian Data Analysis (3rd ed.), section 2.8",
		Forms:  []Form{{LogProb: func(x Node, _ []Node) Node { return x.Graph().Full(0, x.Shape()...) }}},
	},
}

// logitNormalLogProb returns the log density. It is −∞ at 0 and 1, where parts of the formula are infinite.
func logitNormalLogProb(x Node, a []Node) Node {
	inside := ad.Mul(ad.Lt(num(x, 0), x), ad.Lt(x, num(x, 1)))
	y := ad.Where(inside, x, num(x, 0.5))
	return onlyWhere(inside, total(normalLogProb(logit(y), a), ad.Neg(ad.Log(y)), ad.Neg(ad.Log1p(ad.Neg(y)))))
}

func betaLogProb(x, a, b Node) Node {
	return total(ad.Neg(logBeta(a, b)), ad.MulZero(plus(a, -1), ad.Log(x)),
		ad.MulZero(plus(b, -1), ad.Log1p(ad.Neg(x))))
}

// proportions returns a and b of a beta with a given mean and a + b = concentration.
func proportions(mean, concentration Node) (a, b Node) {
	return ad.Mul(mean, concentration), ad.Mul(ad.Sub(num(mean, 1), mean), concentration)
}

func kumaraswamyLogCCDF(x Node, a []Node) Node {
	return ad.Mul(a[1], log1mexp(ad.Mul(a[0], ad.Log(x))))
}

// logShare returns log(to/from) / log(hi/lo).
func logShare(from, to Node, a []Node) Node {
	return ad.Div(ad.Log(ad.Div(to, from)), ad.Log(ad.Div(a[1], a[0])))
}

// logPowerIntegral returns log ∫ (x/m)^alpha dx/m over lo..hi, where m = √(lo hi) and width = log(hi/lo). This is
// log(width · sinh(h)/h) with h = (alpha + 1) width/2.
func logPowerIntegral(alpha, width Node) Node {
	return ad.Add(ad.Log(width), logSinhc(times(0.5, ad.Mul(plus(alpha, 1), width))))
}

// logPowerShare returns the log of the integral over from..to divided by the integral over the support.
func logPowerShare(from, to Node, a []Node) Node {
	part, whole := ad.Log(ad.Div(to, from)), ad.Log(ad.Div(a[2], a[1]))
	shift := times(0.5, ad.Sub(ad.Log(ad.Div(from, a[1])), ad.Log(ad.Div(a[2], to))))
	// shift is the log of the quotient of the two midpoints m.
	return total(ad.Mul(plus(a[0], 1), shift), logPowerIntegral(a[0], part), ad.Neg(logPowerIntegral(a[0], whole)))
}

// nearerTail returns log p. It computes it from the smaller of p and 1 − p, whose logarithm has all its digits.
func nearerTail(logP, logQ Node) Node {
	return ad.Where(ad.Lt(logP, num(logP, -math.Ln2)), logP, log1mexp(logQ))
}

// logSinhc returns log(sinh(h)/h). For |h| < 1/4 it uses the power series, whose first omitted term is 1e-14.
func logSinhc(h Node) Node {
	small := ad.Lt(ad.Abs(h), num(h, 0.25))
	q, far := square(ad.Where(small, h, num(h, 0))), ad.Where(small, num(h, 1), ad.Abs(h))
	series := num(h, 0)
	for _, c := range []float64{1. / 467775, -1. / 37800, 1. / 2835, -1. / 180, 1. / 6} {
		series = ad.Mul(q, plus(series, c))
	}
	return ad.Where(small, series, total(far, log1mexp(times(-2, far)), ad.Neg(ad.Log(times(2, far)))))
}

// drawPowerLaw draws by inverting the distribution function: with b = alpha + 1, (x/lo)^b is uniform between 1 and
// (hi/lo)^b.
func drawPowerLaw(r *rand.Rand, a []float64) float64 {
	b, width, u := a[0]+1, math.Log(a[2]/a[1]), r.Float64()
	if math.Abs(b*width) < 1e-8 {
		return a[1] * math.Exp(u*width)
	}
	if b > 0 { // starting from the upper end avoids overflow
		return a[2] * math.Exp(math.Log1p(u*math.Expm1(-b*width))/b)
	}
	return a[1] * math.Exp(math.Log1p(u*math.Expm1(b*width))/b)
}

// relaxedBernoulli returns the form whose second argument determines the logits; `logits` converts it in graphs,
// `number` in draws. A p that was rounded to 1 has no finite logit: the distribution is then a point mass at 1.
func relaxedBernoulli(second Arg, logits func(Node) Node, number func(float64) float64) Form {
	noise := func(x Node, a []Node) Node {
		end := ad.Eq(x, num(x, 1))
		return ad.Where(end, num(x, inf), ad.Sub(ad.Mul(a[0], logit(ad.Where(end, num(x, 0.5), x))), logits(a[1])))
	}
	return Form{Args: args(positive("temperature"), second),
		LogProb: func(x Node, a []Node) Node {
			free := ad.Lt(a[1], num(a[1], second.Domain.Hi))
			return onlyWhere(free, relaxedLogProb(x, a[0], logits(ad.Where(free, a[1], num(a[1], 0.5)))))
		},
		LogCDF:  func(x Node, a []Node) Node { return ad.LogSigmoid(noise(x, a)) },
		LogCCDF: func(x Node, a []Node) Node { return ad.LogSigmoid(ad.Neg(noise(x, a))) },
		Sample: scalar(func(r *rand.Rand, a []float64) float64 {
			return logistic((number(a[1]) + math.Log(r.ExpFloat64()/r.ExpFloat64())) / a[0])
		})}
}

// relaxedLogProb computes the log density from the distance y to the nearer end. Near that end the log density is log t
// − m + (t−1) log y, up to terms that vanish with y.
func relaxedLogProb(x, t, logits Node) Node {
	left := ad.Lt(x, num(x, 0.5))
	rest := ad.Sub(num(x, 1), x)
	y, m := ad.Where(left, x, rest), ad.Where(left, logits, ad.Neg(logits))
	return total(ad.Log(t), ad.Neg(m), ad.MulZero(plus(t, -1), ad.Log(y)),
		ad.Neg(ad.Mul(plus(t, 1), ad.Log1p(ad.Neg(y)))),
		times(-2, ad.Softplus(ad.Sub(ad.Mul(t, logit(y)), m))))
}

// minusLogPositive returns −log w, the log density of a uniform distribution on an interval of length w, or −∞ if w is
// not positive.
func minusLogPositive(w Node) Node {
	safe, penalty := positiveOnly(w)
	return withPenalty(ad.Neg(ad.Log(safe)), penalty)
}
