package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// passageDists lists distributions of the time at which a diffusion first hits a boundary.
var passageDists = []Dist{
	{
		Name: "Wiener", Support: types.RealLine,
		Doc: "Drift-diffusion model of a choice between two: |x| is the response time, nondecision plus the time " +
			"in which a Brownian motion with drift, started at bias boundary (0 < bias < 1), leaves 0..boundary; x > " +
			"0 if it leaves at the boundary, x < 0 if it leaves at 0",
		Source: "Ratcliff 1978, Psychological Review 85, 59; density: Navarro & Fuss 2009, Journal of Mathematical " +
			"Psychology 53, 222; sampler: Devroye 2009, Statistics & Probability Letters 79, 2251",
		Forms: []Form{{Args: args(positive("boundary"), nonneg("nondecision"), Arg{Name: "bias", Domain: openUnit},
			real0("drift")),
			LogProb: wienerLogProb,
			Sample:  scalar(drawWiener)}},
	},
}

// wienerLogProb returns the log density of leaving at 0 for x < 0, and that of the mirrored motion for x > 0.
func wienerLogProb(x Node, args []Node) Node {
	boundary, bias, drift := args[0], args[2], args[3]
	t := ad.Sub(ad.Abs(x), args[1])
	after, upper := ad.Lt(num(t, 0), t), ad.Lt(num(x, 0), x)
	t = ad.Where(after, t, num(t, 1))
	w, v := ad.Where(upper, ad.Sub(num(bias, 1), bias), bias), ad.Where(upper, ad.Neg(drift), drift)
	tilt := ad.Mul(v, ad.Add(ad.Mul(boundary, w), times(0.5, ad.Mul(v, t))))
	logp := total(times(-2, ad.Log(boundary)), ad.Neg(tilt), logPassage(ad.Div(t, square(boundary)), w))
	return onlyWhere(after, logp)
}

// passageSplit is the time up to which the series of images is summed; for later times it is the series of
// eigenfunctions. Each is accurate to 1e-16 of its first term with the number of terms that logImages and logEigen sum.
const passageSplit = 0.4

// logPassage returns the log density of the time u at which a Brownian motion without drift, started at w, leaves 0..1
// at 0.
func logPassage(u, w Node) Node {
	soon := ad.Le(u, num(u, passageSplit))
	return ad.Where(soon, logImages(ad.Where(soon, u, num(u, passageSplit)), w),
		logEigen(ad.Where(soon, num(u, passageSplit), u), w))
}

// logImages returns the log of Σ_k (w + 2k) exp(−(w + 2k)²/(2u)) / √(2π u³). The exponential of k = 0 is factored out.
func logImages(u, w Node) Node {
	sum := w
	for _, k := range []float64{-1, 1, -2, 2, -3, 3, -4} {
		sum = ad.Add(sum, ad.Mul(plus(w, 2*k), ad.Exp(ad.Div(times(-2*k, plus(w, k)), u))))
	}
	return total(times(-0.5, ad.Div(square(w), u)), ad.Log(sum), plus(times(-1.5, ad.Log(u)), -logSqrt2Pi))
}

// logEigen returns the log of π Σ_k k exp(−k² π² u/2) sin(kπw). The exponential of k = 1 is factored out.
func logEigen(u, w Node) Node {
	sum, rate := ad.Sin(times(math.Pi, w)), -math.Pi*math.Pi/2
	for k := 2.0; k <= 6; k++ {
		sum = ad.Add(sum, times(k, ad.Mul(ad.Exp(times((k*k-1)*rate, u)), ad.Sin(times(k*math.Pi, w)))))
	}
	return total(times(rate, u), plus(ad.Log(sum), math.Log(math.Pi)))
}

// drawWiener simulates the motion in steps. Each step runs from the centre of the widest interval around the current
// position inside 0..boundary to one of its ends, until the motion hits 0 or boundary. The end at which the motion
// leaves an interval is independent of the time at which it does.
func drawWiener(r *rand.Rand, a []float64) float64 {
	if slices.ContainsFunc(a, func(v float64) bool { return math.IsInf(v, 0) }) {
		return math.NaN()
	}
	boundary, drift := a[0], a[3]
	at, t := a[2]*boundary, a[1]
	for {
		d := math.Min(at, boundary-at)
		t += d * d * drawExit(r, math.Abs(drift*d))
		up, nearer := r.Float64() < logistic(2*drift*d), at < boundary-at
		switch {
		case up && (!nearer || d == boundary-at):
			return t
		case !up && (nearer || d == at):
			return -t
		case up:
			at += d
		default:
			at -= d
		}
	}
}

// exitSplit is Devroye's 0.64, near the point where the two series of the exit time converge equally fast.
const exitSplit = 0.64

// drawExit draws the time at which a Brownian motion with drift z ≥ 0, started at 0, leaves −1..1. It uses Devroye's
// alternating series with an inverse Gaussian proposal up to exitSplit and an exponential one above (with drift:
// Polson, Scott & Windle 2013, Journal of the American Statistical Association 108, 1339).
func drawExit(r *rand.Rand, z float64) float64 {
	if z > 1e8 { // nearly an inverse Gaussian, whose skewness 3/√z is negligible: a normal is drawn
		return (1 + r.NormFloat64()/math.Sqrt(z)) / z
	}
	rate := (math.Pi*math.Pi/4 + z*z) / 2
	above := math.Pi / (2 * rate) * math.Exp(-rate*exitSplit)
	below := 2 * (phiOf((exitSplit*z-1)/math.Sqrt(exitSplit))*math.Exp(-z) +
		math.Exp(z)*phiOf(-(exitSplit*z+1)/math.Sqrt(exitSplit)))
	for {
		var x float64
		if r.Float64()*(above+below) < above {
			x = exitSplit + r.ExpFloat64()/rate
		} else {
			x = drawEarly(r, z)
		}
		if exitAccepted(r, x) {
			return x
		}
	}
}

// exitAccepted accepts or rejects x: it compares a uniform fraction of the first term with the partial sums, which
// alternate around the density.
func exitAccepted(r *rand.Rand, x float64) bool {
	sum := exitTerm(0, x)
	y := r.Float64() * sum
	for n := 1; ; n++ {
		if n%2 == 1 {
			sum -= exitTerm(n, x)
			if y <= sum {
				return true
			}
		} else if sum += exitTerm(n, x); y > sum {
			return false
		}
	}
}

func exitTerm(n int, x float64) float64 {
	k := float64(n) + 0.5
	if x > exitSplit {
		return math.Pi * k * math.Exp(-k*k*math.Pi*math.Pi*x/2)
	}
	return math.Pi * k * math.Pow(2/(math.Pi*x), 1.5) * math.Exp(-2*k*k/x)
}

// drawEarly draws an inverse Gaussian with mean 1/z and shape 1, conditioned to be below exitSplit. It draws from that
// distribution if most of its mass is below the split. Otherwise it draws from the distribution without drift: 1/Z² for
// a normal Z beyond 1/√exitSplit.
func drawEarly(r *rand.Rand, z float64) float64 {
	if z*exitSplit > 1 {
		for {
			if x := drawWald(r, []float64{1 / z, 1}); x < exitSplit {
				return x
			}
		}
	}
	for {
		q := distuv.UnitNormal.Quantile(r.Float64() * phiOf(-1/math.Sqrt(exitSplit)))
		if x := 1 / (q * q); r.Float64() <= math.Exp(-z*z*x/2) {
			return x
		}
	}
}
