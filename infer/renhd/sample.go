package renhd

import (
	"fmt"
	"slices"

	"ppl/infer"
	"ppl/infer/draws"
	"ppl/infer/dynamics"
)

// statistics are what is kept beside each draw, in order.
func statistics() []draws.Variable {
	return []draws.Variable{{Name: "lp"}, {Name: "log_prior"}, {Name: "log_likelihood"}, {Name: "acceptance_rate"},
		{Name: "step_size"}, {Name: "n_steps", Int: true}, {Name: "diverging", Int: true}, {Name: "energy"},
		{Name: "replica", Int: true}}
}

// A keeper takes the draws of the cold rung.
type keeper struct {
	*run
	mask   []bool
	due    []int     // chains that have a draw now
	spare  []pending // room for draws to come
	trail  []trail   // by chain: the cold rung's walker since the last draw
	ledger *ledger
}

// trail is what happened on the cold rung between two draws.
type trail struct {
	accept, steps float64
	sweeps        int
	counted       int // sweeps that count
	diverged      bool
	queue         []pending // not handed on yet, for other chains have none
}

// A pending draw waits for those of other chains.
type pending struct{ values, stats []float64 }

// sample takes the draws. Thinning is decided first, from a pilot at the end of warm-up.
func (r *run) sample() error {
	k := &keeper{run: r, mask: make([]bool, r.walkers.lanes()), trail: make([]trail, r.options.Chains),
		ledger: newLedger(len(r.walkers.rungs), r.options.Chains)}
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
	for halved := false; r.report.Draws < r.options.Draws; {
		if !halved && r.report.Draws >= r.options.Draws/2 {
			k.ledger.halve(&r.exchange)
			halved = true
		}
		if err := k.sweep(); err != nil {
			return err
		}
		r.kept++
		r.tell(infer.Sampling)
		if err := k.keep(); err != nil {
			return err
		}
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
	accept, diverged := w.view(dynamics.Accept), w.view(dynamics.Diverged)
	k.noteStrays()
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
	k.swept++
	return k.exchange.swap(k.ctx, w)
}

// noteStrays counts the walkers whose trajectory left the numbers.
func (k *keeper) noteStrays() {
	w := k.walkers
	for lane, finite := range w.view(dynamics.Finite) {
		if finite == 0 {
			theta := make([]float64, w.dim)
			w.exe.GetLane(dynamics.Ended, lane, theta)
			k.report.Stray(theta)
		}
	}
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
func (w *walkers) cold(chain int) int { return w.laneAt(chain, 0) }

// keep takes the draws that are due, and hands on to the recorder one of each chain when all chains have one. A chain's
// draw is due when so many iterations as thinning asks for have counted; where a rule flags what counts, chains have
// theirs at different times.
func (k *keeper) keep() error {
	k.findDue()
	if err := k.take(); err != nil {
		return err
	}
	for {
		for _, t := range k.trail {
			if len(t.queue) == 0 {
				return nil
			}
		}
		for chain := range k.trail {
			t := &k.trail[chain]
			d := t.queue[0]
			t.queue = slices.Delete(t.queue, 0, 1)
			if err := k.recorder.Draw(chain, d.values, d.stats); err != nil {
				return err
			}
			k.spare = append(k.spare, d)
		}
		if k.report.Draws++; k.report.Draws == k.options.Draws {
			return nil
		}
	}
}

// findDue lists the chains that have a draw now.
func (k *keeper) findDue() {
	w := k.walkers
	var counts []float64
	if w.traits.Flagged {
		counts = w.view(dynamics.Counts)
	}
	k.due = k.due[:0]
	for chain := range k.trail {
		if counts != nil && counts[w.cold(chain)] == 0 {
			continue
		}
		if k.trail[chain].counted++; k.trail[chain].counted == k.report.Thin {
			k.due = append(k.due, chain)
		}
	}
}

// take puts a draw of each chain that is due in its queue.
func (k *keeper) take() error {
	if len(k.due) == 0 {
		return k.patience()
	}
	w := k.walkers
	if err := k.findValues(k.due); err != nil {
		return err
	}
	logPrior, logLik, total := w.view(dynamics.LogPrior), w.view(dynamics.LogLik), w.view(dynamics.Total)
	for _, chain := range k.due {
		lane, t, d := w.cold(chain), &k.trail[chain], k.room()
		w.exe.GetLane(dynamics.Values, lane, d.values)
		d.stats = append(d.stats[:0], logPrior[lane]+logLik[lane], logPrior[lane], logLik[lane],
			t.accept/float64(t.sweeps),
			w.rungs[0].step, t.steps, flag(t.diverged), total[lane], float64(lane-chain*w.per))
		*t = trail{queue: append(t.queue, d)}
	}
	return nil
}

// room is where a draw can stand.
func (k *keeper) room() pending {
	n := len(k.spare)
	if n == 0 {
		return pending{values: make([]float64, k.walkers.exe.Size(dynamics.Values))}
	}
	d := k.spare[n-1]
	k.spare = k.spare[:n-1]
	return d
}

// patience ends a run in which some chain no longer comes to what counts.
func (k *keeper) patience() error {
	const most = 20_000
	for chain, t := range k.trail {
		if t.sweeps > most*k.report.Thin {
			return fmt.Errorf("chain %d has had no draw at unit temperature for %d iterations; another sampler is "+
				"needed, or a smaller step_size", chain+1, t.sweeps)
		}
	}
	return nil
}

// findValues computes what is saved of these chains' cold walkers, in the lane buffer Values.
func (k *keeper) findValues(chains []int) error {
	w := k.walkers
	clear(k.mask)
	for _, chain := range chains {
		k.mask[w.cold(chain)] = true
	}
	return w.entry(k.ctx, dynamics.Values, k.mask)
}

// allChains lists them.
func (k *keeper) allChains() []int {
	out := make([]int, k.walkers.chains)
	for chain := range out {
		out[chain] = chain
	}
	return out
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
