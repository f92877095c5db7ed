package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Disagreement measures whether chains are in different modes: the largest difference between one chain's mean and that
// of the others, in standard errors, of rank-normalised draws. Standard errors are estimated from the variation within
// chains. Chains that stay in different modes therefore disagree strongly, but chains that mix slowly have large
// standard errors and disagree little. The result is NaN for a single chain, and if RHat is NaN.
func Disagreement(chains [][]float64) float64 { return new(Workspace).Disagreement(chains) }

// Disagreement is the function Disagreement, with reused memory.
func (w *Workspace) Disagreement(chains [][]float64) float64 {
	if !sane(chains) || len(chains) < 2 {
		return math.NaN()
	}
	m := w.meansAndErrors(chains)
	worst := 0.0
	for c := range m.mean {
		if _, g := gap(m.mean, m.square, c); g > worst { // constant chains may give 0/0
			worst = g
		}
	}
	return worst
}

// A Distance measures how far one of several walkers is from the others.
type Distance struct {
	Deviations float64 // difference of its mean and theirs, in standard deviations of all draws
	Errors     float64 // the same difference, in standard errors
	Freedom    float64 // Errors follows a Student's t distribution with this many degrees of freedom
	Kept       float64 // share of the variance between walkers' means that both halves of their draws share
	Walkers    int     // number of walkers compared
}

// Apart is Disagreement for the walkers of replica exchange. Walkers take turns at temperature 1, so their numbers of
// draws differ. Apart returns the distance of the walker whose mean is most standard errors away from that of the
// others, in rank-normalised draws; walkers with fewer than least draws are ignored. If the hot end of the ladder
// mixes, all walkers have the same distribution. Walkers that only swap temperatures, each within one mode, are apart
// even if the chains composed of their draws agree. All fields are zero if fewer than two walkers can be compared, or
// if draws are all equal or not all finite.
func Apart(walkers [][]float64, least int) Distance {
	return new(Workspace).Apart(walkers, least)
}

// Apart is the function Apart, with reused memory.
func (w *Workspace) Apart(walkers [][]float64, least int) (worst Distance) {
	walkers = slices.DeleteFunc(slices.Clone(walkers), func(xs []float64) bool { return len(xs) < least })
	all := slices.Concat(walkers...)
	if len(walkers) < 2 || nonFinite(all) > 0 || constant(all) {
		return worst
	}
	m := w.meansAndErrors(walkers)
	for c := range m.mean {
		if d, g := gap(m.mean, m.square, c); g > worst.Errors {
			worst.Deviations, worst.Errors = d, g
		}
	}
	worst.Walkers, worst.Freedom = len(walkers), max(1, Quantile(m.size, 0.5)-1)
	worst.Kept = stat.Covariance(m.first, m.second, nil) / stat.Variance(m.mean, nil)
	return worst
}

// Beyond reports whether chance produces such a distance in at most one of a thousand sets of walkers. It accounts for
// the number of quantities and walkers compared.
func (d Distance) Beyond(quantities int) bool {
	const chance = 1e-3
	if d.Walkers == 0 {
		return false
	}
	t := distuv.StudentsT{Sigma: 1, Nu: d.Freedom}
	return d.Errors > -t.Quantile(chance/2/float64(d.Walkers*quantities))
}

// chainMeans holds, for each chain: the mean of its normal scores, its squared standard error, the effective sample
// size, and the means of its halves.
type chainMeans struct{ mean, square, size, first, second []float64 }

// meansAndErrors returns the means of chains with their errors. A standard error is the larger of two estimates: one
// from the chain's autocorrelations, and one from the differences between the halves of chains. If a chain is not much
// longer than its autocorrelation time, its autocorrelations underestimate the error. The difference between its halves
// shows more of it, but is a single number per chain, so the median over all chains is used.
func (w *Workspace) meansAndErrors(chains [][]float64) (m chainMeans) {
	const medianOfSquare = 0.455 // median of the square of a standard normal variable
	var halves []float64
	w.take(chains, nil)
	w.sort()
	left := w.normalScores(len(w.draws))
	for _, c := range chains {
		z := left[:len(c)]
		left = left[len(c):]
		mean, v := stat.MeanVariance(z, nil)
		size := w.chainESS(z)
		m.mean, m.square, m.size = append(m.mean, mean), append(m.square, v/size), append(m.size, size)
		n := len(z) / 2
		first, second := stat.Mean(z[:n], nil), stat.Mean(z[len(z)-n:], nil)
		m.first, m.second = append(m.first, first), append(m.second, second)
		halves = append(halves, float64(len(z))*(first-second)*(first-second)/4)
	}
	perDraw := Quantile(halves, 0.5) / medianOfSquare
	for c, xs := range chains {
		m.square[c] = math.Max(m.square[c], perDraw/float64(len(xs)))
	}
	return m
}

// chainESS returns the effective sample size of one chain, or 1 if its draws are all equal.
func (w *Workspace) chainESS(z []float64) float64 {
	if constant(z) {
		return 1
	}
	return w.ess(z, 1)
}

// gap returns |mean of chain c − mean of the others' means|, and the same in standard errors.
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
