package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// ShapiroWilk returns the statistic W of Shapiro and Wilk (1965) and its p-value for 12 to 5,000 numbers in any order.
// W measures how well their order statistics match those of a normal sample; 1 is a perfect match. The weights and the
// normal approximation of log(1 − W) are from Royston ("Remark AS R94", Applied Statistics 44, 1995). Both results are
// NaN if there are too few or too many numbers, or if the numbers are all equal or not all finite.
func ShapiroWilk(xs []float64) (w, p float64) {
	n := len(xs)
	if n < 12 || n > 5000 || nonFinite(xs) > 0 || constant(xs) {
		return math.NaN(), math.NaN()
	}
	sorted := slices.Sorted(slices.Values(xs))
	mean, _ := MeanSD(sorted)
	var along, square float64
	for i, a := range shapiroWeights(n) {
		along += a * sorted[i]
		square += (sorted[i] - mean) * (sorted[i] - mean)
	}
	w = min(along*along/square, 1)
	return w, distuv.UnitNormal.Survival((math.Log1p(-w) - roystonMean(n)) / roystonSD(n))
}

// shapiroWeights returns Royston's approximation of the best linear weights of the order statistics: expected normal
// scores, with the two outermost weights at each end from polynomials in 1/√n.
func shapiroWeights(n int) []float64 {
	m, square := make([]float64, n), 0.0
	for i := range m {
		m[i] = distuv.UnitNormal.Quantile((float64(i) + 1 - 0.375) / (float64(n) + 0.25))
		square += m[i] * m[i]
	}
	u, norm := 1/math.Sqrt(float64(n)), math.Sqrt(square)
	last := m[n-1]/norm + polynomial(u, 0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056)
	next := m[n-2]/norm + polynomial(u, 0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
	rest := math.Sqrt((square - 2*m[n-1]*m[n-1] - 2*m[n-2]*m[n-2]) / (1 - 2*last*last - 2*next*next))
	a := make([]float64, n)
	for i := range a {
		a[i] = m[i] / rest
	}
	a[0], a[1], a[n-2], a[n-1] = -last, -next, next, last
	return a
}

func roystonMean(n int) float64 {
	return polynomial(math.Log(float64(n)), -1.5861, -0.31082, -0.083751, 0.0038915)
}

func roystonSD(n int) float64 {
	return math.Exp(polynomial(math.Log(float64(n)), -0.4803, -0.082676, 0.0030302))
}

// polynomial returns Σ cᵢ xⁱ.
func polynomial(x float64, coefficients ...float64) (y float64) {
	for _, c := range slices.Backward(coefficients) {
		y = y*x + c
	}
	return y
}
