package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// RHat is the rank-normalised split R-hat: the greater of that of the draws (location) and that of the folded draws
// (scale).
func RHat(chains [][]float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	return greater(rhat(zScale(split(chains))), rhat(zScale(split(Fold(chains)))))
}

// greater is the larger of the values that are not NaN: folded draws may be constant (two symmetric values).
func greater(a, b float64) float64 {
	if math.IsNaN(b) {
		return a
	}
	return math.Max(a, b)
}

// rhat is √(var⁺/W), with W the mean variance within chains and var⁺ = (n−1)/n·W + B/n that of all draws.
func rhat(chains [][]float64) float64 {
	n := float64(len(chains[0]))
	means, within := moments(chains)
	return math.Sqrt((n-1)/n + stat.Variance(means, nil)/within)
}

// moments gives the chains' means and the mean of their variances.
func moments(chains [][]float64) (means []float64, within float64) {
	for _, c := range chains {
		m, v := stat.MeanVariance(c, nil)
		means = append(means, m)
		within += v / float64(len(chains))
	}
	return means, within
}
