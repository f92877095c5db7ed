package report

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// Findings are what warnings are made from.
type findings struct {
	run        store.Info
	settings   settings
	view       View
	report     *Report
	parameters []Parameter
	judged     []Parameter // all but the weights of a network
	drawn      []string    // parameters, which should not be constant
	disputes   []dispute
	effects    []types.Effect
	// arrays whose elements can change places
	exchangeable []string
	apart        apart   // the quantity in which walkers differ most
	compared     int     // quantities in which they are compared
	energyESS    float64 // the lesser effective size of the log density

	diverged [][]float64 // whether the trajectory of a draw diverged, [chain][draw]; nil where hardly any did
	edge     edge        // the end of draws where most of them did
}

// An apart is a quantity by which the walkers of a ladder differ (stats.Apart).
type apart struct {
	name string
	stats.Distance
}

// A dispute is a quantity about whose whereabouts chains disagree.
type dispute struct {
	name  string
	means []float64 // of the chains
	gap   float64   // between a chain and the others, in standard errors
}

// Bounds of trust: R-hat and the effective size for reliable diagnostics are those of Vehtari et al. (2021); 1,000
// effective draws are what a run aims at. A chain 5 standard errors away from the others is not an accident.
// Neighbouring rungs that swap less than one time in ten hold up the whole ladder.
const (
	MaxRHat   = 1.01 // of any quantity
	MinESS    = 400  // bulk and tail
	TargetESS = 1000 // bulk

	maxGap   = 5
	minSwap  = .1
	maxTimes = 30 // more draws than that many times over is not an advice

	fewestOfWalker = 50 // draws of one walker that are worth comparing
	maxApart       = .5 // standard deviations between a walker and the others that matter

	// Walkers that change modes once in a run, on average, have up to .7 of the variance between their means in both
	// halves of their draws; those that stay have it all, but for the errors of means.
	minKept = .75
)

func (f *findings) add(x finding) {
	f.parameters = append(f.parameters, x.row)
	if slices.Contains(f.run.Report.Weights, x.row.Variable) {
		return // of whose many equivalent optima each chain is near one
	}
	f.judged = append(f.judged, x.row)
	f.disputes = append(f.disputes, x.disputes...)
	if a := x.apart; a.Deviations > maxApart && a.Errors > max(maxGap, f.apart.Errors) && a.Kept > minKept &&
		a.Beyond(f.compared) {
		f.apart = a
	}
	if x.edge.diverged > f.edge.diverged {
		f.edge = x.edge
	}
}

// whereabouts reports the chains' means if they disagree. R-hat below its bound says that it does not matter.
func whereabouts(name string, chains [][]float64, rhat float64, w *stats.Workspace) []dispute {
	if !(rhat > MaxRHat) {
		return nil
	}
	gap := w.Disagreement(chains)
	if !(gap > maxGap) {
		return nil
	}
	p := dispute{name: name, gap: gap}
	for _, c := range chains {
		p.means = append(p.means, stat.Mean(c, nil))
	}
	return []dispute{p}
}
