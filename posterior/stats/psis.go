package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// PSIS smooths importance weights, given by the logs of their ratios: the greatest are replaced by the expected order
// statistics of the generalised Pareto distribution that fits them (Vehtari et al., JMLR 25, 2024). The log weights sum
// to 1; k is the shape of that distribution, as for ParetoK, and +∞ where there are too few weights to fit it. reff is
// the effective size of the draws over their number.
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

// smoothTail replaces the last n of some log weights, sorted, of which the greatest is 0: far are the last n+1 of them.
// It returns how many it has replaced, fewer where some tie with the threshold, and none if nothing fits.
func smoothTail(far []float64, of, n int) (k float64, replaced int) {
	if of <= n || math.IsNaN(far[0]) {
		return math.Inf(1), 0
	}
	cut := max(far[0], math.Log(math.SmallestNonzeroFloat64))
	tail := far[1:]
	for len(tail) > 0 && tail[0] <= cut { // ties with the threshold belong to the body
		tail = tail[1:]
	}
	if len(tail) == 0 {
		return math.Inf(-1), 0 // the greatest weights are all alike
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

// paretoQuantile returns the quantile of the generalised Pareto distribution with threshold 0.
func paretoQuantile(p, k, sigma float64) float64 {
	if math.Abs(k) < 1e-15 {
		return -sigma * math.Log1p(-p)
	}
	return sigma * math.Expm1(-k*math.Log1p(-p)) / k
}
