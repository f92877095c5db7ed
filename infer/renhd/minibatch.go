package renhd

import (
	"errors"
	"fmt"
	"math"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/stats"
)

// leastReference is how many rows at least represent all in the first part of warm-up.
const leastReference = 1000

// splitRows prepares minibatches, or refuses a target that has none.
func (s *shared) splitRows() error {
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
	chunk := set.ExchangeBatch
	if chunk == 0 {
		chunk = max(set.Batch, 256)
	}
	s.batches = dynamics.NewBatches(n, set.Batch, max(set.Batch, leastReference, 10*s.target.Dim()), min(chunk, n),
		s.options.Seed)
	if t, ok := infer.Streaming(t); ok {
		s.batches.Mixed = t.Mixed()
	}
	return s.checkFiles()
}

// atReference is the same run with exact gradients: corrected trajectories, which adapt their own steps, and with
// minibatches on a few rows that represent all.
func (s shared) atReference() shared {
	s.options.Settings.StepSize, s.options.Settings.Steps = 0, 0
	s.rule, s.system = dynamics.Named("hmc"), s.system.AtReference()
	return s
}

// warmUpFree warms up a rule that rejects nothing. Corrected trajectories come down from any start; they find how wide
// the target is and whether walkers agree, and only then the rule takes over. With minibatches they do so on a few rows
// that represent all, weighted to be as many: a posterior about as wide, about as shaped and, in its own standard
// deviations, not far away, whose gradients are exact and cheap.
func (r *run) warmUpFree() error {
	own := r.shared
	r.shared = own.atReference()
	agreed, err := r.explore()
	r.shared = own
	if err != nil {
		return err
	}
	n := own.settings().Replicas
	if n == 0 {
		if n = firstRungs; agreed {
			n, r.shared.system.Path = 1, dynamics.Plain
		}
	}
	if err := r.takeOver(n); err != nil {
		return err
	}
	if n > 1 {
		if err := r.adaptLadder(); err != nil {
			return err
		}
		return r.setPivots()
	}
	left := r.iterationsLeft()
	_, err = r.windows(window{sweeps: sweeps(.3, left), metric: true}, window{sweeps: sweeps(.4, left), metric: true},
		window{sweeps: sweeps(.3, left)})
	return err
}

// takeOver puts n walkers a chain where the explorers are, to move by the run's own rule.
func (r *run) takeOver(n int) error {
	old, at := r.walkers, r.walkers.positions()
	if err := r.loadLadder(r.shared.firstBetas(n), n); err != nil {
		return err
	}
	for j := range r.walkers.Rungs {
		r.walkers.Rungs[j].Metric = old.Rungs[0].Metric
	}
	r.walkers.writeAllRungs()
	if err := r.moveFrom(at, old.PerChain, func(walker int) int { return walker % old.PerChain }); err != nil {
		return err
	}
	if !r.shared.batches.Some() {
		return nil
	}
	if err := r.setPivots(); err != nil {
		return err
	}
	return r.measureNoise()
}

// probes is the number of minibatches that the noise of gradients is measured with.
const probes = 64

// measureNoise measures the noise of each rung's gradients, in its whitened coordinates, and gives the rung a step and
// friction that suit it: √(0.2/V) at most, so that noise does not heat the walker faster than the thermostat cools it,
// and a friction of injected noise below that.
func (r *run) measureNoise() error {
	w, s := r.walkers, &r.shared
	seen, err := r.noisyGradients()
	if err != nil {
		return err
	}
	for j := range w.Rungs {
		w.Rungs[j].Noise, w.Rungs[j].WorstNoise = 0, 0
	}
	for lane, xs := range seen {
		w.Rungs[w.RungOf[lane]].addNoise(xs, float64(w.chains))
	}
	for j := range w.Rungs {
		w.Rungs[j].Step = s.firstStepIn(w.Rungs[j])
		w.Rungs[j].Friction = s.friction(w.Rungs[j].Beta)
		if s.settings().Friction == 0 {
			w.Rungs[j].Friction = math.Min(defaultFriction, w.Rungs[j].Step/2)
		}
	}
	w.writeAllRungs()
	r.stats.Report.NoiseNormal = normalityOfWorst(seen[w.cold(0)])
	return nil
}

// noisyGradients are whitened gradients of several minibatches, by lane and coordinate.
func (r *run) noisyGradients() ([][][]float64, error) {
	w := r.walkers
	seen := make([][][]float64, w.lanes())
	for lane := range seen {
		seen[lane] = make([][]float64, w.dim)
	}
	for range probes {
		if err := w.runEntry(r.ctx, dynamics.NoisyGrad, nil); err != nil {
			return nil, err
		}
		for lane, g := range split(w.read(dynamics.NoisyGrad, nil), w.dim) {
			for j, v := range w.Rungs[w.RungOf[lane]].Metric.Pull(g) {
				seen[lane][j] = append(seen[lane][j], v)
			}
		}
	}
	w.Gradients += int64(probes * w.lanes())
	return seen, nil
}

// addNoise adds what one walker's gradients show, of `walkers` on the rung.
func (g *rung) addNoise(xs [][]float64, walkers float64) {
	worst := 0.0
	for _, x := range xs {
		var t tally
		for _, v := range x {
			t.add(v)
		}
		worst = math.Max(worst, t.variance())
		g.Noise += t.variance() / float64(len(xs)) / walkers
	}
	g.WorstNoise += worst / walkers
}

// normalityOfWorst is Shapiro and Wilk's W of the noise in the coordinate that has most of it.
func normalityOfWorst(xs [][]float64) float64 {
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
