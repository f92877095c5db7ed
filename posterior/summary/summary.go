// Package summary defines summaries of a run's draws: a Report with a row for each quantity, and a View that selects
// rows and columns. Package diagnose computes reports, package report prints them.
//
//	v := summary.View{Names: []string{"theta"}, Quantiles: []float64{.1, .9}, Sort: "r_hat"}
//	r, err := diagnose.Summarize(run, v)
//	r.Parameters[0].Name, r.Parameters[0].Mean, r.Parameters[0].Marks    theta[3] 2.1 [0.4 3.9]
//	r.Worst().RHat                                                       1.003
package summary

import (
	"fmt"
	"slices"
	"strings"

	"ppl/posterior/layout"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A Report holds the summary of a run.
type Report struct {
	Dir         string // run directory; empty if the run is not saved
	Model       string
	Sampler     string
	Device      string
	Seed        uint64
	Chains      int
	Draws       int     // number of draws of each chain
	Seconds     float64 // wall-clock time, including warm-up
	Gradients   int64   // number of gradients, summed over lanes
	Parameters  []Parameter
	Exchange    *Exchange       // nil if there was no replica exchange
	Divergences int             // number of divergent trajectories after warm-up
	Notes       []string        // decisions of the sampler
	Warnings    []store.Warning // problems with the draws, most serious first
	Topics      []Topic         // the same problems by topic, with the facts checked
	Rungs       store.Rungs
	Unusable    bool // whether a warning makes the draws unusable
	Pace        Pace
	View        View
}

// A Parameter is one element of a saved variable.
type Parameter struct {
	Name     string // as in a model: "theta[1]"
	Variable string // array that contains it: "theta"
	stats.Summary
	Marks   []float64 // requested quantiles or interval ends; nil for the default columns
	Imputed bool      // whether it is a missing value that the model imputes
}

// Mark returns the value in the k-th column of View.Titles.
func (p Parameter) Mark(k int) float64 {
	if p.Marks == nil {
		return []float64{p.Q5, p.Q50, p.Q95}[k]
	}
	return p.Marks[k]
}

// A Pace describes the iterations between draws.
type Pace struct {
	Thin  int       // iterations per kept draw
	Steps float64   // mean number of leapfrog or splitting steps per iteration
	EBFMI []float64 // by chain, over all iterations, kept or not

	// EnergyESS is the effective sample size of the log density if some E-BFMI is too low, else +∞.
	EnergyESS float64
}

// An Exchange describes how replicas moved on the temperature ladder.
type Exchange struct {
	Temperatures []float64 // cold to hot
	SwapRates    []float64 // between neighbours
	RoundTrips   int       // number of round trips between cold and hot, over all ladders
	Barrier      float64   // Λ = Σ (1 − rate)
}

// Line returns a line like "replica exchange: 12 rungs, temperatures 1 to 7.4, swap rates 0.42 to 0.83, 31 round trips,
// barrier 3.1".
func (x Exchange) Line() string {
	parts := []string{fmt.Sprintf("replica exchange: %d rungs", len(x.Temperatures)),
		fmt.Sprintf("temperatures %s to %s", layout.Temperature(x.Temperatures[0]),
			layout.Temperature(x.Temperatures[len(x.Temperatures)-1]))}
	if len(x.SwapRates) > 0 {
		parts = append(parts, fmt.Sprintf("swap rates %.2f to %.2f", slices.Min(x.SwapRates), slices.Max(x.SwapRates)))
	}
	return strings.Join(append(parts,
		fmt.Sprintf("%d %s", x.RoundTrips, layout.Plural(x.RoundTrips, "round trip", "round trips")),
		fmt.Sprintf("barrier %.2f", x.Barrier)), ", ")
}

// A Topic is one aspect of a diagnosis: the facts checked, and the problems found, most serious first.
type Topic struct {
	Name     string
	Facts    string // facts checked, in words; empty if the topic does not apply
	Warnings []store.Warning
	Grave    int // number of warnings, from the first, that make the draws unusable
}
