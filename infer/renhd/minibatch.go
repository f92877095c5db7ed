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
	if s.blocks != nil {
		s.batches = dynamics.NewBatches(n, set.Batch, 0, set.Batch, s.options.Seed)
		s.batches.HoldOut(heldOut(n), s.options.Seed)
		return s.checkFiles()
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
	if set.ControlVariates != "off" && !s.exchange.plain {
		s.batches.Anchor(s.options.Seed)
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
		r.shared.system.Metric = metric // warm-up may have chosen another form than the first
		if err := r.loadLadder(r.shared.firstBetas(n), n); err != nil {
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
	if !r.shared.batches.Some() {
		return nil
	}
	return r.firstAnchors(load)
}

// probes is the number of minibatches that the noise of gradients is measured with.
const probes = 64

// measureNoise measures the noise of each rung's gradients, in its whitened coordinates, and gives the rung a step and
// friction that suit it: √(0.2/V) at most, so that noise does not heat the walker faster than the thermostat cools it,
// and a friction of injected noise below that. A rung uses control variates where they leave less noise.
func (r *run) measureNoise() error {
	w, s := r.walkers, &r.shared
	seen, err := r.noisyGradients(dynamics.NoisyGrad)
	if err != nil {
		return err
	}
	plain := seen
	if w.anchored {
		if plain, err = r.noisyGradients(dynamics.PlainGrad); err != nil {
			return err
		}
	}
	with, without := w.noiseByRung(seen), w.noiseByRung(plain)
	for j := range w.Rungs {
		g := &w.Rungs[j]
		g.Noises = noises{with[j].worst, without[j].worst, with[j].distance}
		g.Stiffness = r.stiffness(g)
		used := with[j]
		if !(with[j].worst < without[j].worst) {
			used = without[j]
		}
		g.Noise, g.WorstNoise = used.mean, used.worst
		g.Step = s.firstStepIn(*g)
		g.Friction = s.friction(g.Beta)
		if s.settings().Friction == 0 {
			g.Friction = math.Min(defaultFriction, g.Step/2)
		}
	}
	w.writeAllRungs()
	r.stats.Report.NoiseNormal = normalityOfWorst(seen[w.cold(0)])
	return nil
}

// noisyGradients are whitened gradients of several minibatches, by lane and coordinate.
func (r *run) noisyGradients(entry string) ([][][]float64, error) {
	w := r.walkers
	if w.anchored {
		w.setAll(dynamics.AnchorShare, 1)
	}
	seen := make([][][]float64, w.lanes())
	for lane := range seen {
		seen[lane] = make([][]float64, w.dim)
	}
	for range probes {
		if err := w.runEntry(r.ctx, entry, nil); err != nil {
			return nil, err
		}
		for lane, g := range split(w.read(entry, nil), w.dim) {
			for j, v := range w.Rungs[w.RungOf[lane]].Metric.Pull(g) {
				seen[lane][j] = append(seen[lane][j], v)
			}
		}
	}
	w.Gradients += int64(probes * w.lanes())
	return seen, nil
}

// A gradientNoise is the variance of the coordinates of a whitened gradient, their mean and the largest, and the
// squared distance from the anchor, where there is one.
type gradientNoise struct{ mean, worst, distance float64 }

// noiseByRung is the mean over walkers of each rung.
func (w *walkers) noiseByRung(seen [][][]float64) []gradientNoise {
	out, at := make([]gradientNoise, len(w.Rungs)), w.positions()
	for lane, xs := range seen {
		g, worst := &out[w.RungOf[lane]], 0.0
		for _, x := range xs {
			var t tally
			for _, v := range x {
				t.add(v)
			}
			worst = math.Max(worst, t.variance())
			g.mean += t.variance() / float64(len(xs)*w.chains)
		}
		g.worst += worst / float64(w.chains)
		if len(w.Anchors) > 0 {
			to := w.Anchors[w.AnchorOf[lane]].At
			g.distance += w.Rungs[w.RungOf[lane]].Metric.Distance(at[lane], to) / float64(w.chains)
		}
	}
	return out
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
