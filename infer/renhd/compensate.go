package renhd

import "math"

// A compensator is the law of a variable that is logistic once normal noise of variance σ² is added to it, as nearly as a series of some terms gets:
//
//	F(z) = Σₙ aₙ g⁽²ⁿ⁾(z),  aₙ = (−1)ⁿ Hₙ(λσ²/4)/(λⁿ n!),
//
// g the logistic function, H physicists' Hermite polynomials (Luo et al. 2020, equation 15, integrated). λ = 10 with three terms is the paper's; at λ = ∞, aₙ =
// (−σ²/2)ⁿ/n!, the error is some thousand times smaller. F is a polynomial in g: its coefficients, from g¹ on.
type compensator []float64

// compensation is the compensator for noise of a variance, with a λ and a number of terms.
func compensation(variance, lambda float64, terms int) compensator {
	sum, derivative := make(compensator, 2*terms-1), compensator{1}
	for n := range terms {
		a := seriesTerm(n, variance, lambda)
		for k, c := range derivative {
			sum[k] += a * c
		}
		derivative = derivative.slope().slope()
	}
	return sum
}

// seriesTerm is aₙ.
func seriesTerm(n int, variance, lambda float64) float64 {
	if math.IsInf(lambda, 1) {
		return math.Pow(-variance/2, float64(n)) / math.Gamma(float64(n)+1)
	}
	before, h, x := 0.0, 1.0, lambda*variance/4
	for k := range n {
		before, h = h, 2*x*h-2*float64(k)*before
	}
	return math.Pow(-1/lambda, float64(n)) * h / math.Gamma(float64(n)+1)
}

// slope is the derivative by z: that of gᵏ is k gᵏ(1 − g).
func (c compensator) slope() compensator {
	out := make(compensator, len(c)+1)
	for k, a := range c {
		out[k] += float64(k+1) * a
		out[k+1] -= float64(k+1) * a
	}
	return out
}

// at is the polynomial and its derivative by g.
func (c compensator) at(g float64) (value, by float64) {
	for k := len(c) - 1; k >= 0; k-- {
		by = by*g + value
		value = value*g + c[k]
	}
	return value * g, by*g + value
}

// quantile solves F(z) = u by Newton's method in g, from u, on the lower half: the law is symmetric, and the polynomial cancels badly near g = 1.
func (c compensator) quantile(u float64) float64 {
	if u > 0.5 {
		return -c.quantile(1 - u)
	}
	lo, hi, g := 0.0, 0.5, u
	for range 60 {
		value, by := c.at(g)
		if value > u {
			hi = g
		} else {
			lo = g
		}
		next := g - (value-u)/by
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-g) <= 1e-15*g {
			break
		}
		g = next
	}
	return math.Log(g) - math.Log1p(-g)
}
