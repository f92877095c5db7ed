package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Disagreement measures whether chains spend their time in different modes: the greatest difference, over the chains,
// between one chain's mean and that of the others, in standard errors, of rank-normalised draws. A chain's standard
// error comes from the chain alone. So chains that each stay in a mode of their own disagree by much; chains that
// mix slowly have large standard errors, and disagree little. NaN for a single chain, and where RHat is NaN.
func Disagreement(chains [][]float64) float64 { return new(Workspace).Disagreement(chains) }

// Disagreement returns the function Disagreement.
func (w *Workspace) Disagreement(chains [][]float64) float64 {
	if !sane(chains) || len(chains) < 2 {
		return math.NaN()
	}
	m := w.meansAndErrors(chains)
	worst := 0.0
	for c := range m.mean {
		if _, g := gap(m.mean, m.square, c); g > worst { // chains of constants may give 0/0
			worst = g
		}
	}
	return worst
}

// A Distance is how far one of several walkers is from the others.
type Distance struct {
	Deviations float64 // between its mean and theirs, in standard deviations of all draws,
	Errors     float64 // and in standard errors,
	Freedom    float64 // whose distribution is Student's t with as many degrees of freedom
	Kept       float64 // share of the variance between means of walkers that their halves have in common
	Walkers    int     // that were compared
}

// Apart is Disagreement for the draws of the walkers of replica exchange, which take turns at temperature 1, so that
// their shares of the draws differ in length: how far one walker's mean is from that of the others, in rank-normalised
// draws, where it is most errors away. Walkers with fewer than least draws do not count. In a ladder whose hot end
// forgets, all walkers have the same distribution; walkers that only trade places, each in a mode of its own, are
// apart, although chains made of their draws may agree. All zero if there are not two walkers to compare.
func Apart(walkers [][]float64, least int) Distance {
	return new(Workspace).Apart(walkers, least)
}

// Apart returns the function Apart.
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

// Beyond reports whether the distance is one that chance gives to one in a thousand sets of walkers at most, where
// that many quantities are compared: each walker in each of them may be the one that is farthest off.
func (d Distance) Beyond(quantities int) bool {
	const chance = 1e-3
	if d.Walkers == 0 {
		return false
	}
	t := distuv.StudentsT{Sigma: 1, Nu: d.Freedom}
	return d.Errors > -t.Quantile(chance/2/float64(d.Walkers*quantities))
}

// chainMeans are, by chain, the mean of its normal scores, its squared standard error, the effective size, and the
// means of its halves.
type chainMeans struct{ mean, square, size, first, second []float64 }

// meansAndErrors returns the means of chains. A standard error is the estimate from the chain's own autocorrelations,
// or if that is larger, one from the halves of the chains. If a chain is not much longer than its autocorrelation time,
// its autocorrelations underestimate the error; the difference between the means of its halves shows more of it, but is
// a single number per chain, so the median over all chains is used.
func (w *Workspace) meansAndErrors(chains [][]float64) (m chainMeans) {
	const medianOfSquare = 0.455 // of a standard normal
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

// chainESS returns the effective size of one chain; a chain whose draws are all equal counts as one draw.
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
