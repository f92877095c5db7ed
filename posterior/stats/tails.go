package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// farOut is how many times as far from the median as the 5 % or 95 % quantile the last draw has to be for a tail to be
// looked at: that of a normal is 2 times, of an exponential 3, of Student's t with 2 degrees of freedom some 15. A
// quantile counts as at least half as far as the two are from each other: half of the draws may lie in a narrow mode.
const farOut = 10

// endless is how many times as far the last draw is where that alone says so: at a shape of 0.7 one of some 10^13 draws
// is so far out. Fits of parts of the tail may not see it, where a handful of draws got into a region that is hardly
// entered and left.
const endless = 1e9

// TailShape returns the shape k̂ of the generalised Pareto distribution that fits the heavier tail of sorted draws,
// less half a standard error: moments of order 1/k and above do not exist, so that a mean may not where it is above 1,
// and cannot be estimated from some thousands of draws where it is above 0.7 (Vehtari, Simpson, Gelman, Yao, Gabry,
// JMLR 25, 2024). Where both tails reach far out, they are also fitted as one. It is 0 if no tail does; reff is the
// effective share of the draws.
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
	if above && farAbove > endless && sorted[n-1] > sorted[n-2] || // ties are draws at an end
		below && farBelow > endless && sorted[0] < sorted[1] {
		shape = math.Max(shape, shapeOfLast(math.Max(farAbove, farBelow), n))
	}
	if above && below {
		shape = math.Max(shape, shapeOf(pooled(upper, lower), reff))
	}
	return shape
}

// lastMatters reports whether the farthest draw, and those that it is worth where a share of draws is effective, make
// up a notable part of the sum of squares. In a tail without a variance it is a third or so, however many draws there
// are (Poisson-Dirichlet: Pitman and Yor 1997); where a tail ends further out than most of the draws, as a prior ends
// it, it is less, and the standard deviation is known.
func lastMatters(sorted []float64, median, reff float64) bool {
	const notable = .15
	sum := 0.0
	for _, x := range sorted {
		sum += (x - median) * (x - median)
	}
	last := math.Max(median-sorted[0], sorted[len(sorted)-1]-median)
	return !(last*last < notable*reff*sum) // also if the squares are infinite
}

// shapeOfLast returns the shape at which the last of n draws is expected that many times as far out as the quantile
// that 5 % of them are beyond.
func shapeOfLast(times float64, n int) float64 { return math.Log(times) / math.Log(.05*float64(n)) }

// pooled returns the excesses of both sides, each in units of its own median: twice as many show a shape that they have
// in common with less error.
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

// shapeOf is k̂ of ascending excesses, less half its standard error: of as many as are effective. It is not more than
// what their upper third, its upper third and so on allow, each k̂ plus its error: where a second mode, or a wider one
// of the same place, has few of the draws, these draws are far out but end there, and a heavy tail continues.
func shapeOf(excess []float64, reff float64) float64 {
	if excess[0] <= 0 { // ties with the threshold say nothing of a tail
		return 0
	}
	k, _ := paretoFit(excess)
	least := k - shapeError(k, len(excess), reff)/2
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

// shapeError returns the standard error of k̂ of n excesses.
func shapeError(k float64, n int, reff float64) float64 {
	return (1 + k) / math.Sqrt(float64(n)*min(reff, 1))
}
