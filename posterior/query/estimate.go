package query

import (
	"math"
	"slices"

	"ppl/posterior/stats"
)

// An Estimate summarises the draws of one element.
type Estimate struct {
	Mean, SD  float64
	MCSE      float64 // Monte Carlo standard error of Mean
	Median    float64
	Lo, Hi    float64 // ends of the central 95 % interval
	Below     float64 // share of the draws below 0
	Above     float64 // share of the draws above 0
	ESS       float64 // effective sample size of the mean
	Draws     int     // number of draws that count: all, or those in which the condition holds
	NonFinite int     // number of draws that are NaN or infinite
	AtLimit   int     // number of draws beyond ±2^63, which are stored as ±2^63
	Undefined int     // for a condition: number of draws in which it compares NaN
	Constant  bool
	Total     int // number of all draws
}

// Estimates summarises each element of a result.
func Estimates(r *Result) []Estimate {
	out := make([]Estimate, len(r.Values))
	for k, chains := range r.Values {
		if r.Given == nil {
			out[k] = estimate(chains)
		} else {
			out[k] = conditional(chains, r.Given)
		}
	}
	return out
}

func estimate(chains [][]float64) Estimate {
	xs := all(chains)
	e := moments(xs)
	e.Total = len(xs)
	e.MCSE, e.ESS = stats.MCSEMean(chains), stats.ESSMean(chains)
	return e
}

// rounding is the largest relative difference between numbers that differ only by rounding errors.
const rounding = 1e-13

// moments computes the statistics that do not depend on the order of draws; the others are NaN.
func moments(xs []float64) Estimate {
	e := Estimate{Draws: len(xs), Mean: math.NaN(), SD: math.NaN(), Median: math.NaN(), Lo: math.NaN(),
		Hi: math.NaN(), MCSE: math.NaN(), ESS: math.NaN(), Below: math.NaN(), Above: math.NaN()}
	if len(xs) == 0 {
		return e
	}
	sorted := slices.Sorted(slices.Values(xs))
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			e.NonFinite++
		}
	}
	e.Lo, e.Median, e.Hi = stats.SortedQuantile(sorted, .025), stats.SortedQuantile(sorted, .5),
		stats.SortedQuantile(sorted, .975)
	below, _ := slices.BinarySearch(sorted, 0)
	upTo, _ := slices.BinarySearch(sorted, math.SmallestNonzeroFloat64)
	e.Below, e.Above = float64(below)/float64(len(xs)), float64(len(xs)-upTo)/float64(len(xs))
	e.AtLimit = stats.AtLimit(xs)
	e.Mean, e.SD = stats.MeanSD(xs)
	e.Constant = sorted[len(sorted)-1]-sorted[0] <= rounding*math.Abs(e.Mean)
	return e
}

// conditional summarises the draws in which a condition c holds. Their mean is a ratio of two means, m = E[x c] / E[c].
// Its standard error is that of the mean of (x − m) c / E[c] (the delta method), with the autocorrelation of the
// chains.
func conditional(chains, given [][]float64) Estimate {
	var kept []float64
	for i, chain := range chains {
		for k, x := range chain {
			if given[i][k] != 0 {
				kept = append(kept, x)
			}
		}
	}
	e := moments(kept)
	e.Total = len(all(given))
	if len(kept) == 0 {
		return e
	}
	part := float64(len(kept)) / float64(e.Total)
	influence := make([][]float64, len(chains))
	for i, chain := range chains {
		influence[i] = make([]float64, len(chain))
		for k, x := range chain {
			if given[i][k] != 0 {
				influence[i][k] = (x - e.Mean) / part
			}
		}
	}
	e.MCSE = stats.MCSEMean(influence)
	if e.MCSE > 0 {
		e.ESS = e.SD * e.SD / (e.MCSE * e.MCSE)
	}
	return e
}

// A Place holds the probabilities that an element of a vector is the largest and the smallest, with Monte Carlo
// standard errors, and its mean rank, where 1 is the largest. Tied elements share the probability equally.
type Place struct {
	Largest, Smallest         float64
	LargestMCSE, SmallestMCSE float64
	MeanRank                  float64
}

// Ranks ranks the elements of a result in each draw.
func Ranks(r *Result) []Place {
	n := len(r.Values)
	largest, smallest, rank := like(r), like(r), like(r)
	xs := make([]float64, n)
	for chain := range r.Values[0] {
		for draw := range r.Values[0][chain] {
			for k := range n {
				xs[k] = r.Values[k][chain][draw]
			}
			lo, hi := slices.Min(xs), slices.Max(xs)
			for k, x := range xs {
				largest[k][chain][draw] = share(xs, x, hi)
				smallest[k][chain][draw] = share(xs, x, lo)
				rank[k][chain][draw] = rankOf(xs, x)
			}
		}
	}
	out := make([]Place, n)
	for k := range n {
		a, b := among(largest[k], r.Given), among(smallest[k], r.Given)
		out[k] = Place{a.Mean, b.Mean, a.MCSE, b.MCSE, among(rank[k], r.Given).Mean}
	}
	return out
}

func among(chains, given [][]float64) Estimate {
	if given == nil {
		return estimate(chains)
	}
	return conditional(chains, given)
}

// share returns 1/n if x equals the extreme value that n elements share, else 0.
func share(xs []float64, x, extreme float64) float64 {
	if x != extreme {
		return 0
	}
	ties := 0
	for _, y := range xs {
		if y == extreme {
			ties++
		}
	}
	return 1 / float64(ties)
}

// rankOf returns the rank of x, counted from the largest. Ties get their mean rank.
func rankOf(xs []float64, x float64) float64 {
	above, same := 0, 0
	for _, y := range xs {
		switch {
		case y > x:
			above++
		case y == x:
			same++
		}
	}
	return float64(above) + float64(same+1)/2
}

func like(r *Result) [][][]float64 {
	out := make([][][]float64, len(r.Values))
	for k, chains := range r.Values {
		out[k] = make([][]float64, len(chains))
		for i, c := range chains {
			out[k][i] = make([]float64, len(c))
		}
	}
	return out
}
