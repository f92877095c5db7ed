package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// A bothOf computes both cumulative functions of a distribution from one integral.
type bothOf = func(x Node, args []Node) (logCDF, logCCDF Node)

// The tails of continuous distributions.

func gammaTails(x Node, a []Node) (lower, upper Node) { return logGammaTails(a[0], ad.Mul(a[1], x)) }

func inverseGammaTails(x, shape, scale Node) (lower, upper Node) {
	upper, lower = logGammaTails(shape, ad.Div(scale, x))
	return lower, upper
}

func betaTails(x Node, a []Node) (lower, upper Node) {
	return logBetaTails(a[0], a[1], x, ad.Sub(num(x, 1), x))
}

// studentTails returns the logs of I_p(ν/2, ν/2) for p = (1 + z/√(ν + z²))/2 and for 1 − p. The smaller tail keeps its
// digits, and both are smooth at z = 0.
func studentTails(nu, z Node) (lower, upper Node) {
	left := ad.Lt(z, num(z, 0))
	w := ad.Div(square(z), nu)
	root := ad.Sqrt(ad.Div(num(z, 1), plus(w, 1)))
	part := plus(ad.Div(ad.Where(left, ad.Neg(z), z), ad.Div(ad.Sqrt(nu), root)), 1) // 1 + |z|/√(ν + z²)
	large, small := times(0.5, part), times(0.5, ad.Div(square(root), part))
	half := times(0.5, nu)
	return logBetaTails(half, half, ad.Where(left, small, large), ad.Where(left, large, small))
}

// halfStudentTails returns the logs of I at z²/(ν + z²) and of the other tail, where I has parameters ½ and ν/2.
func halfStudentTails(nu, z Node) (lower, upper Node) {
	w, one := ad.Div(square(z), nu), num(z, 1)
	return logBetaTails(num(nu, 0.5), times(0.5, nu), ad.Div(one, plus(ad.Div(one, w), 1)), ad.Div(one, plus(w, 1)))
}

// generalizedNormalTails returns the log of the outer tail Q(1/p, |z|^p)/2 and of its complement. At z = 0, where |z|^p
// has no useful derivative, both are replaced by linear functions whose slope is the density p/(2 Γ(1/p)).
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

// skewNormalTails returns both tails. It integrates the density from z in the direction away from the mode.
func skewNormalTails(z, shape Node) (lower, upper Node) {
	logPhi := ad.LogNormCDF(ad.Mul(shape, z))
	gauss := plus(times(-0.5, square(ad.Mul(shape, z))), -logSqrt2Pi)
	slope := ad.Sub(ad.Mul(shape, ad.Exp(ad.Sub(gauss, logPhi))), z) // slope of the log density
	low := ad.Lt(num(z, 0), slope)
	side := ad.Where(low, num(z, -1), num(z, 1))
	cut := ad.Lt(ad.Mul(side, shape), num(z, 0)) // Φ falls in this direction
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

// The tails of distributions of counts.

// onCounts evaluates tails at k = ⌊x⌋ if this is 0, 1, …. For x < 0 and x = ∞ the probabilities are 0 and 1.
func onCounts(x Node, tails func(k Node) (lower, upper Node)) (lower, upper Node) {
	k, zero, never := ad.Floor(x), num(x, 0), num(x, -inf)
	below := ad.Lt(k, zero)
	inside := ad.Where(below, zero, ad.Lt(k, num(x, inf)))
	lower, upper = tails(ad.Where(inside, k, zero))
	lower = ad.Where(inside, lower, ad.Where(below, never, zero))
	upper = ad.Where(inside, upper, ad.Where(below, zero, never))
	return lower, upper
}

// poissonTails returns both tails, from P(X ≤ k) = Q(k + 1, rate).
func poissonTails(x, rate Node) (lower, upper Node) {
	return onCounts(x, func(k Node) (lower, upper Node) {
		upper, lower = logGammaTails(plus(k, 1), rate)
		return lower, upper
	})
}

// binomialTails returns both tails, from P(X ≤ k) = I_q(n − k, k + 1) with q = 1 − p.
func binomialTails(x, n, p, q Node) (lower, upper Node) {
	return onCounts(x, func(k Node) (lower, upper Node) {
		more := ad.Lt(k, n)
		lower, upper = logBetaTails(ad.Where(more, ad.Sub(n, k), num(n, 1)), plus(k, 1), q, p)
		return ad.Where(more, lower, num(n, 0)), ad.Where(more, upper, num(n, -inf))
	})
}

// negBinomialTails returns both tails, from P(X ≤ k) = I_p(size, k + 1) with q = 1 − p.
func negBinomialTails(x, size, p, q Node) (lower, upper Node) {
	return onCounts(x, func(k Node) (lower, upper Node) { return logBetaTails(size, plus(k, 1), p, q) })
}
