package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// farOut is how many times as far from the median as the 5 % or 95 % quantile the last draw has to be for a tail to be
// looked at: that of a normal is 2 times, of an exponential 3, of Student's t with 2 degrees of freedom some 15.
const farOut = 10

// TailShape is the shape k̂ of the generalised Pareto distribution that fits the heavier tail of sorted draws, less one
// standard error: moments of order 1/k and above do not exist, so that a mean may not where it is above 1, and cannot
// be estimated from some thousands of draws where it is above 0.7 (Vehtari, Simpson, Gelman, Yao, Gabry, JMLR 25,
// 2024). It is 0 where no tail reaches far out; reff is the effective share of the draws.
func TailShape(sorted []float64, reff float64) (shape float64) {
	n := len(sorted)
	tail := tailLength(n, min(reff, 1))
	if tail < 4*fewestTail || math.IsNaN(reff) {
		return 0
	}
	median, lo, hi := SortedQuantile(sorted, .5), SortedQuantile(sorted, .05), SortedQuantile(sorted, .95)
	upper, lower := make([]float64, tail), make([]float64, tail)
	for i := range tail {
		upper[i] = sorted[n-tail+i] - sorted[n-tail-1]
		lower[i] = sorted[tail] - sorted[tail-1-i]
	}
	if sorted[n-1]-median > farOut*(hi-median) && hi > median {
		shape = math.Max(shape, shapeOf(upper, reff))
	}
	if median-sorted[0] > farOut*(median-lo) && median > lo {
		shape = math.Max(shape, shapeOf(lower, reff))
	}
	return shape
}

// shapeOf is k̂ of ascending excesses, less its standard error: of as many as are effective. It is not more than what
// their upper third, its upper third and so on allow, each k̂ plus its error: where a second mode, or a wider one of
// the same place, has few of the draws, these draws are far out but end there, and a heavy tail goes on.
func shapeOf(excess []float64, reff float64) float64 {
	if excess[0] <= 0 { // ties with the threshold say nothing of a tail
		return 0
	}
	k, _ := paretoFit(excess)
	least := k - shapeError(k, len(excess), reff)
	for n := len(excess) / 3; n >= fewestTail && float64(n)*min(reff, 1) >= fewestEffective; n /= 3 {
		rest := slices.Clone(excess[len(excess)-n:])
		floats.AddConst(-excess[len(excess)-n-1], rest)
		if rest[0] <= 0 { // draws at an end
			return 0
		}
		k, _ = paretoFit(rest)
		least = math.Min(least, k+shapeError(k, n, reff))
	}
	return least
}

// fewestEffective is how many draws a part of a tail has to be worth, so that it says more than its error hides.
const fewestEffective = 4

// shapeError is the standard error of k̂ of n excesses.
func shapeError(k float64, n int, reff float64) float64 {
	return (1 + k) / math.Sqrt(float64(n)*min(reff, 1))
}
