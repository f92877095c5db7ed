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
	k = smoothTail(lw, order, tailLength(len(lw), reff))
	floats.AddConst(-floats.LogSumExp(lw), lw)
	return lw, k
}

// smoothTail replaces the last n of the log weights in the given order, of which the greatest is 0.
func smoothTail(lw []float64, order []int, n int) (k float64) {
	if len(order) <= n || math.IsNaN(lw[order[0]]) {
		return math.Inf(1)
	}
	cut := max(lw[order[len(order)-n-1]], math.Log(math.SmallestNonzeroFloat64))
	tail := order[len(order)-n:]
	for len(tail) > 0 && lw[tail[0]] <= cut { // ties with the threshold belong to the body
		tail = tail[1:]
	}
	if len(tail) == 0 {
		return math.Inf(-1) // the greatest weights are all alike
	}
	if len(tail) < fewestTail {
		return math.Inf(1)
	}
	values := make([]float64, len(tail))
	for i, at := range tail {
		values[i] = lw[at]
	}
	k, sigma := paretoFit(excesses(values, cut, 0))
	if math.IsNaN(k) || !(sigma > 0) {
		return math.Inf(1)
	}
	for i, at := range tail {
		p := (float64(i) + 0.5) / float64(len(tail))
		lw[at] = min(0, math.Log(paretoQuantile(p, k, sigma)+math.Exp(cut)))
	}
	return k
}

// paretoQuantile is the quantile of the generalised Pareto distribution with threshold 0.
func paretoQuantile(p, k, sigma float64) float64 {
	if math.Abs(k) < 1e-15 {
		return -sigma * math.Log1p(-p)
	}
	return sigma * math.Expm1(-k*math.Log1p(-p)) / k
}
