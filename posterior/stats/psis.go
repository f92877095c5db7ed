package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// PSIS smooths importance weights, given by the logarithms of the importance ratios: it replaces the largest by the
// expected order statistics of the generalised Pareto distribution fitted to them (Vehtari et al., JMLR 25, 2024). It
// returns the logarithms of the weights, which sum to 1, and the shape k of that distribution, as for ParetoK. k is +∞
// if there are too few weights for a fit or some ratio is NaN; with NaN, weights are not normalised. reff is the
// effective sample size divided by the number of draws.
func PSIS(logRatios []float64, reff float64) (logWeights []float64, k float64) {
	lw := slices.Clone(logRatios)
	floats.AddConst(-floats.Max(lw), lw)
	order := make([]int, len(lw))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return lw[order[a]] < lw[order[b]] })
	n := tailLength(len(lw), reff)
	far := order[max(0, len(order)-n-1):]
	sorted := make([]float64, len(far))
	for i, at := range far {
		sorted[i] = lw[at]
	}
	k, _ = smoothTail(sorted, len(lw), n)
	if math.IsNaN(lw[order[0]]) {
		return lw, math.Inf(1)
	}
	for i, at := range far {
		lw[at] = sorted[i]
	}
	floats.AddConst(-floats.LogSumExp(lw), lw)
	return lw, k
}

// smoothTail smooths the n largest of `of` log weights in place and returns their shape k̂. far holds the n+1 largest
// in ascending order; the first is the threshold, the last is 0. replaced is n minus the number of weights equal to the
// threshold, or 0 if the fit fails.
func smoothTail(far []float64, of, n int) (k float64, replaced int) {
	if of <= n || math.IsNaN(far[0]) {
		return math.Inf(1), 0
	}
	cut := max(far[0], math.Log(math.SmallestNonzeroFloat64))
	tail := far[1:]
	for len(tail) > 0 && tail[0] <= cut { // weights equal to the threshold belong to the body
		tail = tail[1:]
	}
	if len(tail) == 0 {
		return math.Inf(-1), 0 // the largest weights are all equal
	}
	if len(tail) < fewestTail {
		return math.Inf(1), 0
	}
	k, sigma := paretoFit(excesses(tail, cut, 0))
	if math.IsNaN(k) || !(sigma > 0) {
		return math.Inf(1), 0
	}
	for i := range tail {
		p := (float64(i) + 0.5) / float64(len(tail))
		tail[i] = min(0, math.Log(paretoQuantile(p, k, sigma)+math.Exp(cut)))
	}
	return k, len(tail)
}

// paretoQuantile returns the quantile p of the generalised Pareto distribution with threshold 0.
func paretoQuantile(p, k, sigma float64) float64 {
	if math.Abs(k) < 1e-15 {
		return -sigma * math.Log1p(-p)
	}
	return sigma * math.Expm1(-k*math.Log1p(-p)) / k
}
