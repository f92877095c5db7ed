package ladder

import (
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// RungStatistics holds statistics by rung and by chain after warm-up, for the report.
type RungStatistics struct {
	Rungs     []rungCount
	Energies  []stats.Energies // energies of each chain's cold walker
	FirstHalf []pair           // swaps during the first half of the draws
}

// A rungCount sums over the iterations of all chains' walkers on one rung.
type rungCount struct {
	Trajectories                 int
	Accept, Diverged, Thermostat float64
	Up, Down                     int // number of visits by walkers that move upward, and by walkers that move downward
}

// NewRungStatistics returns statistics that are all 0.
func NewRungStatistics(rungs, chains int) RungStatistics {
	return RungStatistics{Rungs: make([]rungCount, rungs), Energies: make([]stats.Energies, chains)}
}

// Add adds one iteration, after the trajectories and before the swaps, while walkers are on the rungs on which they
// moved.
func (s *RungStatistics) Add(w *population.Walkers, trips *roundTrips, now *population.Ends) {
	for chain := range s.Energies {
		s.Energies[chain].Add(now.Total[w.Cold(chain)])
	}
	var xi []float64
	if w.Thermostated() {
		xi = meansOf(now.Numbers(dynamics.Thermostat), w.Lanes())
	}
	for lane, at := range w.RungOf {
		s.Rungs[at].add(lane, now.Accept, now.Diverged, xi, trips.LastEnd[lane])
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

// Halves returns the barrier in the first half of the draws and in the second, given the counts of all draws. It
// returns nil if the first half was not counted for the same rungs.
func (s *RungStatistics) Halves(pairs []pair) []float64 {
	if len(s.FirstHalf) == 0 || len(s.FirstHalf) != len(pairs) {
		return nil
	}
	first, second := make([]float64, len(pairs)), make([]float64, len(pairs))
	for j, p := range pairs {
		h := s.FirstHalf[j]
		first[j] = h.rate()
		second[j] = pair{Proposed: p.Proposed - h.Proposed, Accept: p.Accept - h.Accept}.rate()
	}
	return []float64{Barrier(first), Barrier(second)}
}

// Describe appends the statistics of a rung to the report.
func (c rungCount) Describe(t *store.Rungs, step float64) {
	n := float64(c.Trajectories)
	t.StepSizes = append(t.StepSizes, step)
	t.Acceptance = append(t.Acceptance, c.Accept/n)
	t.Divergence = append(t.Divergence, c.Diverged/n)
	t.Upward = append(t.Upward, float64(c.Up)/float64(c.Up+c.Down))
}

// meansOf returns for each lane the mean of its numbers in a buffer.
func meansOf(buffer []float64, lanes int) []float64 {
	if len(buffer) == lanes {
		return buffer
	}
	out := make([]float64, lanes)
	for lane, xs := range population.Split(buffer, len(buffer)/lanes) {
		out[lane] = population.Mean(xs)
	}
	return out
}
