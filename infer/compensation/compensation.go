// Package compensation draws a variable to add to a noisy log acceptance ratio, such that Barker's test decides as if
// there were no noise (Seita et al., UAI 2017): its sum with the normal noise is logistic. Its CDF is a polynomial in
// the logistic function, so draws are quantiles of uniform numbers.
package compensation

import "math"

// A Distribution is that of a variable whose sum with normal noise of variance σ² is approximately logistic. It is a
// truncated series
//
//	F(z) = Σₙ aₙ g⁽²ⁿ⁾(z),   aₙ = (−1)ⁿ Hₙ(λσ²/4)/(λⁿ n!)
//
// with the logistic function g and physicists' Hermite polynomials H (Luo et al. 2020, equation 15, integrated). The
// paper uses λ = 10 and three terms; for λ = ∞, aₙ = (−σ²/2)ⁿ/n!, and the error is some thousand times smaller. F is a
// polynomial in g; the slice holds its coefficients, starting with g¹.
type Distribution []float64

// New returns the distribution for normal noise of the given variance. lambda must be positive and may be +Inf; terms
// is the number of terms of the series.
func New(variance, lambda float64, terms int) Distribution {
	sum, derivative := make(Distribution, 2*terms-1), Distribution{1}
	for n := range terms {
		a := seriesTerm(n, variance, lambda)
		for k, c := range derivative {
			sum[k] += a * c
		}
		derivative = derivative.slope().slope()
	}
	return sum
}

// seriesTerm returns aₙ.
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

// slope returns the derivative by z; that of gᵏ is k gᵏ(1 − g).
func (c Distribution) slope() Distribution {
	out := make(Distribution, len(c)+1)
	for k, a := range c {
		out[k] += float64(k+1) * a
		out[k+1] -= float64(k+1) * a
	}
	return out
}

// at returns the polynomial and its derivative by g.
func (c Distribution) at(g float64) (value, by float64) {
	for k := len(c) - 1; k >= 0; k-- {
		by = by*g + value
		value = value*g + c[k]
	}
	return value * g, by*g + value
}

// CDF returns F(z). With too many terms it is not monotone; Density is then negative somewhere.
func (c Distribution) CDF(z float64) float64 {
	if z > 0 {
		return 1 - c.CDF(-z)
	}
	value, _ := c.at(logistic(z))
	return value
}

// Density returns F'(z).
func (c Distribution) Density(z float64) float64 {
	g := logistic(-math.Abs(z))
	_, by := c.at(g)
	return by * g * (1 - g)
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// Error returns the largest difference, on a grid, between the logistic function and the CDF of the sum with normal
// noise of the given variance. It integrates over the normal by the trapezoidal rule, which is exact to rounding here.
func (c Distribution) Error(variance float64) (worst float64) {
	for z := 0.0; z < 12; z += 0.05 {
		sum, weight := 0.0, 0.0
		for x := -8.0; x <= 8; x += 0.125 {
			w := math.Exp(-x * x / 2)
			sum, weight = sum+w*c.CDF(z+math.Sqrt(variance)*x), weight+w
		}
		worst = math.Max(worst, math.Abs(sum/weight-logistic(z)))
	}
	return worst
}

// Quantile solves F(z) = u by Newton's method in g, starting from u. It works on the lower half, since the distribution
// is symmetric and the polynomial suffers from cancellation near g = 1.
func (c Distribution) Quantile(u float64) float64 {
	if u > 0.5 {
		return -c.Quantile(1 - u)
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
