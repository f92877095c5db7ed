package renhd

import (
	"math"

	"ppl/infer/draws"
	"ppl/infer/dynamics"
	"ppl/infer/stats"
)

// A ledger counts, after warm-up, what the report tells of each rung and chain.
type ledger struct {
	rungs    []rungCount
	energies []stats.Energies // by chain, of the cold rung
	half     []pair           // the exchange's pairs at the half of the draws
}

// A rungCount sums over the iterations of all chains' walkers on one rung.
type rungCount struct {
	moves                        int
	accept, diverged, thermostat float64
	up, down                     int // visits of walkers that were last at the cold end, or at the hot end
}

func newLedger(rungs, chains int) *ledger {
	return &ledger{rungs: make([]rungCount, rungs), energies: make([]stats.Energies, chains)}
}

// note takes in one iteration: after the trajectories and before the swaps, while walkers stand on the rungs they moved
// on.
func (l *ledger) note(w *walkers, x *exchange, accept, diverged []float64) {
	total := w.view(dynamics.Total)
	for chain := range l.energies {
		l.energies[chain].Add(total[w.cold(chain)])
	}
	var xi []float64
	if w.thermostated() {
		xi = w.view(dynamics.Thermostat)
	}
	for lane, at := range w.rungOf {
		l.rungs[at].note(lane, accept, diverged, xi, x.trips.last[lane])
	}
}

func (c *rungCount) note(lane int, accept, diverged, xi []float64, last int) {
	c.moves++
	c.accept += accept[lane]
	c.diverged += diverged[lane]
	if xi != nil {
		c.thermostat += xi[lane]
	}
	switch last {
	case upward:
		c.up++
	case downward:
		c.down++
	}
}

// halve remembers the pairs at the half of the draws.
func (l *ledger) halve(x *exchange) { l.half = append([]pair(nil), x.pairs...) }

// halves is the barrier before and after halve.
func (l *ledger) halves(x *exchange) []float64 {
	if len(l.half) == 0 || len(l.half) != len(x.pairs) {
		return nil
	}
	first, second := make([]float64, len(x.pairs)), make([]float64, len(x.pairs))
	for j, p := range x.pairs {
		h := l.half[j]
		first[j], second[j] = h.rate(), pair{proposed: p.proposed - h.proposed, accept: p.accept - h.accept}.rate()
	}
	return []float64{barrier(first), barrier(second)}
}

// account fills in the report with what was counted.
func (k *keeper) account() {
	l, w, out := k.ledger, k.walkers, &k.report
	if l.rungs[0].moves == 0 {
		return
	}
	for chain := range l.energies {
		if k.batches.Some() {
			break // energies are estimates, whose noise would be all that is seen
		}
		out.EBFMI = append(out.EBFMI, l.energies[chain].BFMI())
	}
	out.Halves = l.halves(&k.exchange)
	for j, c := range l.rungs {
		c.account(&out.Rungs, w.rungs[j].step)
		if w.thermostated() {
			out.Rungs.Thermostat = append(out.Rungs.Thermostat, c.thermostat/float64(c.moves))
			out.Rungs.Injected = append(out.Rungs.Injected, k.injected(w.rungs[j]))
		}
	}
}

func (c rungCount) account(t *draws.Rungs, step float64) {
	n := float64(c.moves)
	t.StepSizes = append(t.StepSizes, step)
	t.Acceptance = append(t.Acceptance, c.accept/n)
	t.Divergence = append(t.Divergence, c.diverged/n)
	t.Upward = append(t.Upward, float64(c.up)/float64(c.up+c.down))
}

// injected is the mean of s that balances what a rung's friction and the noise in its forces put in: c + εV/2, V
// measured for minibatches, else β²σ². NaN where the metric is not the identity, so that the noise is not the same in
// all directions.
func (r *run) injected(at rung) float64 {
	noise := r.system.Noise
	if r.batches.Some() {
		return at.friction + at.step*at.step*at.noise/2
	}
	if noise > 0 && r.settings().Metric != "identity" {
		return math.NaN()
	}
	return at.friction + at.step*at.step*at.beta*at.beta*noise/2
}
