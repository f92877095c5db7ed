package renhd

import (
	"ppl/infer/dynamics"
)

// warmUpFree warms up a rule that rejects nothing. Corrected trajectories come down from any start; they find how wide
// the target is and whether walkers agree, and only then the rule takes over. With minibatches they do so on a few rows
// that represent all, weighted to be as many: a posterior about as wide, about as shaped and, in its own standard
// deviations, not far away, whose gradients are exact and cheap.
func (r *warmup) warmUpFree() error {
	own := r.phase
	r.phase = own.atReference()
	_, agreed, err := r.explore()
	if err != nil {
		return err
	}
	n := own.settings().Replicas
	if n == 0 {
		if n = firstRungs; agreed {
			n, own = 1, own.onPath(dynamics.Plain)
		}
	}
	if n > 1 {
		if err := r.goOnIn(r.phase.notCentred(r.Centring)); err != nil {
			return err
		}
	}
	r.phase = own.inCoordinates(r.Centring)
	if err := r.takeOver(n); err != nil {
		return err
	}
	if n > 1 {
		if err := r.adaptLadder(); err != nil {
			return err
		}
		return r.rows.anchorAtColdWalkers()
	}
	left := r.iterationsLeft()
	_, err = r.windows(window{sweeps: sweeps(.3, left), metric: true}, window{sweeps: sweeps(.4, left), metric: true},
		window{sweeps: sweeps(.3, left)})
	return err
}

// takeOver puts n walkers a chain where the explorers are, to move by the run's own rule.
func (r *warmup) takeOver(n int) error {
	old, at := r.walkers, r.walkers.positions()
	load := func() error {
		metric := r.walkers.Rungs[0].Metric
		if err := r.loadLadder(firstBetas(&r.phase, n), n); err != nil {
			return err
		}
		for j := range r.walkers.Rungs {
			r.walkers.Rungs[j].Metric = metric
		}
		r.walkers.writeAllRungs()
		return nil
	}
	if err := load(); err != nil {
		return err
	}
	if err := r.moveFrom(at, old.PerChain, func(walker int) int { return walker % old.PerChain }); err != nil {
		return err
	}
	if !r.phase.batches.Some() {
		return nil
	}
	if err := r.rows.firstAnchors(load); err != nil {
		return err
	}
	return r.rows.chooseBatch()
}
