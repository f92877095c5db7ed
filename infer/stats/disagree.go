package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Disagreement measures whether chains spend their time in different modes: the greatest difference, over the chains,
// between one chain's mean and that of the others, in standard errors, of rank-normalised draws. A chain's standard
// error comes from the chain alone. So chains that each stay in a mode of their own disagree by much; chains that
// mix slowly have large standard errors, and disagree little. NaN for a single chain, and where RHat is NaN.
func Disagreement(chains [][]float64) float64 { return new(Workspace).Disagreement(chains) }

// Disagreement is the function Disagreement.
func (w *Workspace) Disagreement(chains [][]float64) float64 {
	if !sane(chains) || len(chains) < 2 {
		return math.NaN()
	}
	means, squares := w.meansAndErrors(chains)
	worst := 0.0
	for c := range means {
		if _, g := gap(means, squares, c); g > worst { // chains of constants may give 0/0
			worst = g
		}
	}
	return worst
}

// Apart is Disagreement for the draws of the walkers of replica exchange, which take turns at temperature 1, so that
// their shares of the draws differ in length: how far one walker's mean is from that of the others, in standard
// deviations of all draws (rank-normalised) and in standard errors, where it is most errors away. Walkers with fewer
// than least draws do not count. In a ladder whose hot end forgets, all walkers have the same distribution; walkers
// that only trade places, each in a mode of its own, are apart, although chains made of their draws may agree. Zero
// where there are not two walkers to compare.
func Apart(walkers [][]float64, least int) (deviations, errors float64) {
	return new(Workspace).Apart(walkers, least)
}

// Apart is the function Apart.
func (w *Workspace) Apart(walkers [][]float64, least int) (deviations, errors float64) {
	walkers = slices.DeleteFunc(slices.Clone(walkers), func(xs []float64) bool { return len(xs) < least })
	all := slices.Concat(walkers...)
	if len(walkers) < 2 || nonFinite(all) > 0 || constant(all) {
		return 0, 0
	}
	means, squares := w.meansAndErrors(walkers)
	for c := range means {
		if d, g := gap(means, squares, c); g > errors {
			deviations, errors = d, g
		}
	}
	return deviations, errors
}

// meansAndErrors are the mean of each chain's normal scores and its squared standard error: the estimate from the
// chain's own autocorrelations, or if that is larger, one from the halves of the chains. If a chain is not much longer
// than its autocorrelation time, its autocorrelations underestimate the error; the difference between the means of its
// halves shows more of it, but is a single number per chain, so the median over all chains is used.
func (w *Workspace) meansAndErrors(chains [][]float64) (means, squares []float64) {
	const medianOfSquare = 0.455 // of a standard normal
	var halves []float64
	w.take(chains, nil)
	w.sort()
	left := w.normalScores(len(w.draws))
	for _, c := range chains {
		z := left[:len(c)]
		left = left[len(c):]
		m, v := stat.MeanVariance(z, nil)
		means, squares = append(means, m), append(squares, v/w.chainESS(z))
		n := len(z) / 2
		d := stat.Mean(z[:n], nil) - stat.Mean(z[len(z)-n:], nil)
		halves = append(halves, float64(len(z))*d*d/4)
	}
	perDraw := Quantile(halves, 0.5) / medianOfSquare
	for c, xs := range chains {
		squares[c] = math.Max(squares[c], perDraw/float64(len(xs)))
	}
	return means, squares
}

// chainESS is the effective size of one chain; a chain whose draws are all equal counts as one draw.
func (w *Workspace) chainESS(z []float64) float64 {
	if constant(z) {
		return 1
	}
	return w.ess(z, 1)
}

// gap is |mean of chain c − mean of the others' means|, and that over its standard error.
func gap(means, squares []float64, c int) (difference, errors float64) {
	others := float64(len(means) - 1)
	var mean, square float64
	for i := range means {
		if i != c {
			mean += means[i] / others
			square += squares[i] / (others * others)
		}
	}
	difference = math.Abs(means[c] - mean)
	return difference, difference / math.Sqrt(square+squares[c])
}
