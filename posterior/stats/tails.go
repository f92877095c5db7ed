package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// farOut is the ratio from which a tail is examined: the distance of the outermost draw from the median, divided by
// that of the 5 % or 95 % quantile. The ratio is about 2 for a normal, 3 for an exponential and 15 for a Student's t
// with 2 degrees of freedom. The distance of a quantile counts as at least half the distance between the two quantiles,
// since half of the draws may lie in a narrow mode.
const farOut = 10

// endless is the same ratio from which the outermost draw alone shows a heavy tail: for shape 0.7, one draw in about
// 10^13 is so far out. Fits to parts of the tail may miss it if only a few draws entered a region that chains rarely
// enter and leave.
const endless = 1e9

// TailShape returns the shape k̂ of the generalised Pareto distribution fitted to the heavier tail of sorted draws,
// minus half a standard error. Moments of order 1/k and above do not exist: for k above 1 the mean may not exist, and
// above 0.7 some thousands of draws cannot estimate it (Vehtari, Simpson, Gelman, Yao, Gabry, JMLR 25, 2024). If both
// tails reach far out, they are also fitted together. The result is 0 if no tail reaches far out or there are too few
// draws. reff is the effective sample size divided by the number of draws.
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
	if !lastMatters(sorted, median, math.Min(reff, 1)) {
		return 0
	}
	farAbove := (sorted[n-1] - median) / math.Max(hi-median, (hi-lo)/2)
	farBelow := (median - sorted[0]) / math.Max(median-lo, (hi-lo)/2)
	above, below := farAbove > farOut && hi > median, farBelow > farOut && median > lo
	if above {
		shape = math.Max(shape, shapeOf(upper, reff))
	}
	if below {
		shape = math.Max(shape, shapeOf(lower, reff))
	}
	if above && farAbove > endless && sorted[n-1] > sorted[n-2] || // draws equal to the outermost suggest a bound
		below && farBelow > endless && sorted[0] < sorted[1] {
		shape = math.Max(shape, shapeOfLast(math.Max(farAbove, farBelow), n))
	}
	if above && below {
		shape = math.Max(shape, shapeOf(pooled(upper, lower), reff))
	}
	return shape
}

// lastMatters reports whether the outermost draw, weighted by the effective share of draws, makes up a notable part of
// the sum of squares. In a tail without a variance, it is about a third, however many draws there are
// (Poisson-Dirichlet: Pitman and Yor 1997). If the tail ends somewhere beyond most of the draws, for example because of
// a prior, the part is smaller, and the standard deviation can be estimated.
func lastMatters(sorted []float64, median, reff float64) bool {
	const notable = .15
	sum := 0.0
	for _, x := range sorted {
		sum += (x - median) * (x - median)
	}
	last := math.Max(median-sorted[0], sorted[len(sorted)-1]-median)
	return !(last*last < notable*reff*sum) // this also holds if the squares are infinite
}

// shapeOfLast returns the shape for which the outermost of n draws is expected to be `times` as far from the median as
// the quantile beyond which 5 % of the draws lie.
func shapeOfLast(times float64, n int) float64 { return math.Log(times) / math.Log(.05*float64(n)) }

// pooled returns the excesses of both sides, each divided by its median. If both sides have the same shape, the larger
// sample estimates it more precisely.
func pooled(upper, lower []float64) []float64 {
	var all []float64
	for _, side := range [][]float64{upper, lower} {
		unit := side[len(side)/2]
		for _, x := range side {
			all = append(all, x/unit)
		}
	}
	slices.Sort(all)
	return all
}

// shapeOf returns k̂ of ascending excesses, minus half its standard error. It is limited to k̂ plus its standard error
// of the upper third, of the upper third of that, and so on. If a rarely visited second mode or a wide component makes
// some draws extreme, their tail ends there, which these limits detect; a heavy tail continues.
func shapeOf(excess []float64, reff float64) float64 {
	if excess[0] <= 0 { // ties with the threshold give no information about a tail
		return 0
	}
	k, _ := paretoFit(excess)
	least := k - shapeError(k, len(excess), reff)/2
	for n := len(excess) / 3; n >= fewestTail && float64(n)*min(reff, 1) >= fewestEffective; n /= 3 {
		rest := slices.Clone(excess[len(excess)-n:])
		floats.AddConst(-excess[len(excess)-n-1], rest)
		if rest[0] <= 0 { // draws at a bound
			return 0
		}
		k, _ = paretoFit(rest)
		least = math.Min(least, k+shapeError(k, n, reff))
	}
	return least
}

// fewestEffective is the minimum effective number of excesses for a useful fit.
const fewestEffective = 4

// shapeError returns the standard error of k̂ for n excesses.
func shapeError(k float64, n int, reff float64) float64 {
	return (1 + k) / math.Sqrt(float64(n)*min(reff, 1))
}
