package stdlib

import (
	"math"
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// extremeDists lists the limit distributions of maxima and of excesses over a threshold. If shape is negative, both
// supports end at loc - scale / shape. If it is positive, the support of maxima begins there.
var extremeDists = []Dist{
	{
		Name: "GeneralizedExtremeValue", Support: types.RealLine, LocationScale: true,
		Doc: "Generalized extreme value, the limit of maxima: exp(-(1 + shape) t - exp(-t)) / scale with t = log(1 + " +
			"shape z) / shape, z = (x - loc) / scale; Gumbel for shape 0, with a heavy upper tail for positive shape",
		Source: "Coles 2001, An Introduction to Statistical Modeling of Extreme Values, section 3.1",
		Forms: []Form{{Args: args(real0("loc"), positive("scale"), real0("shape")),
			LogProb: func(x Node, a []Node) Node {
				inside, t := tailTime(x, a)
				return ad.Where(inside, ad.Sub(tailDensity(t, a), ad.Exp(ad.Neg(t))), num(t, math.Inf(-1)))
			},
			LogCDF: func(x Node, a []Node) Node {
				inside, t := tailTime(x, a)
				return ad.Where(inside, ad.Neg(ad.Exp(ad.Neg(t))), ad.Where(isNegative(a[2]), num(t, 0),
					num(t, math.Inf(-1))))
			},
			LogCCDF: func(x Node, a []Node) Node {
				inside, t := tailTime(x, a)
				return ad.Where(inside, log1mExpNegExp(ad.Neg(t)), ad.Where(isNegative(a[2]), num(t, math.Inf(-1)),
					num(t, 0)))
			},
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] + a[1]*tailValue(-math.Log(r.ExpFloat64()), a[2])
			})}},
	},
	{
		Name: "GeneralizedPareto", Support: types.Interval, Lo: -inf, Hi: inf,
		Doc: "Generalized Pareto, the limit of what exceeds the threshold loc: (1 + shape z)^(-1 / shape - 1) / " +
			"scale with z = (x - loc) / scale >= 0; exponential for shape 0",
		Source: "Coles 2001, An Introduction to Statistical Modeling of Extreme Values, section 4.2",
		Forms: []Form{{Args: args(real0("loc"), positive("scale"), real0("shape")),
			LogProb: func(x Node, a []Node) Node {
				inside, t := tailTime(x, a)
				return ad.Where(inside, tailDensity(t, a), num(t, math.Inf(-1)))
			},
			Bounds: func(a []Node) (lo, hi Node) { return a[0], Node{} },
			LogCDF: func(x Node, a []Node) Node {
				inside, t := tailTime(x, a)
				return ad.Where(inside, log1mexp(ad.Neg(t)), num(t, 0))
			},
			LogCCDF: func(x Node, a []Node) Node {
				inside, t := tailTime(x, a)
				return ad.Where(inside, ad.Neg(t), num(t, math.Inf(-1)))
			},
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] + a[1]*tailValue(r.ExpFloat64(), a[2])
			})}},
	},
}

// tailTime returns t = log(1 + shape z) / shape, or z if shape is 0. inside reports whether x is in the support; t is 0
// outside. If |shape z| is small, where the derivative of the quotient would cancel, it sums the series of log(1 + u) /
// u; the first omitted term is below 1e-18.
func tailTime(x Node, a []Node) (inside, t Node) {
	z := standard(x, a)
	u := ad.MulZero(a[2], z)
	inside = ad.Lt(num(u, -1), u)
	small := ad.Lt(ad.Abs(u), num(u, 2e-3))
	s, sum := ad.Where(small, u, num(u, 0)), num(u, 1.0/7)
	for k := 6.0; k >= 1; k-- {
		sum = ad.Sub(num(u, 1/k), ad.Mul(s, sum))
	}
	far := ad.Mul(inside, ad.Le(num(u, 2e-3), ad.Abs(u)))
	quotient := ad.Div(ad.Log1p(ad.Where(far, u, num(u, 1))), ad.Where(far, a[2], num(u, 1)))
	return inside, ad.Where(small, ad.Mul(ad.Where(inside, z, num(z, 0)), sum), ad.Where(far, quotient, num(u, 0)))
}

// tailDensity returns the log of exp(-(1 + shape) t) / scale.
func tailDensity(t Node, a []Node) Node {
	return ad.Sub(ad.Neg(ad.Log(a[1])), ad.Mul(plus(a[2], 1), t))
}

// tailValue returns the z for which tailTime returns t: (exp(shape t) - 1) / shape.
func tailValue(t, shape float64) float64 {
	if shape == 0 {
		return t
	}
	return math.Expm1(shape*t) / shape
}

func isNegative(x Node) Node { return ad.Lt(x, num(x, 0)) }
