package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// bothOf computes the two cumulative functions of a distribution from one integral.
type bothOf = func(x Node, args []Node) (logCDF, logCCDF Node)

// The continuous distributions.

func gammaTails(x Node, a []Node) (lower, upper Node) { return logGammaTails(a[0], ad.Mul(a[1], x)) }

func inverseGammaTails(x, shape, scale Node) (lower, upper Node) {
	upper, lower = logGammaTails(shape, ad.Div(scale, x))
	return lower, upper
}

func betaTails(x Node, a []Node) (lower, upper Node) {
	return logBetaTails(a[0], a[1], x, ad.Sub(num(x, 1), x))
}

// studentTails returns I_p(ν/2, ν/2) at p = (1 + z/√(ν + z²))/2 and at 1 − p; the smaller of the two keeps its digits.
// They are smooth at 0.
func studentTails(nu, z Node) (lower, upper Node) {
	left := ad.Lt(z, num(z, 0))
	w := ad.Div(square(z), nu)
	root := ad.Sqrt(ad.Div(num(z, 1), plus(w, 1)))
	part := plus(ad.Div(ad.Where(left, ad.Neg(z), z), ad.Div(ad.Sqrt(nu), root)), 1) // 1 + |z|/√(ν + z²)
	large, small := times(0.5, part), times(0.5, ad.Div(square(root), part))
	half := times(0.5, nu)
	return logBetaTails(half, half, ad.Where(left, small, large), ad.Where(left, large, small))
}

// halfStudentTails returns I at z²/(ν + z²).
func halfStudentTails(nu, z Node) (lower, upper Node) {
	w, one := ad.Div(square(z), nu), num(z, 1)
	return logBetaTails(num(nu, 0.5), times(0.5, nu), ad.Div(one, plus(ad.Div(one, w), 1)), ad.Div(one, plus(w, 1)))
}

// generalizedNormalTails returns Q(1/p, |z|^p)/2 and the rest. At z = 0 they are linear with the density p/(2 Γ(1/p))
// for their slope, which |z|^p does not have there.
func generalizedNormalTails(z, shape Node) (lower, upper Node) {
	power := ad.Div(num(shape, 1), shape)
	_, outer := logGammaTails(power, absPow(z, shape))
	outer = plus(outer, -math.Ln2)
	inner, left := ad.Log1p(ad.Neg(ad.Exp(outer))), ad.Lt(z, num(z, 0))
	centre, slope := ad.Eq(z, num(z, 0)), ad.Mul(z, ad.Exp(ad.Sub(ad.Log(shape), ad.Lgamma(power))))
	lower = ad.Where(centre, plus(slope, -math.Ln2), ad.Where(left, outer, inner))
	upper = ad.Where(centre, plus(ad.Neg(slope), -math.Ln2), ad.Where(left, inner, outer))
	return lower, upper
}

// skewNormalTails integrate the density from z away from the mode.
func skewNormalTails(z, shape Node) (lower, upper Node) {
	logPhi := ad.LogNormCDF(ad.Mul(shape, z))
	gauss := plus(times(-0.5, square(ad.Mul(shape, z))), -logSqrt2Pi)
	slope := ad.Sub(ad.Mul(shape, ad.Exp(ad.Sub(gauss, logPhi))), z) // of the log density
	low := ad.Lt(num(z, 0), slope)
	side := ad.Where(low, num(z, -1), num(z, 1))
	cut := ad.Lt(ad.Mul(side, shape), num(z, 0)) // Φ falls there
	width := ad.Where(cut, ad.Sqrt(plus(square(shape), 1)), num(z, 1))
	integral := logTail(ad.Add(ad.Abs(slope), width), []Node{z, shape, side, logPhi}, func(u Node, a []Node) Node {
		to := ad.Add(a[0], ad.Mul(a[2], u))
		gap := ad.Mul(u, ad.Add(ad.Mul(a[2], a[0]), times(0.5, u)))
		return ad.Add(gap, ad.Sub(a[3], ad.LogNormCDF(ad.Mul(a[1], to))))
	})
	near := total(logPhi, times(-0.5, square(z)), num(z, math.Ln2-logSqrt2Pi), integral)
	inside := ad.Lt(ad.Abs(z), num(z, inf))
	return bothTails(near, low, inside, ad.Lt(z, num(z, 0)))
}

// The counts.

// onCounts takes cumulative functions at k = ⌊x⌋ where that is one of 0, 1, …; below and at ∞ they are 0 and 1.
func onCounts(x Node, tails func(k Node) (lower, upper Node)) (lower, upper Node) {
	k, zero, never := ad.Floor(x), num(x, 0), num(x, -inf)
	below := ad.Lt(k, zero)
	inside := ad.Where(below, zero, ad.Lt(k, num(x, inf)))
	lower, upper = tails(ad.Where(inside, k, zero))
	lower = ad.Where(inside, lower, ad.Where(below, never, zero))
	upper = ad.Where(inside, upper, ad.Where(below, zero, never))
	return lower, upper
}

// poissonTails: P(X ≤ k) = Q(k + 1, rate).
func poissonTails(x, rate Node) (lower, upper Node) {
	return onCounts(x, func(k Node) (lower, upper Node) {
		upper, lower = logGammaTails(plus(k, 1), rate)
		return lower, upper
	})
}

// binomialTails: P(X ≤ k) = I_q(n − k, k + 1), q = 1 − p.
func binomialTails(x, n, p, q Node) (lower, upper Node) {
	return onCounts(x, func(k Node) (lower, upper Node) {
		more := ad.Lt(k, n)
		lower, upper = logBetaTails(ad.Where(more, ad.Sub(n, k), num(n, 1)), plus(k, 1), q, p)
		return ad.Where(more, lower, num(n, 0)), ad.Where(more, upper, num(n, -inf))
	})
}

// negBinomialTails: P(X ≤ k) = I_p(size, k + 1), q = 1 − p.
func negBinomialTails(x, size, p, q Node) (lower, upper Node) {
	return onCounts(x, func(k Node) (lower, upper Node) { return logBetaTails(size, plus(k, 1), p, q) })
}
