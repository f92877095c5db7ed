package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// ParetoK returns the shape k̂ of the generalised Pareto distribution fitted to the largest importance weights, given
// by their logarithms (Vehtari, Simpson, Gelman, Yao, Gabry: Pareto smoothed importance sampling, JMLR 25, 2024). If k
// < ½, the mean of the weights has a finite variance. With some thousands of weights, estimates are usable for k below
// 0.7; above, the distribution of the draws is too far from the target. The result is NaN if there are fewer than
// FewestWeights weights, some are NaN or the largest is infinite or 0. It is −∞ if the largest weights are all equal.
func ParetoK(logWeights []float64) float64 {
	lw := slices.Sorted(slices.Values(logWeights))
	n := len(lw)
	tail := tailLength(n, 1)
	if tail < fewestTail || slices.ContainsFunc(lw, math.IsNaN) || math.IsInf(lw[n-1], 0) {
		return math.NaN()
	}
	excess := excesses(lw[n-tail:], lw[n-tail-1], lw[n-1])
	if excess[tail-1] < 1e-12 {
		return math.Inf(-1)
	}
	k, _ := paretoFit(excess)
	return k
}

const fewestTail = 5 // minimum number of weights for a fit

// FewestWeights is the minimum number of weights of which the largest fifth is long enough for a fit.
const FewestWeights = 5*(fewestTail-1) + 1

// tailLength returns how many of n weights form the tail. reff is the effective sample size divided by n.
func tailLength(n int, reff float64) int {
	return int(math.Ceil(min(0.2*float64(n), 3*math.Sqrt(float64(n)/reff))))
}

// excesses returns exp(tail) − exp(cut), divided by exp(greatest).
func excesses(tail []float64, cut, greatest float64) []float64 {
	threshold := math.Exp(cut - greatest)
	out := make([]float64, len(tail))
	for i, x := range tail {
		out[i] = math.Exp(x-greatest) - threshold
	}
	return out
}

// paretoFit fits a generalised Pareto distribution to sorted excesses over a threshold. It takes the posterior mean of
// b = −k/σ under a profile likelihood on a grid (Zhang and Stephens, Technometrics 51, 2009), shrinks the resulting k
// towards ½ with the weight of ten observations (Vehtari et al., appendix G), and returns k and the scale σ.
func paretoFit(x []float64) (k, sigma float64) {
	const spread, pseudo = 3, 10
	n := len(x)
	grid := 30 + int(math.Sqrt(float64(n)))
	quartile := x[int(float64(n)/4+0.5)-1]
	if quartile <= 0 { // more than a quarter of the tail equals the threshold
		quartile = x[n-1] / 4
	}
	b, likelihood := make([]float64, grid), make([]float64, grid)
	for j := range b {
		b[j] = 1/x[n-1] + (1-math.Sqrt(float64(grid)/(float64(j)+0.5)))/(spread*quartile)
		k := shapeAt(b[j], x)
		likelihood[j] = float64(n) * (math.Log(-b[j]/k) - k - 1)
	}
	total, mean := floats.LogSumExp(likelihood), 0.0
	for j := range b {
		mean += b[j] * math.Exp(likelihood[j]-total)
	}
	k = shapeAt(mean, x)
	return (float64(n)*k + pseudo*0.5) / (float64(n) + pseudo), -k / mean
}

// shapeAt returns the maximum likelihood estimate of k for a given b = −k/σ.
func shapeAt(b float64, x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Log1p(-b * v)
	}
	return sum / float64(len(x))
}
