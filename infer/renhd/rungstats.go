package renhd

import (
	"ppl/infer/dynamics"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// rungStatistics accumulates per-rung and per-chain statistics after warm-up, for the report.
type rungStatistics struct {
	Rungs     []rungCount
	Energies  []stats.Energies // by chain, of the cold rung
	FirstHalf []pair           // the swaps of the first half of the draws
}

// A rungCount sums over the iterations of all chains' walkers on one rung.
type rungCount struct {
	Trajectories                 int
	Accept, Diverged, Thermostat float64
	Up, Down                     int // visits of walkers that were last on the coldest rung, or on the hottest
}

func newRungStatistics(rungs, chains int) rungStatistics {
	return rungStatistics{Rungs: make([]rungCount, rungs), Energies: make([]stats.Energies, chains)}
}

// add takes in one iteration: after the trajectories and before the swaps, while walkers are on the rungs they moved
// on.
func (s *rungStatistics) add(w *walkers, trips *roundTrips, now *ends) {
	for chain := range s.Energies {
		s.Energies[chain].Add(now.total[w.cold(chain)])
	}
	var xi []float64
	if w.thermostated() {
		xi = meansOf(now.numbers(dynamics.Thermostat), w.lanes())
	}
	for lane, at := range w.RungOf {
		s.Rungs[at].add(lane, now.accept, now.diverged, xi, trips.LastEnd[lane])
	}
}

func (c *rungCount) add(lane int, accept, diverged, xi []float64, lastEnd int) {
	c.Trajectories++
	c.Accept += accept[lane]
	c.Diverged += diverged[lane]
	if xi != nil {
		c.Thermostat += xi[lane]
	}
	switch lastEnd {
	case upward:
		c.Up++
	case downward:
		c.Down++
	}
}

// halves is the barrier in the first half of the draws and in the second.
func (s *rungStatistics) halves(pairs []pair) []float64 {
	if len(s.FirstHalf) == 0 || len(s.FirstHalf) != len(pairs) {
		return nil
	}
	first, second := make([]float64, len(pairs)), make([]float64, len(pairs))
	for j, p := range pairs {
		h := s.FirstHalf[j]
		first[j] = h.rate()
		second[j] = pair{Proposed: p.Proposed - h.Proposed, Accept: p.Accept - h.Accept}.rate()
	}
	return []float64{barrier(first), barrier(second)}
}

// describe fills in a rung of the report.
func (c rungCount) describe(t *store.Rungs, step float64) {
	n := float64(c.Trajectories)
	t.StepSizes = append(t.StepSizes, step)
	t.Acceptance = append(t.Acceptance, c.Accept/n)
	t.Divergence = append(t.Divergence, c.Diverged/n)
	t.Upward = append(t.Upward, float64(c.Up)/float64(c.Up+c.Down))
}

// meansOf is the mean of what each lane has in a buffer: itself where that is one number.
func meansOf(buffer []float64, lanes int) []float64 {
	if len(buffer) == lanes {
		return buffer
	}
	out := make([]float64, lanes)
	for lane, xs := range split(buffer, len(buffer)/lanes) {
		out[lane] = mean(xs)
	}
	return out
}
