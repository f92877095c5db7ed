// Package stats computes diagnostics of draws: R-hat, effective sample sizes and Monte Carlo standard errors.
//
// All follow Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021), "Rank-normalization, folding, and localization: an
// improved R-hat for assessing convergence of MCMC", Bayesian Analysis 16(2), 667–718, as implemented in Stan's R
// package posterior. Chains are slices of equal length, with one number per draw. A statistic is NaN if it is undefined
// because draws are too few, constant or not all finite.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Summary holds statistics of the draws of one scalar.
type Summary struct {
	Mean, SD     float64
	MCSEMean     float64 // Monte Carlo standard error of Mean
	Q5, Q50, Q95 float64 // quantiles at 5, 50 and 95 %
	ESSBulk      float64
	ESSTail      float64 // smaller of those for the 5 % and 95 % quantiles
	RHat         float64
	TailShape    float64 // see the function TailShape
	NonFinite    int     // number of draws that are NaN or infinite; if there are any, only quantiles may be finite
	AtLimit      int     // number of draws equal to ±CountLimit
	Underflown   int     // number of draws that are 0 or subnormal; 0 unless some are subnormal
	Constant     bool    // whether all draws are equal, so that diagnostics do not apply
}

// Summarize computes a Summary with a single sort. Without draws all statistics are NaN. For more than 32 chains R-hat
// is nested.
func Summarize(chains [][]float64) Summary { return new(Workspace).Summarize(chains) }

// Summarize is the function Summarize, with reused memory.
func (w *Workspace) Summarize(chains [][]float64) Summary {
	all := slices.Concat(chains...)
	s := Summary{
		ESSBulk: math.NaN(), ESSTail: math.NaN(), RHat: math.NaN(), MCSEMean: math.NaN(),
		NonFinite:  nonFinite(all),
		AtLimit:    AtLimit(all),
		Underflown: underflown(all),
		Constant:   constant(all),
	}
	s.Mean, s.SD = MeanSD(all)
	if s.Constant {
		s.Q5, s.Q50, s.Q95, s.MCSEMean = all[0], all[0], all[0], 0
		return s
	}
	if !sane(chains) {
		slices.Sort(all)
		s.Q5, s.Q50, s.Q95 = SortedQuantile(all, .05), SortedQuantile(all, .5), SortedQuantile(all, .95)
		return s
	}
	h := w.sortHalves(chains)
	s.Q5, s.Q50, s.Q95 = SortedQuantile(w.sorted, .05), SortedQuantile(w.sorted, .5), SortedQuantile(w.sorted, .95)
	s.MCSEMean = mcseOf(all, s.SD, w.ess(w.draws[:h.draws], h.parts))
	s.ESSTail = w.essTail(h)
	z := w.normalScores(h.draws)
	s.ESSBulk = w.ess(z, h.parts)
	s.RHat = w.rhatOf(h, compare(z, h.parts), compare)
	s.TailShape = TailShape(w.sorted, math.Min(s.ESSBulk, s.ESSTail)/float64(h.draws))
	return s
}

// MeanSD returns the mean and the standard deviation, or NaN if there are no numbers. Equal numbers give exact results.
func MeanSD(xs []float64) (mean, sd float64) {
	if len(xs) == 0 {
		return math.NaN(), math.NaN()
	}
	if constant(xs) {
		return xs[0], 0 // summing would round
	}
	return stat.MeanStdDev(xs, nil)
}

func nonFinite(xs []float64) (n int) {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			n++
		}
	}
	return n
}

// constant reports whether there are numbers and all are equal and finite.
func constant(xs []float64) bool {
	return len(xs) > 0 && !slices.ContainsFunc(xs, func(x float64) bool { return x != xs[0] || math.IsInf(x, 0) })
}

// sane reports whether diagnostics are defined: chains have equal lengths and at least three draws in each half, and
// the draws are finite and not all equal.
func sane(chains [][]float64) bool {
	if len(chains) == 0 || len(chains[0]) < 6 {
		return false
	}
	varies := false
	for _, c := range chains {
		if len(c) != len(chains[0]) || nonFinite(c) > 0 {
			return false
		}
		varies = varies || c[0] != chains[0][0] || !constant(c)
	}
	return varies
}

// Quantile returns the sample quantile by linear interpolation (type 7 of Hyndman and Fan, the default of R and NumPy).
// It is NaN if a draw is NaN or there are none.
func Quantile(xs []float64, p float64) float64 {
	n := len(xs)
	if n == 0 || slices.ContainsFunc(xs, math.IsNaN) {
		return math.NaN()
	}
	at := p * float64(n-1)
	lo := int(at)
	part := slices.Clone(xs)
	low := selected(part, lo)
	if frac := at - float64(lo); frac > 0 {
		if high := slices.Min(part[lo+1:]); high != low {
			return low + frac*(high-low)
		}
	}
	return low
}

// selected returns the k-th smallest number. It reorders xs so that no number before index k is larger and none after
// it is smaller (Hoare, "Algorithm 65: Find", Communications of the ACM 4, 1961).
func selected(xs []float64, k int) float64 {
	for first, last := 0, len(xs)-1; first < last; {
		pivot, i, j := xs[k], first, last
		for i <= j {
			for xs[i] < pivot {
				i++
			}
			for pivot < xs[j] {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i++
				j--
			}
		}
		if j < k {
			first = i
		}
		if k < i {
			last = j
		}
	}
	return xs[k]
}

// SortedQuantile is Quantile for draws in ascending order, with NaN first.
func SortedQuantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 || math.IsNaN(sorted[0]) { // NaN sorts first
		return math.NaN()
	}
	at := p * float64(len(sorted)-1)
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	if frac := at - float64(lo); frac > 0 && sorted[lo] != sorted[hi] {
		return sorted[lo] + frac*(sorted[hi]-sorted[lo])
	}
	return sorted[lo]
}

// halves describes the parts in a Workspace after takeHalves.
type halves struct {
	parts int // number of parts, two for each chain
	draws int // number of draws in all parts
}

// takeHalves splits every chain in halves, so that drift within a chain looks like a difference between chains. If the
// number of draws is odd, the middle draw is in neither half.
func (w *Workspace) takeHalves(chains [][]float64) halves {
	parts := make([][]float64, 0, 2*len(chains))
	var middle []float64
	for _, c := range chains {
		n := len(c) / 2
		parts = append(parts, c[:n], c[len(c)-n:])
		middle = append(middle, c[n:len(c)-n]...)
	}
	w.take(parts, middle)
	return halves{len(parts), len(w.draws) - len(middle)}
}

// sortHalves calls takeHalves and sorts all draws.
func (w *Workspace) sortHalves(chains [][]float64) halves {
	h := w.takeHalves(chains)
	w.sort()
	return h
}

// HDI returns the shortest interval between two draws that contains more than the share mass of them. It is NaN if
// there are no draws, a draw is NaN, or mass is 1.
func HDI(xs []float64, mass float64) (lo, hi float64) {
	sorted := slices.Sorted(slices.Values(xs))
	inside := int(mass * float64(len(sorted)))
	if len(sorted) == 0 || math.IsNaN(sorted[0]) || inside >= len(sorted) {
		return math.NaN(), math.NaN()
	}
	best := 0
	for i := range len(sorted) - inside {
		if sorted[i+inside]-sorted[i] < sorted[best+inside]-sorted[best] {
			best = i
		}
	}
	return sorted[best], sorted[best+inside]
}

// CountLimit is the magnitude at which stored integers are cut: larger values are stored as CountLimit, values below
// −CountLimit as −CountLimit.
const CountLimit = 1 << 63

// AtLimit returns the number of draws equal to ±CountLimit.
func AtLimit(xs []float64) (n int) {
	for _, x := range xs {
		if math.Abs(x) == CountLimit {
			n++
		}
	}
	return n
}

// underflown returns the number of draws that are 0 or subnormal, or 0 if none is subnormal, since counts may be 0 as
// well.
func underflown(xs []float64) int {
	const normal = 0x1p-1022
	zeros, below := 0, 0
	for _, x := range xs {
		switch {
		case x == 0:
			zeros++
		case math.Abs(x) < normal:
			below++
		}
	}
	if below == 0 {
		return 0
	}
	return zeros + below
}
