package renhd

import (
	"errors"
	"fmt"

	"ppl/infer"
	"ppl/infer/dynamics"
)

// leastReference is how many rows at least represent all in the first part of warm-up.
const leastReference = 1000

// splitRows prepares minibatches, or refuses a target that has none.
func (s *phase) splitRows() error {
	set := s.settings()
	if set.Batch == 0 {
		if err := infer.NeedAll(s.target, "renhd without minibatches"); err != nil {
			return err
		}
		if set.ExchangeBatch > 0 {
			return errors.New("exchange_batch is for minibatches: set batch too")
		}
		return nil
	}
	t, ok := s.target.(infer.Splittable)
	if !ok {
		return errors.New("minibatches need a likelihood that is a sum over rows; leave out batch")
	}
	n, err := t.Rows()
	switch {
	case err != nil:
		return err
	case dynamicsOf(set) == "hmc":
		return errors.New("minibatches make gradients noisy, which hmc cannot correct; leave out dynamics or batch")
	case set.Batch > n:
		return fmt.Errorf("batch = %d, but the data have %d rows; leave it out to use them all", set.Batch, n)
	}
	if s.blocks != nil {
		s.batches = dynamics.NewBatches(n, set.Batch, 0, set.Batch, s.options.Seed)
		s.batches.HoldOut(infer.HeldOut(n), s.options.Seed)
		return s.checkFiles()
	}
	chunk := set.ExchangeBatch
	if chunk == 0 {
		chunk = max(set.Batch, 256)
	}
	s.batches = dynamics.NewBatches(n, set.Batch, max(set.Batch, leastReference, 10*s.target.Dim()), min(chunk, n),
		s.options.Seed)
	if t, ok := infer.Streaming(t); ok {
		s.batches.Mixed, s.batches.Pass = t.Mixed(), rowsOfPass(t, n, s.batches.Chunk)
	}
	if set.ControlVariates != "off" && !s.exchange.plain {
		s.batches.Anchor(s.options.Seed)
	}
	return s.checkFiles()
}

// passNumbers are how many numbers of a file each walker has at a time in a pass over all rows: enough for several
// turns, which threads and ranks share, and so few that they cost no memory.
const passNumbers = 1 << 16

// rowsOfPass is how many of n rows a pass takes at a time.
func rowsOfPass(t infer.Streamed, n, least int) int {
	width := 1
	for k := range t.Streams() {
		_, one := t.StreamInput(k, 1)
		width = max(width, one)
	}
	return min(n, max(least, passNumbers/width))
}

// warmUpFree warms up a rule that rejects nothing. Corrected trajectories come down from any start; they find how wide
// the target is and whether walkers agree, and only then the rule takes over. With minibatches they do so on a few rows
// that represent all, weighted to be as many: a posterior about as wide, about as shaped and, in its own standard
// deviations, not far away, whose gradients are exact and cheap.
func (r *run) warmUpFree() error {
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
		if err := r.goOnIn(r.notCentred(r.Centring)); err != nil {
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
		return r.anchorAtColdWalkers()
	}
	left := r.iterationsLeft()
	_, err = r.windows(window{sweeps: sweeps(.3, left), metric: true}, window{sweeps: sweeps(.4, left), metric: true},
		window{sweeps: sweeps(.3, left)})
	return err
}

// takeOver puts n walkers a chain where the explorers are, to move by the run's own rule.
func (r *run) takeOver(n int) error {
	old, at := r.walkers, r.walkers.positions()
	load := func() error {
		metric := r.walkers.Rungs[0].Metric
		if err := r.loadLadder(r.phase.firstBetas(n), n); err != nil {
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
	if err := r.firstAnchors(load); err != nil {
		return err
	}
	return r.chooseBatch()
}
