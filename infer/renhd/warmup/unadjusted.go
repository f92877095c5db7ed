package warmup

import (
	"ppl/infer/dynamics"
	"ppl/infer/renhd/ladder"
)

// WarmUpFree warms up a rule without a Metropolis test. First, corrected trajectories move from any starting point to
// the target, estimate its scales, and show whether walkers agree. Then the rule takes over. With minibatches, the
// corrected trajectories use a weighted sample of rows. It has exact and cheap gradients, and its posterior has about
// the same width and shape as the target, and a similar location in units of its standard deviations.
func (r *Warmup) WarmUpFree() error {
	own := r.Phase
	r.Phase = own.AtReference()
	_, agreed, err := r.Explore()
	if err != nil {
		return err
	}
	n := own.Settings().Replicas
	if n == 0 {
		n = firstRungs
		if agreed {
			n, own = 1, own.OnPath(dynamics.Plain)
		}
	}
	if n > 1 {
		if err := r.convertTo(r.Phase.NotCentred(r.Centring)); err != nil {
			return err
		}
	}
	r.Phase = own.InCoordinates(r.Centring)
	if err := r.takeOver(n); err != nil {
		return err
	}
	if n > 1 {
		if err := r.adaptLadder(); err != nil {
			return err
		}
		return r.rows.AnchorAtColdWalkers()
	}
	left := r.iterationsLeft()
	_, err = r.windows(window{sweeps: sweeps(.3, left), metric: true}, window{sweeps: sweeps(.4, left), metric: true},
		window{sweeps: sweeps(.3, left)})
	return err
}

// takeOver places n walkers for each chain at the explorers' positions, to be moved by the run's own rule.
func (r *Warmup) takeOver(n int) error {
	old, at := r.Walkers, r.Walkers.Positions()
	load := func() error {
		metric := r.Walkers.Rungs[0].Metric
		if err := r.loadLadder(ladder.FirstBetas(&r.Phase, n), n); err != nil {
			return err
		}
		for j := range r.Walkers.Rungs {
			r.Walkers.Rungs[j].Metric = metric
		}
		r.Walkers.WriteAllRungs()
		return nil
	}
	if err := load(); err != nil {
		return err
	}
	if err := r.MoveFrom(at, old.PerChain, func(walker int) int { return walker % old.PerChain }); err != nil {
		return err
	}
	if !r.Phase.Batches.InUse() {
		return nil
	}
	if err := r.rows.FirstAnchors(load); err != nil {
		return err
	}
	return r.rows.ChooseBatch()
}
