package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// RHat returns the rank-normalised split R-hat: the larger of R-hat of the draws (location) and of the folded draws
// (scale).
func RHat(chains [][]float64) float64 { return new(Workspace).RHat(chains) }

// RHat is the function RHat, with reused memory.
func (w *Workspace) RHat(chains [][]float64) float64 {
	if !sane(chains) {
		return math.NaN()
	}
	halves := w.sortHalves(chains)
	return w.rhatOf(halves, rhat(w.normalScores(halves.draws), halves.parts), rhat)
}

// rhatOf returns the larger of location, which is R-hat of the normal scores, and R-hat of the folded scores, which it
// computes with compare.
func (w *Workspace) rhatOf(h halves, location float64, compare func(draws []float64, parts int) float64) float64 {
	folded := w.foldedScores(h.draws)
	if folded == nil {
		return location
	}
	return greater(location, compare(folded, h.parts))
}

// greater returns the larger value, or a if b is NaN.
func greater(a, b float64) float64 {
	if math.IsNaN(b) {
		return a
	}
	return math.Max(a, b)
}

// rhat returns √(var⁺/W), where W is the mean variance within parts of equal length and var⁺ = (n−1)/n·W + B/n is the
// estimated variance of all draws.
func rhat(draws []float64, parts int) float64 {
	n := float64(len(draws) / parts)
	means, within := moments(draws, parts)
	return math.Sqrt((n-1)/n + stat.Variance(means, nil)/within)
}

// moments returns the means of the parts and the mean of their variances.
func moments(draws []float64, parts int) (means []float64, within float64) {
	n := len(draws) / parts
	for p := range parts {
		part := draws[p*n : (p+1)*n]
		mean, squares, rest := floats.Sum(part)/float64(n), 0.0, 0.0
		for _, x := range part {
			squares += (x - mean) * (x - mean)
			rest += x - mean
		}
		means = append(means, mean)
		// The mean is rounded. Without the correction by rest, the variance of equal draws would not be 0.
		within += (squares - rest*rest/float64(n)) / float64((n-1)*parts)
	}
	return means, within
}
