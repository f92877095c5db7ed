package stdlib

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// skewedDists lists distributions on the whole real line that are skewed, or whose tails differ from those in real.go.
var skewedDists = []Dist{
	{
		Name: "ExpModNormal", Support: types.RealLine,
		Doc: "Exponentially modified normal, the sum of a Normal(mu, sd) and an Exponential(rate): rate exp(rate " +
			"(mu - x) + (rate sd)^2 / 2) Phi((x - mu) / sd - rate sd)",
		Source: "Grushka 1972, Analytical Chemistry 44, 1733",
		Forms: []Form{{Args: args(real0("mu"), positive("sd"), positive("rate")),
			LogProb: func(x Node, a []Node) Node { return ad.Add(ad.Log(a[2]), expModTail(x, a)) },
			both:    expModTails,
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] + a[1]*r.NormFloat64() + r.ExpFloat64()/a[2]
			})}},
	},
	{
		Name: "AsymmetricLaplace", Support: types.RealLine, LocationScale: true,
		Doc: "Asymmetric Laplace: exp(-k z) / (scale (k + 1/k)) right of loc and exp(z / k) / (scale (k + 1/k)) " +
			"left of it, z = (x - loc) / scale, k = asymmetry; with quantile = P(x < loc), falling at the rates " +
			"quantile on the right and 1 - quantile on the left",
		Source: "Kotz, Kozubowski & Podgorski 2001, The Laplace Distribution and Generalizations, ch. 3; quantile: " +
			"Yu & Zhang 2005, Communications in Statistics 34, 1867",
		Forms: []Form{
			asymmetricLaplace(positive("asymmetry"),
				func(k Node) (left, right Node) { return ad.Div(num(k, 1), k), k },
				func(k float64) (left, right float64) { return 1 / k, k }),
			asymmetricLaplace(Arg{Name: "quantile", Domain: openUnit},
				func(q Node) (left, right Node) { return ad.Sub(num(q, 1), q), q },
				func(q float64) (left, right float64) { return 1 - q, q }),
		},
	},
	{
		Name: "SoftLaplace", Support: types.RealLine, LocationScale: true,
		Doc: "Smooth Laplace, the hyperbolic secant distribution: 2 / (pi scale (exp(z) + exp(-z))) with z = (x - " +
			"loc) / scale",
		Source: "Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 2, section 23.11",
		Forms: []Form{{Args: args(real0("loc"), positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				z := standard(x, a)
				return ad.Sub(plus(ad.Neg(ad.Log(a[1])), math.Log(2/math.Pi)), ad.Add(z, ad.Softplus(times(-2, z))))
			},
			LogCDF:  func(x Node, a []Node) Node { return softLaplaceLogCDF(standard(x, a)) },
			LogCCDF: func(x Node, a []Node) Node { return softLaplaceLogCDF(ad.Neg(standard(x, a))) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				return a[0] + a[1]*math.Log(math.Tan(math.Pi/2*(1-r.Float64())))
			})}},
	},
	{
		Name: "GeneralizedNormal", Support: types.RealLine, LocationScale: true,
		Doc: "Generalized normal, exponential power: shape exp(-|z|^shape) / (2 scale Gamma(1 / shape)) with z = " +
			"(x - loc) / scale; shape 1 is Laplace, 2 normal",
		Source: "Nadarajah 2005, Journal of Applied Statistics 32, 685",
		Forms: []Form{{Args: args(real0("loc"), positive("scale"), positive("shape")),
			LogProb: func(x Node, a []Node) Node {
				norm := ad.Sub(ad.Log(ad.Div(a[2], times(2, a[1]))), ad.Lgamma(ad.Div(num(a[2], 1), a[2])))
				return ad.Sub(norm, absPow(standard(x, a), a[2]))
			},
			both: func(x Node, a []Node) (lower, upper Node) { return generalizedNormalTails(standard(x, a), a[2]) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 {
				size := math.Exp(drawLogGamma(r, 1/a[2]) / a[2])
				return a[0] + math.Copysign(a[1]*size, r.Float64()-0.5)
			})}},
	},
}

// expModTail returns log(e^{t²/2 − tz} Φ(z − t)) with t = rate sd. This is the log density minus log rate, and also the
// log of the second term of P(X > x), whose first term is Φ(−z).
func expModTail(x Node, a []Node) Node {
	z, t := standard(x, a), ad.Mul(a[1], a[2])
	w := ad.Sub(z, t)
	far := ad.Lt(w, num(w, -30))
	near := ad.Add(ad.Mul(t, ad.Sub(times(0.5, t), z)), ad.LogNormCDF(w))
	return ad.Where(far, ad.Add(times(-0.5, square(z)), logMills(ad.Where(far, w, num(w, -30)))), near)
}

// expModTails returns log P(X ≤ x) and log P(X > x): P(X ≤ x) = Φ(z) (1 − e^g) with g = t²/2 − tz + log Φ(z − t) − log
// Φ(z), and P(X > x) = Φ(−z) + e^tail.
func expModTails(x Node, a []Node) (lower, upper Node) {
	z, t := standard(x, a), ad.Mul(a[1], a[2])
	logPhi, tail := ad.LogNormCDF(z), expModTail(x, a)
	slow := ad.Lt(t, num(t, 0.5))
	fall := ad.Where(slow, ad.Neg(millsIntegral(z, ad.Where(slow, t, num(t, 0.5)))), ad.Sub(tail, logPhi))
	lower, upper = ad.Add(logPhi, log1mexp(ad.Minimum(fall, num(z, 0)))), logAddExp(ad.LogNormCDF(ad.Neg(z)), tail)
	return lower, nearerTail(upper, lower)
}

// millsIntegral returns −g = ∫₀ᵗ (w + φ(w)/Φ(w)) ds at w = z − s for t ≤ ½, by Gauss–Legendre quadrature at eight
// points. The integrand is positive.
func millsIntegral(z, t Node) Node {
	nodes, weights := make([]float64, 8), make([]float64, 8)
	quad.Legendre{}.FixedLocations(nodes, weights, 0, 1)
	sum := num(z, 0)
	for i, s := range nodes {
		sum = ad.Add(sum, times(weights[i], millsExcess(ad.Sub(z, times(s, t)))))
	}
	return ad.Mul(t, sum)
}

// millsExcess returns w + φ(w)/Φ(w).
func millsExcess(w Node) Node {
	far := ad.Lt(w, num(w, -30))
	near, series := ad.Where(far, num(w, 0), w), millsSeries(ad.Where(far, w, num(w, -30)))
	ratio := ad.Exp(ad.Sub(plus(times(-0.5, square(near)), -logSqrt2Pi), ad.LogNormCDF(near)))
	return ad.Where(far, ad.Mul(w, ad.Div(series, plus(series, 1))), ad.Add(near, ratio))
}

// logMills returns log(Φ(w)/φ(w)) − log √2π for w ≤ −30, where subtracting the exponents of Φ and φ would cancel.
func logMills(w Node) Node {
	return total(ad.Neg(ad.Log(ad.Neg(w))), num(w, -logSqrt2Pi), ad.Log1p(millsSeries(w)))
}

// millsSeries returns −w Φ(w)/φ(w) − 1 for w ≤ −30, by the asymptotic series of NIST DLMF 7.12.1. The first omitted
// term is 2e-14 of 1 + the sum.
func millsSeries(w Node) Node {
	z := ad.Div(num(w, 1), square(w))
	series := num(w, 0)
	for _, c := range []float64{-945, 105, -15, 3, -1} {
		series = ad.Mul(z, plus(series, c))
	}
	return series
}

// asymmetricLaplace returns the form whose third argument determines the rates at which the density falls on the left
// and on the right.
func asymmetricLaplace(third Arg, rates func(Node) (left, right Node),
	numbers func(float64) (left, right float64)) Form {
	return Form{Args: args(real0("loc"), positive("scale"), third),
		LogProb: func(x Node, a []Node) Node {
			z := standard(x, a)
			left, right := rates(a[2])
			norm := ad.Sub(ad.Log(ad.Div(ad.Mul(left, right), ad.Add(left, right))), ad.Log(a[1]))
			return ad.Add(norm, ad.Mul(z, ad.Where(ad.Lt(z, num(z, 0)), left, ad.Neg(right))))
		},
		LogCDF: func(x Node, a []Node) Node {
			left, right := rates(a[2])
			return asymmetricLogCDF(standard(x, a), left, right)
		},
		LogCCDF: func(x Node, a []Node) Node {
			left, right := rates(a[2])
			return asymmetricLogCDF(ad.Neg(standard(x, a)), right, left)
		},
		Sample: scalar(func(r *rand.Rand, a []float64) float64 {
			left, right := numbers(a[2])
			return a[0] + a[1]*(r.ExpFloat64()/right-r.ExpFloat64()/left)
		})}
}

// asymmetricLogCDF returns log P(Z ≤ z), using P(Z < 0) = right / (left + right).
func asymmetricLogCDF(z, left, right Node) Node {
	below, sum := ad.Lt(z, num(z, 0)), ad.Add(left, right)
	low, high := ad.Where(below, z, num(z, 0)), ad.Where(below, num(z, 0), z)
	fall, share := ad.Neg(ad.Mul(right, high)), ad.Div(left, sum)
	tail := ad.Mul(share, ad.Exp(fall)) // tail is near 1 if z and right/left are small
	above := ad.Where(ad.Lt(tail, num(tail, 0.5)), ad.Log1p(ad.Neg(tail)),
		ad.Log(ad.Sub(ad.Div(right, sum), ad.Mul(share, ad.Expm1(fall)))))
	return ad.Where(below, ad.Sub(ad.Mul(left, low), ad.Log1p(ad.Div(left, right))), above)
}

// softLaplaceLogCDF returns log((2/π) atan eᶻ), computed from the upper tail for z > 0.
func softLaplaceLogCDF(z Node) Node {
	tail := times(2/math.Pi, ad.Atan(ad.Exp(ad.Neg(ad.Abs(z)))))
	return ad.Where(ad.Lt(z, num(z, 0)), ad.Log(tail), ad.Log1p(ad.Neg(tail)))
}

// absPow returns |z|^p for p > 0. Its gradient is 0 at z = 0.
func absPow(z, p Node) Node {
	zero := ad.Eq(z, num(z, 0))
	return ad.Where(zero, num(z, 0), ad.Exp(ad.Mul(p, ad.Log(ad.Where(zero, num(z, 1), ad.Abs(z))))))
}
