// Package diagnose summarises a run and judges whether its draws can be trusted. It reads only the run directory.
//
//	r, err := diagnose.Summarize(run, summary.View{})
//	r.Parameters    name, mean, standard deviation, quantiles, R-hat, effective sample sizes
//	r.Warnings      [{R-hat is above 1.01 for 3 of 10 parameters (mu: 1.14). …}]
//	r.Unusable      true
//
// Rules (topics.go) turn the analysis of all draws (findings) into warnings with reasons and advice, by topic. Limits
// are those of Vehtari, Gelman, Simpson, Carpenter, Bürkner, "Rank-normalization, folding, and localization", Bayesian
// Analysis 2021.
package diagnose

import (
	"maps"
	"math"
	"slices"

	"ppl/lang/types"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// Summarize summarises a run with the parameters and columns of a view. Warnings cover the entire run, whatever the
// view. It returns an error if the draws cannot be read or the view names unknown quantities.
func Summarize(r *store.Run, v summary.View) (summary.Report, error) {
	if r.FromPrior() {
		return summarizePrior(r, v)
	}
	s := r.Info.Report
	report := summary.Report{
		Dir: r.Dir, Model: r.Info.Model, Sampler: r.Info.Sampler, Device: r.Info.Device, Seed: r.Info.Seed,
		Chains: r.Layout.Chains, Draws: r.Info.Draws, Seconds: s.Seconds, Gradients: s.Gradients,
		Exchange: exchange(s), Notes: s.Notes,
	}
	was := askedOf(r)
	f := findings{run: r.Info, settings: was.Settings, view: v, drawn: r.Layout.Parameters, effects: r.Layout.Effects,
		exchangeable: r.Layout.Exchangeable}
	diverged, kept, err := divergences(r, v)
	if err != nil {
		return summary.Report{}, err
	}
	report.Divergences = max(kept, s.Divergences)
	if kept >= leastEdge {
		f.diverged = diverged
	}
	if err := f.summarize(r); err != nil {
		return summary.Report{}, err
	}
	f.report = &report
	rows := append(topics(), fromSampler(s.Warnings))
	if was.Asked.Search != nil {
		rows = ofSearch()
	}
	report.Topics = f.diagnose(rows)
	report.Warnings, report.Unusable = ranked(report.Topics)
	report.Rungs = s.Rungs
	report.Pace, report.View = summary.Pace{Thin: max(s.Thin, 1), Steps: float64(s.Steps), EBFMI: s.EBFMI,
		EnergyESS: f.lowEnergyESS()}, v
	report.Parameters, err = v.Choose(f.parameters, r.Layout.Posterior, r)
	return report, err
}

func reader(r *store.Run, v summary.View) quantities.Reader {
	return quantities.Reader{Run: r, Memory: v.Memory}
}

func exchange(s store.SamplerReport) *summary.Exchange {
	if len(s.Temperatures) < 2 {
		return nil
	}
	return &summary.Exchange{Temperatures: s.Temperatures, SwapRates: s.SwapRates, RoundTrips: s.RoundTrips,
		Barrier: float64(s.Barrier)}
}

// divergences returns, by [chain][draw], whether the trajectory that ended in a draw diverged, and the number of such
// draws. chains is nil if there are fewer than leastEdge. The sampler's total also includes trajectories between kept
// draws, but a killed run lacks it.
func divergences(r *store.Run, v summary.View) (chains [][]float64, n int, err error) {
	if !r.HasStat("diverging") {
		return nil, 0, nil
	}
	err = r.Each(store.SamplerStats, "diverging", func(_, _ int, draws []float64) {
		for _, x := range draws {
			if x != 0 {
				n++
			}
		}
	})
	if err != nil || n < leastEdge {
		return nil, n, err
	}
	chains, err = reader(r, v).Stat("diverging")
	return chains, n, err
}

// quantityCost is the memory that a quantity needs in a report, in bytes: name, statistics, and draws while they are
// read.
const quantityCost = 512

// summarize analyses the posterior variable by variable, so that only one variable's draws are in memory at a time, and
// then the log density.
func (f *findings) summarize(r *store.Run) error {
	walkers, err := walkersOf(r, f.view)
	if err != nil {
		return err
	}
	for _, v := range r.Layout.Posterior {
		f.compared += v.Size()
	}
	if err := r.NeedMemory(f.compared, quantityCost); err != nil {
		return err
	}
	for _, v := range r.Layout.Posterior {
		if err := f.variable(r, store.PosteriorDraws, v, walkers); err != nil {
			return err
		}
	}
	density := "lp"
	if !r.HasStat(density) {
		density = "lp_estimate"
	}
	if !r.HasStat(density) {
		return nil
	}
	return reader(r, f.view).Each(store.SamplerStats, types.Variable{Name: density}, f.view.Exact(),
		func(_ int, q quantities.Quantity, w *stats.Workspace) {
			lp := q.Summary(w)
			f.energyESS = min(lp.ESSBulk, lp.ESSTail)
			if len(r.Info.Report.Weights) > 0 {
				return // chains near different optima have different log densities
			}
			f.disputes = append(f.disputes, whereabouts("the log density "+density, q.Chains, lp.RHat, w)...)
		})
}

// variable analyses the elements of v and adds the results to f.
func (f *findings) variable(r *store.Run, of store.Part, v types.Variable, walkers []walker) error {
	found := make([]finding, v.Size())
	err := reader(r, f.view).Each(of, v, f.view.Exact(), func(i int, q quantities.Quantity, w *stats.Workspace) {
		found[i] = f.look(v, i, q, walkers, w)
	})
	for _, x := range found {
		f.add(x)
	}
	return err
}

// summarizePrior summarises draws from the prior and from the prior predictive distribution. These draws are
// independent, so there are no warnings.
func summarizePrior(r *store.Run, v summary.View) (summary.Report, error) {
	report := summary.Report{Dir: r.Dir, Model: r.Info.Model, Sampler: r.Info.Sampler, Seed: r.Info.Seed,
		Chains: r.Layout.Chains, Draws: r.Info.Draws, Warnings: []store.Warning{}, Pace: summary.Pace{Thin: 1}, View: v}
	f := findings{run: r.Info, view: v}
	for _, group := range []struct {
		variables []types.Variable
		of        store.Part
	}{{r.Layout.Prior, store.PriorDraws}, {r.Layout.PriorPredictive, store.PriorReplicates}} {
		for _, v := range group.variables {
			if err := r.NeedMemory(v.Size(), quantityCost); err != nil {
				return summary.Report{}, err
			}
			if err := f.variable(r, group.of, v, nil); err != nil {
				return summary.Report{}, err
			}
		}
	}
	var err error
	report.Parameters, err = v.Choose(f.parameters, slices.Concat(r.Layout.Prior, r.Layout.PriorPredictive), r)
	return report, err
}

func (f *findings) look(v types.Variable, i int, q quantities.Quantity, ws []walker, w *stats.Workspace) finding {
	p := summary.Parameter{Name: v.Element(i), Variable: v.Name, Summary: q.Summary(w), Marks: f.view.Marks(q),
		Imputed: isImputed(v)}
	chains := q.Chains
	if spanned(v.Between, chains) {
		p.TailShape = 0
	}
	walkers := ofWalkers(chains, ws)
	if e := stats.MCSEOfGroups(walkers); e > p.MCSEMean {
		p.MCSEMean = e
	}
	x := finding{row: p, disputes: whereabouts(p.Name, chains, p.RHat, w),
		apart: apart{p.Name, w.Apart(walkers, fewestOfWalker)}}
	if f.diverged != nil {
		x.edge = edgeOf(p.Name, chains, f.diverged)
	}
	return x
}

// leastSpan is the share of the interval between the bounds of a quantity that draws must cover to show its tails.
const leastSpan = .1

// spanned reports whether a quantity has bounds and its draws cover more than leastSpan of the interval between them,
// as for a probability that is usually small and near 1/2 in some draws. A heavy tail then does no harm: no value can
// be more than ten times as far out as those drawn.
func spanned(between []float64, chains [][]float64) bool {
	if between == nil {
		return false
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, c := range chains {
		for _, x := range c {
			least, most = min(least, x), max(most, x)
		}
	}
	return most-least > leastSpan*(between[1]-between[0])
}

// isImputed reports whether a variable holds imputed missing data, which have an axis named after the variable.
func isImputed(v types.Variable) bool { return slices.Equal(v.Dims, []string{v.Name + "_missing"}) }

// A walker lists the draws of one chain that one walker of the ladder produced.
type walker struct {
	chain int
	draws []int // indices within the chain, ascending
}

// walkersOf groups draws by walker. It returns nil if the run has no ladder.
func walkersOf(r *store.Run, v summary.View) (ws []walker, err error) {
	if !r.HasStat("replica") || len(r.Info.Report.Temperatures) < 2 {
		return nil, nil
	}
	replicas, err := reader(r, v).Stat("replica")
	if err != nil {
		return nil, err
	}
	for chain, which := range replicas {
		of := map[float64][]int{}
		for d, number := range which {
			of[number] = append(of[number], d)
		}
		for _, number := range slices.Sorted(maps.Keys(of)) {
			ws = append(ws, walker{chain, of[number]})
		}
	}
	return ws, nil
}

// ofWalkers returns a quantity's draws by walker.
func ofWalkers(chains [][]float64, ws []walker) [][]float64 {
	xs := make([][]float64, len(ws))
	for i, from := range ws {
		all := chains[from.chain]
		for _, d := range from.draws {
			if d < len(all) { // arrays of a running run can have different lengths
				xs[i] = append(xs[i], all[d])
			}
		}
	}
	return xs
}
