package stdlib

import (
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
			LogProb: func(_ Node, a []Node) Node { return ad.Neg(ad.Log(width(a))) },
			Bounds:  func(a []Node) (lo, hi Node) { return a[0], a[1] },
			LogCDF:  func(x Node, a []Node) Node { return ad.Log(ad.Div(ad.Sub(x, a[0]), width(a))) },
			LogCCDF: func(x Node, a []Node) Node { return ad.Log(ad.Div(ad.Sub(a[1], x), width(a))) },
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

// width is hi − lo, NaN unless positive.
func width(a []Node) Node { return orNaN(ad.Sub(a[1], a[0]), posDomain) }
