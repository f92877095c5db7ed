package renhd

import (
	"errors"
	"fmt"
	"math"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/stats"
)

// leastReference is how many rows at least stand for all in the first part of warm-up.
const leastReference = 1000

// split prepares minibatches, or says why the target has none.
func (r *run) split() error {
	s := r.settings()
	if s.Batch == 0 {
		if err := infer.NeedAll(r.target, "renhd without minibatches"); err != nil {
			return err
		}
		if s.ExchangeBatch > 0 {
			return errors.New("exchange_batch is for minibatches: set batch too")
		}
		return nil
	}
	t, ok := r.target.(infer.Splittable)
	if !ok {
		return errors.New("minibatches need a likelihood that is a sum over rows; leave out batch")
	}
	n, err := t.Rows()
	switch {
	case err != nil:
		return err
	case dynamicsOf(s) == "hmc":
		return errors.New("minibatches make gradients noisy, which hmc cannot correct; leave out dynamics or batch")
	case s.Batch > n:
		return fmt.Errorf("batch = %d, but the data have %d rows; leave it out to use them all", s.Batch, n)
	}
	chunk := s.ExchangeBatch
	if chunk == 0 {
		chunk = max(s.Batch, 256)
	}
	r.batches = dynamics.NewBatches(n, s.Batch, max(s.Batch, leastReference, 10*r.target.Dim()), min(chunk, n),
		r.options.Seed)
	if t, ok := infer.Streaming(t); ok {
		r.batches.Mixed = t.Mixed()
	}
	return r.readable()
}

// warmFree warms up a rule that rejects nothing. Trajectories that correct themselves come down from any start; they
// find how wide the target is and whether walkers agree, and only then the rule takes over. With minibatches they do so
// on a few rows that stand for all, weighted to be as many: a posterior about as wide, about as shaped and, in its own
// standard deviations, not far away, whose gradients are exact and cheap.
func (r *run) warmFree() error {
	settings, rule, path := r.settings(), r.rule, r.system.Path
	r.options.Settings.StepSize, r.options.Settings.Steps = 0, 0
	r.rule, r.system = dynamics.Named("hmc"), r.system.AtReference()
	agreed, err := r.explore()
	r.options.Settings, r.rule, r.system.Batches, r.system.Path = settings, rule, r.batches, path
	if err != nil {
		return err
	}
	n := settings.Replicas
	if n == 0 {
		if n = firstRungs; agreed {
			n, r.system.Path = 1, dynamics.Plain
		}
	}
	if err := r.takeOver(n); err != nil {
		return err
	}
	if n > 1 {
		if err := r.settleLadder(r.options.Warmup - r.swept); err != nil {
			return err
		}
		return r.pin()
	}
	left := r.options.Warmup - r.swept
	_, err = r.windows(window{sweeps: sweeps(.3, left), metric: true}, window{sweeps: sweeps(.4, left), metric: true},
		window{sweeps: sweeps(.3, left)})
	return err
}

// takeOver puts n walkers a chain where explorers are, to move by minibatches.
func (r *run) takeOver(n int) error {
	old, at := r.walkers, r.walkers.positions()
	if err := r.load(r.firstBetas(n), n); err != nil {
		return err
	}
	for j := range r.walkers.rungs {
		r.walkers.rungs[j].metric = old.rungs[0].metric
	}
	r.walkers.settleAll()
	if err := r.move(at, old.per, func(walker int) int { return walker % old.per }); err != nil {
		return err
	}
	if !r.batches.Some() {
		return nil
	}
	if err := r.pin(); err != nil {
		return err
	}
	return r.fitNoise()
}

// probes is how many minibatches tell the noise of gradients.
const probes = 64

// fitNoise measures the noise of each rung's gradients, in its whitened coordinates, and gives the rung the step and
// friction that it bears: √(0.2/V) at most, so that noise does not heat the walker faster than the thermostat cools it,
// and a friction of injected noise below that.
func (r *run) fitNoise() error {
	w := r.walkers
	seen := make([][][]float64, w.lanes()) // by lane and coordinate
	for range probes {
		if err := w.entry(r.ctx, dynamics.NoisyGrad, nil); err != nil {
			return err
		}
		for lane, g := range split(w.read(dynamics.NoisyGrad, nil), w.dim) {
			if seen[lane] == nil {
				seen[lane] = make([][]float64, w.dim)
			}
			for j, v := range w.rungs[w.rungOf[lane]].metric.Pull(g) {
				seen[lane][j] = append(seen[lane][j], v)
			}
		}
	}
	w.laneSteps += int64(probes * w.lanes())
	for j := range w.rungs {
		w.rungs[j].noise, w.rungs[j].worst = 0, 0
	}
	for lane, xs := range seen {
		w.rungs[w.rungOf[lane]].probe(xs, float64(w.chains))
	}
	for j := range w.rungs {
		w.rungs[j].step = r.firstStepIn(w.rungs[j])
		w.rungs[j].friction = r.friction(w.rungs[j].beta)
		if r.settings().Friction == 0 {
			w.rungs[j].friction = math.Min(defaultFriction, w.rungs[j].step/2)
		}
	}
	w.settleAll()
	r.report.NoiseNormal = alongMain(seen[w.cold(0)])
	return nil
}

// probe adds one of so many walkers' gradients.
func (g *rung) probe(xs [][]float64, walkers float64) {
	worst := 0.0
	for _, x := range xs {
		var t tally
		for _, v := range x {
			t.add(v)
		}
		worst = math.Max(worst, t.variance())
		g.noise += t.variance() / float64(len(xs)) / walkers
	}
	g.worst += worst / walkers
}

// alongMain is Shapiro and Wilk's W of the noise along the coordinate with most of it.
func alongMain(xs [][]float64) float64 {
	most, at := 0.0, 0
	for j, x := range xs {
		var t tally
		for _, v := range x {
			t.add(v)
		}
		if v := t.variance(); v > most {
			most, at = v, j
		}
	}
	w, _ := stats.ShapiroWilk(xs[at])
	return w
}
