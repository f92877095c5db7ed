package stdlib

import (
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// boundedDists live on an interval; Flat is the improper law without one.
var boundedDists = []Dist{
	{
		Name: "Beta", Support: types.Interval, Lo: 0, Hi: 1,
		Doc:    "Beta: x^(a-1) (1-x)^(b-1) / B(a, b)",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, ch. 25",
		Forms: []Form{{Args: args(positive("a"), positive("b")),
			LogProb: func(x Node, a []Node) Node {
				return total(ad.Neg(logBeta(a[0], a[1])),
					ad.MulZero(plus(a[0], -1), ad.Log(x)), ad.MulZero(plus(a[1], -1), ad.Log1p(ad.Neg(x))))
			},
			Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawBeta(r, a[0], a[1]) })}},
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
	{
		Name: "VonMises", Support: types.Interval, Lo: -math.Pi, Hi: math.Pi,
		Doc:    "Von Mises, the normal of the circle: exp(kappa cos(x - mu)) / (2 pi I0(kappa)) for x in -pi..pi",
		Source: "Mardia & Jupp, Directional Statistics, section 3.5; sampler: Best & Fisher 1979, Applied Statistics 28, 152",
		Forms: []Form{{Args: args(real0("mu"), nonneg("kappa")),
			LogProb: func(x Node, a []Node) Node {
				// κ(cos d − 1) = −2κ sin²(d/2) meets e^{−κ} I₀(κ), so nothing overflows.
				s := ad.Sin(times(0.5, ad.Sub(x, a[0])))
				return ad.Sub(plus(ad.Neg(logI0e(a[1])), -math.Log(2*math.Pi)), times(2, ad.Mul(a[1], square(s))))
			},
			Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawVonMises(r, a[0], a[1]) })}},
	},
}

// minusLogPositive is −log w, or −∞ where w is not positive: the log density of a uniform law of that size.
func minusLogPositive(w Node) Node {
	safe, penalty := positiveOnly(w)
	return withPenalty(ad.Neg(ad.Log(safe)), penalty)
}

// drawVonMises rejects from a wrapped Cauchy.
func drawVonMises(r *rand.Rand, mu, kappa float64) float64 {
	if kappa < 1e-8 {
		return 2 * math.Pi * (r.Float64() - 0.5)
	}
	tau := 1 + math.Sqrt(1+4*kappa*kappa)
	rho := (tau - math.Sqrt(2*tau)) / (2 * kappa)
	s := (1 + rho*rho) / (2 * rho)
	for {
		z := math.Cos(math.Pi * r.Float64())
		f := (1 + s*z) / (s + z)
		c := kappa * (s - f)
		u := 1 - r.Float64()
		if c*(2-c) > u || math.Log(c/u)+1 >= c {
			return math.Remainder(mu+math.Copysign(math.Acos(f), r.Float64()-0.5), 2*math.Pi)
		}
	}
}
