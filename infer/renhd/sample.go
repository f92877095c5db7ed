package renhd

import (
	"ppl/infer"
	"ppl/infer/draws"
	"ppl/infer/dynamics"
)

// statistics are what is kept beside each draw, in order.
func statistics() []draws.Variable {
	return []draws.Variable{{Name: "lp"}, {Name: "log_prior"}, {Name: "log_likelihood"}, {Name: "acceptance_rate"},
		{Name: "step_size"}, {Name: "n_steps", Int: true}, {Name: "diverging", Int: true}, {Name: "energy"}}
}

// A keeper takes the draws of the cold rung.
type keeper struct {
	*run
	mask   []bool
	values []float64
	trail  []trail // by chain: the cold rung's walker since the last draw
	ledger *ledger
}

// trail is what happened on the cold rung between two draws.
type trail struct {
	accept, steps float64
	sweeps        int
	diverged      bool
}

// sample takes the draws. Thinning is decided first, from a pilot at the end of warm-up.
func (r *run) sample() error {
	k := &keeper{run: r, trail: make([]trail, r.options.Chains), ledger: newLedger(len(r.walkers.rungs), r.options.Chains)}
	r.pace = r.walkers.medianStep()
	if err := k.thin(); err != nil {
		return err
	}
	if err := r.recorder.Begin(statistics()); err != nil {
		return err
	}
	r.exchange.reset(len(r.walkers.rungs), r.walkers.lanes())
	k.ledger = newLedger(len(r.walkers.rungs), r.options.Chains)
	defer k.account()
	for draw := range r.options.Draws {
		if draw == r.options.Draws/2 {
			k.ledger.halve(&r.exchange)
		}
		for range r.report.Thin {
			if err := k.sweep(); err != nil {
				return err
			}
			r.kept++
			r.tell(infer.Sampling)
		}
		if err := k.keep(); err != nil {
			return err
		}
		r.report.Draws++
	}
	return nil
}

// sweep moves every walker by a trajectory and trades rungs once.
func (k *keeper) sweep() error {
	w := k.walkers
	n := k.steps(mostSteps)
	if err := w.trajectory(k.ctx, n); err != nil {
		return err
	}
	accept, diverged := w.read(dynamics.Accept, nil), w.read(dynamics.Diverged, nil)
	for chain := range w.chains {
		lane, t := w.cold(chain), &k.trail[chain]
		t.accept += accept[lane]
		t.steps += float64(n)
		t.sweeps++
		if diverged[lane] != 0 {
			t.diverged = true
			k.report.Divergences++
		}
	}
	k.totalSteps += float64(n)
	k.ledger.note(w, &k.exchange, accept, diverged)
	k.exchange.swap(w)
	k.swept++
	return nil
}

// medianStep is that of the rungs.
func (w *walkers) medianStep() float64 {
	var steps []float64
	for _, r := range w.rungs {
		steps = append(steps, r.step)
	}
	return median(steps, ones(len(steps)))
}

// cold is the lane of a chain at T = 1; without swaps, its first.
func (w *walkers) cold(chain int) int {
	if len(w.rungs) == 1 {
		return chain * w.per
	}
	return w.laneAt(chain, 0)
}

// keep hands one draw of each chain to the recorder.
func (k *keeper) keep() error {
	w := k.walkers
	if err := k.readValues(); err != nil {
		return err
	}
	logPrior, logLik, total := w.read(dynamics.LogPrior, nil), w.read(dynamics.LogLik, nil), w.read(dynamics.Total, nil)
	size := w.exe.Size(dynamics.Values)
	for chain := range w.chains {
		lane, t := w.cold(chain), &k.trail[chain]
		stats := []float64{logPrior[lane] + logLik[lane], logPrior[lane], logLik[lane], t.accept / float64(t.sweeps),
			w.rungs[0].step, t.steps, flag(t.diverged), total[lane]}
		if err := k.recorder.Draw(chain, k.values[lane*size:(lane+1)*size], stats); err != nil {
			return err
		}
		*t = trail{}
	}
	return nil
}

// readValues computes what is saved of the cold rung's walkers.
func (k *keeper) readValues() error {
	w := k.walkers
	k.mask = make([]bool, w.lanes())
	for chain := range w.chains {
		k.mask[w.cold(chain)] = true
	}
	if err := w.entry(k.ctx, dynamics.Values, k.mask); err != nil {
		return err
	}
	k.values = w.read(dynamics.Values, k.values)
	return nil
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
