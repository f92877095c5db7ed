// Package stats measures how far draws can be trusted: R-hat, effective sample sizes and Monte Carlo standard errors.
//
// All follow Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021), "Rank-normalization, folding, and localization: an
// improved R-hat for assessing convergence of MCMC", Bayesian Analysis 16(2), 667–718, in the form that Stan's R
// package posterior gives them. Chains are slices of equal length, one number per draw. A statistic that does not
// exist, because draws are too few, constant or not all finite, is NaN.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Summary describes the draws of one scalar.
type Summary struct {
	Mean, SD     float64
	MCSEMean     float64 // Monte Carlo standard error of Mean
	Q5, Q50, Q95 float64 // quantiles at 5, 50 and 95 %
	ESSBulk      float64
	ESSTail      float64 // the lesser of those at the two outer quantiles
	RHat         float64
	NonFinite    int  // draws that are NaN or infinite; where there are any, only quantiles may be finite
	Constant     bool // all draws are one number: nothing to diagnose
}

// Summarize computes all of a Summary: what the functions of each statistic give, with less sorting. Without draws
// everything is NaN.
func Summarize(chains [][]float64) Summary {
	all := slices.Concat(chains...)
	sorted := slices.Sorted(slices.Values(all))
	s := Summary{
		Q5: SortedQuantile(sorted, .05), Q50: SortedQuantile(sorted, .5), Q95: SortedQuantile(sorted, .95),
		ESSBulk: math.NaN(), ESSTail: math.NaN(), RHat: math.NaN(),
		NonFinite: nonFinite(all),
		Constant:  constant(all),
	}
	s.Mean, s.SD = MeanSD(all)
	s.MCSEMean = MCSEMean(chains)
	if sane(chains) {
		z := zScale(split(chains))
		s.ESSBulk, s.ESSTail = ess(z), lesser(essBelow(chains, s.Q5), essBelow(chains, s.Q95))
		s.RHat = greater(rhat(z), rhat(zScale(split(fold(chains, s.Q50)))))
	}
	return s
}

// MeanSD is NaN where there is nothing to average; gonum alone would give 0/0 in different ways.
func MeanSD(xs []float64) (mean, sd float64) {
	if len(xs) == 0 {
		return math.NaN(), math.NaN()
	}
	if constant(xs) {
		return xs[0], 0 // exactly, where summing would round
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

// constant reports whether all of xs are one finite number.
func constant(xs []float64) bool {
	return len(xs) > 0 && !slices.ContainsFunc(xs, func(x float64) bool { return x != xs[0] || math.IsInf(x, 0) })
}

// sane reports whether the diagnostics exist: chains of equal length, at least three draws each half, finite, not
// constant.
func sane(chains [][]float64) bool {
	if len(chains) == 0 || len(chains[0]) < 6 {
		return false
	}
	all := make([]float64, 0, len(chains)*len(chains[0]))
	for _, c := range chains {
		if len(c) != len(chains[0]) {
			return false
		}
		all = append(all, c...)
	}
	return nonFinite(all) == 0 && !constant(all)
}

// Quantile is the sample quantile by linear interpolation (Hyndman and Fan's type 7, the default of R and NumPy). NaN
// draws make it NaN.
func Quantile(xs []float64, p float64) float64 {
	return SortedQuantile(slices.Sorted(slices.Values(xs)), p)
}

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

// split cuts every chain in halves, so that a chain's drift shows like a difference between chains; of an odd number
// the draw in the middle is left out.
func split(chains [][]float64) [][]float64 {
	halves := make([][]float64, 0, 2*len(chains))
	for _, c := range chains {
		halves = append(halves, c[:len(c)/2], c[(len(c)+1)/2:])
	}
	return halves
}

// apply maps every draw.
func apply(chains [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(chains))
	for i, c := range chains {
		out[i] = make([]float64, len(c))
		for j, x := range c {
			out[i][j] = f(x)
		}
	}
	return out
}

// HDI is the shortest interval between draws that holds the given share of them.
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
