package stdlib

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// circularDists lists the distributions of an angle in -pi..pi.
var circularDists = []Dist{
	{
		Name: "VonMises", Support: types.Interval, Lo: -math.Pi, Hi: math.Pi,
		Doc: "Von Mises, the normal distribution of an angle: exp(kappa cos(x - mu)) / (2 pi I0(kappa)) for " +
			"x in -pi..pi",
		Source: "Mardia & Jupp, Directional Statistics, section 3.5; sampler: Best & Fisher 1979, Applied " +
			"Statistics 28, 152",
		Forms: []Form{{Args: args(real0("mu"), nonneg("kappa")),
			LogProb: func(x Node, a []Node) Node {
				// The formula uses cos d − 1 = −2 sin²(d/2) and e^{−κ} I₀(κ), so that nothing overflows.
				s := ad.Sin(times(0.5, ad.Sub(x, a[0])))
				return ad.Sub(plus(ad.Neg(logI0e(a[1])), -math.Log(2*math.Pi)), times(2, ad.Mul(a[1], square(s))))
			},
			both:   func(x Node, a []Node) (lower, upper Node) { return vonMisesTails(x, a[0], a[1]) },
			Sample: scalar(func(r *rand.Rand, a []float64) float64 { return drawVonMises(r, a[0], a[1]) })}},
	},
}

// vonMisesTails returns the logs of P(X ≤ x) and P(X > x). With d = x − mu and mu reduced to −π..π, the support is an
// interval of length 2π inside −2π..2π. Compared with mpmath, the error of the smaller tail is below 1e-13 for kappa up
// to 1e3; for larger kappa it is that of the rounding of d.
func vonMisesTails(x, mu, kappa Node) (lower, upper Node) {
	mu = ad.Sub(mu, times(2*math.Pi, ad.Round(times(1/(2*math.Pi), mu))))
	from, at, to := ad.Sub(num(x, -math.Pi), mu), ad.Sub(x, mu), ad.Sub(num(x, math.Pi), mu)
	norm := plus(logI0e(kappa), math.Log(2*math.Pi))
	lower, upper = ad.Sub(logArc(from, at, kappa), norm), ad.Sub(logArc(at, to, kappa), norm)
	return nearerTail(lower, upper), nearerTail(upper, lower)
}

// arcs holds the starts of the four half-turns of −2π..2π. falls is 1 for the half-turns on which the density decreases
// as t increases, and 0 for those on which it increases.
var (
	arcs  = []float64{-2 * math.Pi, -math.Pi, 0, math.Pi}
	falls = []float64{1, 0, 1, 0}
)

// logArc returns log ∫ exp(κ (cos t − 1)) dt over from..to in −2π..2π. It adds up the integrals over the half-turns.
func logArc(from, to, kappa Node) Node {
	shape := to.Shape()
	for _, n := range []Node{from, kappa} {
		if n.Rank() > len(shape) {
			shape = n.Shape()
		}
	}
	rows := join(shape, len(arcs))
	lo := constLast(to.Graph().Full(0, rows...), arcs)
	hi := plus(lo, math.Pi)
	from, to = clamp(spread(from, rows), lo, hi), clamp(spread(to, rows), lo, hi)
	start := ad.Where(constLast(from, falls), ad.Sub(from, lo), ad.Sub(hi, to))
	return ad.LogSumExp(logFall(start, ad.Sub(to, from), spread(kappa, rows)), len(shape))
}

// negligible is the decrease of a log density beyond which the integrand is neglected.
const negligible = 40

// logFall returns log ∫ exp(κ (cos t − 1)) dt over an interval that starts at start and has the given width, both in
// 0..π. It applies Gauss–Legendre quadrature to the part where the integrand is not negligible, and computes cos t −
// cos start = −2 sin(start + u/2) sin(u/2) for t = start + u.
func logFall(start, width, kappa Node) Node {
	nodes, weights := make([]float64, 32), make([]float64, 32)
	quad.Legendre{}.FixedLocations(nodes, weights, 0, 1)
	none, most := ad.Le(width, num(width, 0)), fallWidth(start, kappa)
	width = ad.Where(none, num(width, 1), ad.Where(ad.Lt(most, width), most, width))
	rows := join(start.Shape(), len(nodes))
	half := times(0.5, ad.Mul(constLast(start.Graph().Full(0, rows...), nodes), spread(width, rows)))
	drop := ad.Mul(spread(times(2, kappa), rows), ad.Mul(ad.Sin(ad.Add(spread(start, rows), half)), ad.Sin(half)))
	integral := sumLast(perLast(ad.Exp(ad.Neg(drop)), weights), 1)
	peak := times(-2, ad.Mul(kappa, square(ad.Sin(times(0.5, start)))))
	return ad.Where(none, num(width, -inf), total(peak, ad.Log(width), ad.Log(integral)))
}

// fallWidth returns the width over which the log density falls by negligible from start, at most π − start.
func fallWidth(start, kappa Node) Node {
	flat := ad.Lt(kappa, num(kappa, negligible/4))
	end := ad.Add(square(ad.Sin(times(0.5, start))),
		ad.Div(num(kappa, negligible/2), ad.Where(flat, num(kappa, 1), kappa)))
	whole := ad.Le(num(end, 1), end)
	arc := times(2, ad.Asin(ad.Sqrt(ad.Where(whole, num(end, 0.5), end))))
	return ad.Sub(ad.Where(whole, num(end, math.Pi), arc), start)
}

// drawVonMises draws by rejection from a wrapped Cauchy distribution.
func drawVonMises(r *rand.Rand, mu, kappa float64) float64 {
	if kappa < 1e-8 {
		return 2 * math.Pi * (r.Float64() - 0.5)
	}
	if kappa > 1e8 { // s − f below would have no digits left, and the normal distribution is exact up to rounding
		return math.Remainder(mu+r.NormFloat64()/math.Sqrt(kappa), 2*math.Pi)
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
