package lab

import (
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Uniform tests whether counts are from a uniform distribution. It returns χ² and its p.
func Uniform(counts []float64) (square, p float64) {
	sum := 0.0
	for _, n := range counts {
		sum += n
	}
	square = stat.ChiSquare(counts, slices.Repeat([]float64{sum / float64(len(counts))}, len(counts)))
	return square, distuv.ChiSquared{K: float64(len(counts) - 1)}.Survival(square)
}
