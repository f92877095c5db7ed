package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Disagreement tells whether chains spend their time in different places: the greatest difference, over the chains, between
// one chain's mean and that of the others, in standard errors, of rank-normalised draws. A chain's standard error comes
// from the chain alone. So chains that each sit still in a mode of their own disagree by much; chains that wander slowly
// know their means badly, and disagree little. NaN for a single chain, and where RHat is NaN.
func Disagreement(chains [][]float64) float64 {
	if !sane(chains) || len(chains) < 2 {
		return math.NaN()
	}
	var means, squares []float64 // squared standard errors
	for _, z := range zScale(chains) {
		m, v := stat.MeanVariance(z, nil)
		means, squares = append(means, m), append(squares, v/chainESS(z))
	}
	worst := 0.0
	for c := range means {
		if g := gap(means, squares, c); g > worst { // chains that all stand still may give 0/0
			worst = g
		}
	}
	return worst
}

// chainESS is the effective size of one chain; of a chain that stands still there is one draw.
func chainESS(z []float64) float64 {
	if constant(z) {
		return 1
	}
	return ess([][]float64{z})
}

// gap is |mean of chain c − mean of the others' means| over its standard error.
func gap(means, squares []float64, c int) float64 {
	others := float64(len(means) - 1)
	var mean, square float64
	for i := range means {
		if i != c {
			mean += means[i] / others
			square += squares[i] / (others * others)
		}
	}
	return math.Abs(means[c]-mean) / math.Sqrt(square+squares[c])
}
