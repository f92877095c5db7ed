package renhd

import (
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

const (
	margin          = 2 // to the goal of thinning, since a pilot can be lucky
	maxThin         = 50
	pilotIterations = 300
	longest         = 8 // times the usual length of a trajectory
)

// chooseThinning decides, from pilots of the sampler as it will run, how many iterations make a draw. Before that is
// several, trajectories are made twice as long as long as that pays: a coordinate too slow for a quarter period then
// moves like length squared, where repeating gains like number.
func (c *drawCollector) chooseThinning() error {
	r, o := c.run, c.run.shared.options
	report := &r.stats.Report
	report.Thin = max(o.Thin, 1)
	if o.Thin > 0 || o.Warmup == 0 || r.walkers.traits.Flagged {
		return nil
	}
	share, err := c.shareWithoutDivergences()
	for err == nil && r.canLengthen() && share < margin*adapt.GoalShare {
		var longer float64
		r.state.Length *= 2
		if longer, err = c.pilot(); longer/2 < share {
			r.state.Length /= 2
			break
		}
		share = longer
	}
	report.Thin = adapt.Thin(share, margin*adapt.GoalShare, maxThin)
	report.Divergences, report.NotFinite, report.NonFiniteEnds, r.stats.Steps = 0, 0, nil, 0
	return err
}

// shareWithoutDivergences is the share of a pilot with few divergences: while there are more, steps are halved, twice
// at most. A divergence is a place that the step cannot follow; where a shorter one can, nobody should have to ask for
// it.
func (c *drawCollector) shareWithoutDivergences() (share float64, err error) {
	const few, halvings = 0.001, 2
	r, w := c.run, c.run.walkers
	for try := 0; ; try++ {
		r.stats.Report.Divergences = 0
		share, err = c.pilot()
		often := float64(r.stats.Report.Divergences) > few*float64(pilotIterations*w.chains)
		if err != nil || !often || try == halvings || !r.shared.adaptsStep() {
			return share, err
		}
		for j := range w.Rungs {
			w.Rungs[j].Step /= 2
		}
		w.writeAllRungs()
		r.state.MedianStep /= 2
	}
}

func (r *run) canLengthen() bool {
	return !r.shared.free() && r.shared.settings().Steps == 0 && r.state.Length < longest
}

// pilot is the worst effective share of iterations, over location and spread of everything saved.
func (c *drawCollector) pilot() (share float64, err error) {
	w := c.run.walkers
	seen, chains := make([][][]float64, w.chains), make([]int, w.chains)
	for chain := range chains {
		chains[chain] = chain
	}
	values := make([]float64, w.exe.Size(dynamics.Values))
	for range pilotIterations {
		if err := c.moveAndSwap(); err != nil {
			return 1, err
		}
		c.run.showProgress(infer.WarmingUp)
		if err := c.computeValues(chains); err != nil {
			return 1, err
		}
		for chain := range seen {
			w.exe.GetLane(dynamics.Values, w.cold(chain), values)
			seen[chain] = append(seen[chain], slices.Clone(values))
		}
	}
	return adapt.WorstShare(seen), nil
}
