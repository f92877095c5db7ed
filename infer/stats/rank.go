package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// zScale replaces draws by normal scores of their ranks among all chains, ties at their mean rank: z = Φ⁻¹((r − 3/8)/(S
// + 1/4)).
func zScale(chains [][]float64) [][]float64 {
	sorted := slices.Sorted(slices.Values(slices.Concat(chains...)))
	score := scores(sorted)
	return apply(chains, func(x float64) float64 {
		at, _ := slices.BinarySearch(sorted, x)
		return score[at]
	})
}

// scores gives, at the first place of each distinct value, the score of its mean rank.
func scores(sorted []float64) []float64 {
	score := make([]float64, len(sorted))
	for lo, hi := 0, 0; lo < len(sorted); lo = hi {
		for hi = lo; hi < len(sorted) && sorted[hi] == sorted[lo]; hi++ {
		}
		rank := float64(lo+1+hi) / 2
		score[lo] = distuv.UnitNormal.Quantile((rank - .375) / (float64(len(sorted)) + .25))
	}
	return score
}

// Fold gives distances from the median: chains that differ in scale differ in these in location.
func Fold(chains [][]float64) [][]float64 {
	return fold(chains, Quantile(slices.Concat(chains...), .5))
}

func fold(chains [][]float64, median float64) [][]float64 {
	return apply(chains, func(x float64) float64 { return math.Abs(x - median) })
}
