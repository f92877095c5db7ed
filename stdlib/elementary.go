package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// Formulas for the table of functions: those on nodes build graphs, and those on numbers compute ranges.

func logitOf(x float64) float64    { return math.Log(x) - math.Log1p(-x) }
func softplusOf(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
func phiOf(x float64) float64      { return 0.5 * math.Erfc(-x/math.Sqrt2) }

func logit(x Node) Node { return ad.Sub(ad.Log(x), ad.Log1p(ad.Neg(x))) }
func phi(x Node) Node   { return times(0.5, ad.Erfc(times(-math.Sqrt2/2, x))) }

func log1m(x Node) Node { return ad.Log1p(ad.Neg(x)) }

func cloglogOf(x float64) float64    { return math.Log(-math.Log1p(-x)) }
func invCloglogOf(x float64) float64 { return -math.Expm1(-math.Exp(x)) }

// asinh returns sign(x) log(|x| + √(x² + 1)). It computes √(x² + 1) − 1 as x²/(1 + √(x² + 1)), which does not cancel
// near 0.
func asinh(x Node) Node {
	size, x2 := ad.Abs(x), square(x)
	return ad.Mul(ad.Sign(x), ad.Log1p(ad.Add(size, ad.Div(x2, plus(ad.Sqrt(plus(x2, 1)), 1)))))
}

// acosh returns log(x + √(x² − 1)), computed from t = x − 1 so that it does not cancel near 1.
func acosh(x Node) Node {
	t := plus(x, -1)
	return ad.Log1p(ad.Add(t, ad.Sqrt(ad.Mul(t, plus(t, 2)))))
}

// logDiffExp returns logSubExp(x, y), but −∞ if x = y, also if both are infinite.
func logDiffExp(x, y Node) Node {
	return ad.Where(ad.Eq(x, y), num(x, -inf), logSubExp(x, y))
}

func dropInt(r Range) Range { r.Int = false; return r }

func clipRange(a []Range) Range {
	cut := func(x, lo, hi float64) float64 { return math.Min(math.Max(x, lo), hi) }
	return Range{cut(a[0].Lo, a[1].Lo, a[2].Lo), cut(a[0].Hi, a[1].Hi, a[2].Hi), a[0].Int && a[1].Int && a[2].Int}
}

func lchoose(n, k Node) Node {
	none := ad.Maximum(ad.Lt(k, num(k, 0)), ad.Lt(n, k))
	return ad.Where(none, num(n, -inf), logChoose(n, k))
}

func chooseRange(n, k Range) Range {
	if k.Lo >= 0 && k.Hi <= n.Lo {
		return Range{Lo: 0, Hi: inf}
	}
	return Everything()
}

// logAddExp returns log(eˣ + eʸ), as max + log(1 + e^{min − max}). If both are the same infinity, it takes the
// difference as 0.
func logAddExp(x, y Node) Node {
	d := ad.Sub(x, y)
	d = ad.Where(ad.Eq(x, y), num(x, 0), d)
	less := ad.Lt(x, y)
	return ad.Add(ad.Where(less, y, x), ad.Softplus(ad.Where(less, d, ad.Neg(d))))
}

func logAddExpOf(x, y float64) float64 {
	if math.IsInf(math.Max(x, y), 0) {
		return math.Max(x, y)
	}
	return math.Max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
}

// atan2 returns atan(y/x), shifted to the quadrant of (x, y).
func atan2(y, x Node) Node {
	zero := num(x, 0)
	up := ad.Where(ad.Lt(y, zero), num(x, -1), num(x, 1))
	steep := ad.Lt(ad.Abs(x), ad.Abs(y))
	over, under := ad.Where(steep, x, y), ad.Where(steep, y, x)
	origin := ad.Eq(under, zero)
	slope := ad.Atan(ad.Div(ad.Where(origin, zero, over), ad.Where(origin, num(x, 1), under)))
	flat := ad.Where(ad.Lt(x, zero), ad.Add(slope, times(math.Pi, up)), slope)
	return ad.Where(steep, ad.Sub(times(math.Pi/2, up), slope), flat)
}
