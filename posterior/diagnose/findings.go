package diagnose

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// findings holds the analysis of a run's draws, from which rules derive warnings.
type findings struct {
	run        store.Info
	settings   settings
	view       summary.View
	report     *summary.Report
	parameters []summary.Parameter
	judged     []summary.Parameter // all parameters except the weights of a network
	drawn      []string            // names of the model's parameters, which should vary
	disputes   []dispute
	effects    []types.Effect

	exchangeable []string // names of arrays with exchangeable elements
	apart        apart    // quantity in which walkers differ most; zero if no difference exceeds the limits
	compared     int      // number of quantities in which walkers are compared
	energyESS    float64  // smaller of bulk and tail effective sample sizes of the log density

	// diverged is not 0 if the trajectory of a draw diverged, [chain][draw]. It is nil if fewer than leastEdge did.
	diverged [][]float64
	edge     edge // end of a quantity's draws with the most divergences
}

// An apart is the distance between the walkers of a ladder in one quantity (stats.Apart).
type apart struct {
	name string
	stats.Distance
}

// A dispute is a quantity in which the chains have different means.
type dispute struct {
	name  string
	means []float64 // mean of each chain
	gap   float64   // largest difference between a chain and the others, in standard errors
}

// Limits for diagnostics. A chain more than maxGap standard errors away from the others is not there by chance. Rungs
// that accept fewer than minSwap of their swaps slow the entire ladder down. For R-hat and effective sample sizes see
// stats.MaxRHat, stats.MinESS and stats.TargetESS.
const (
	maxGap   = 5
	minSwap  = .1
	maxTimes = 30 // largest factor by which runLonger advises more draws

	fewestOfWalker = 50 // minimum number of draws of a walker to compare
	maxApart       = .5 // smallest difference between a walker and the others that matters, in standard deviations

	// minKept is the minimum share of the variance between walkers' means that persists between the halves of their
	// draws. In tests, walkers that change modes once per run have shares up to .7; walkers that stay have 1, up to
	// Monte Carlo error.
	minKept = .75
)

func (f *findings) add(x finding) {
	f.parameters = append(f.parameters, x.row)
	if slices.Contains(f.run.Report.Weights, x.row.Variable) {
		return // networks have many equivalent optima, so chains differ without harm
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

// whereabouts returns one dispute if R-hat is above its limit and a chain's mean is more than maxGap standard errors
// away from those of the others. Otherwise it returns nil.
func whereabouts(name string, chains [][]float64, rhat float64, w *stats.Workspace) []dispute {
	if !(rhat > stats.MaxRHat) {
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

// A finding is the result for one parameter: its row, and the problems seen in its draws.
type finding struct {
	row      summary.Parameter
	disputes []dispute
	apart    apart
	edge     edge
}

// settings holds the settings of a run on which advice depends, so that advice does not repeat what the user already
// did. A field is zero if the sampler chose its value.
type settings struct {
	Accept   float64
	StepSize float64
	MaxDepth int
}
