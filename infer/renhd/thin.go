package renhd

import (
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

const (
	margin   = 2 // to the goal of thinning, since a pilot can be lucky
	mostThin = 50
	pilot    = 300
	longest  = 8 // times the usual length of a trajectory
)

// thin decides, from pilots of the sampler as it will run, how many iterations make a draw. Before it comes to several,
// trajectories are made twice as long as long as that pays: a coordinate too slow for a quarter period then moves like
// length squared, where repeating gains like number.
func (k *keeper) thin() error {
	k.report.Thin = max(k.options.Thin, 1)
	if k.options.Thin > 0 || k.options.Warmup == 0 || k.walkers.traits.Flagged {
		return nil
	}
	share, err := k.calm()
	for err == nil && k.canLengthen() && share < margin*adapt.GoalShare {
		var longer float64
		k.length *= 2
		if longer, err = k.pilot(); longer/2 < share {
			k.length /= 2
			break
		}
		share = longer
	}
	k.report.Thin = adapt.Thin(share, margin*adapt.GoalShare, mostThin)
	k.report.Divergences, k.report.NotFinite, k.report.Astray, k.totalSteps = 0, 0, nil, 0
	k.trail = make([]trail, k.walkers.chains)
	return err
}

// calm is the share of a pilot with few divergences: while there are more, steps are halved, twice at most. A
// divergence is a place that the step cannot follow; where a shorter one can, nobody should have to ask for it.
func (k *keeper) calm() (share float64, err error) {
	const few, halvings = 0.001, 2
	for try := 0; ; try++ {
		k.report.Divergences = 0
		share, err = k.pilot()
		often := float64(k.report.Divergences) > few*float64(pilot*k.walkers.chains)
		if err != nil || !often || try == halvings || k.free() || k.settings().StepSize > 0 {
			return share, err
		}
		for j := range k.walkers.rungs {
			k.walkers.rungs[j].step /= 2
		}
		k.walkers.settleAll()
		k.pace /= 2
	}
}

func (k *keeper) canLengthen() bool {
	return !k.free() && k.settings().Steps == 0 && k.length < longest
}

// pilot is the worst effective share of iterations, over location and spread of everything saved.
func (k *keeper) pilot() (share float64, err error) {
	seen, all, size := make([][][]float64, k.walkers.chains), k.allChains(), k.walkers.exe.Size(dynamics.Values)
	for range pilot {
		if err := k.sweep(); err != nil {
			return 1, err
		}
		k.tell(infer.WarmingUp)
		if err := k.findValues(all); err != nil {
			return 1, err
		}
		for chain := range seen {
			values := make([]float64, size)
			k.walkers.exe.GetLane(dynamics.Values, k.walkers.cold(chain), values)
			seen[chain] = append(seen[chain], values)
		}
	}
	return adapt.WorstShare(seen), nil
}
