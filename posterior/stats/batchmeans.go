package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// BatchMeansTime returns a fast estimate of the autocorrelation time S/ESS of chains of equal length: the variance of
// the means of batches of √n draws, times the batch length, divided by the variance of the draws (Flegal and Jones,
// "Batch means and spectral variance estimators in Markov chain Monte Carlo", Annals of Statistics 38, 2010). It is 0
// if there are fewer than two batches, or if draws are constant or not finite.
func BatchMeansTime(chains [][]float64) float64 {
	length := int(math.Sqrt(float64(len(chains[0]))))
	if length == 0 {
		return 0
	}
	var means []float64
	mean, squares, n := 0.0, 0.0, 0.0
	for _, xs := range chains {
		for ; len(xs) >= length; xs = xs[length:] {
			sum := 0.0
			for _, x := range xs[:length] {
				sum += x
				n++
				d := x - mean
				mean += d / n
				squares += d * (x - mean)
			}
			means = append(means, sum/float64(length))
		}
	}
	if time := float64(length) * stat.Variance(means, nil) / (squares / (n - 1)); time > 0 && !math.IsInf(time, 0) {
		return time
	}
	return 0
}
