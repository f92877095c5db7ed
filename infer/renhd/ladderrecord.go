package renhd

import (
	"ppl/infer/dynamics"
	"ppl/posterior/store"
)

// A ladderRecord is kept of all rungs, after warm-up, for estimates of the evidence: what β multiplies, by chain and
// iteration, and positions of the hottest rung where its integral is not known, by chain and draw.
type ladderRecord struct {
	Energies []series // the row of an iteration has all rungs
	Hottest  []series // the row of a draw is a position
}

// numbers is how many it holds.
func (r *ladderRecord) numbers() (n int) {
	for c := range r.Energies {
		n += len(r.Energies[c].Numbers)
	}
	for c := range r.Hottest {
		n += len(r.Hottest[c].Numbers)
	}
	return n
}

// A series keeps rows of numbers: all while they are few, then every second, every fourth, and so on.
type series struct {
	Seen    int // rows
	Doubled int // every 2^Doubled-th is kept
	Numbers []float64
}

// wants reports whether the next row is kept.
func (s *series) wants() bool { return s.Seen&(1<<s.Doubled-1) == 0 }

// add takes in a row. Most is even.
func (s *series) add(row []float64, most int) {
	if !s.wants() {
		s.Seen++
		return
	}
	if n := len(row); len(s.Numbers) >= most*n {
		for k := range most / 2 {
			copy(s.Numbers[k*n:(k+1)*n], s.Numbers[2*k*n:])
		}
		s.Numbers = s.Numbers[:most/2*n]
		s.Doubled++
	}
	s.Numbers = append(s.Numbers, row...)
	s.Seen++
}

const (
	mostIterations = 2048    // of which energies are kept: the errors of draws at temperature 1 are no smaller, by much
	mostPositions  = 512     // of the hottest rung of a chain
	mostOfLadder   = 1 << 19 // numbers of each kind in all: 4 MB
)

// bounded is how many rows of a size each chain may keep.
func (r *energyRecord) bounded(most, size int) int {
	return max(min(most, mostOfLadder/(size*r.phase.options.Chains)), 32) / 2 * 2
}

// keepsLadder reports whether energies are exact, and draws of each rung are those of its distribution.
func (r *energyRecord) keepsLadder() bool {
	return len(r.walkers.Rungs) > 1 && r.walkers.traits.Corrected && r.phase.system.Noise == 0 &&
		!r.phase.batches.Some()
}

// keepsHottest reports whether the hottest distribution is a power of the density, in the coordinates of the model, so
// that its integral can be estimated from positions. Other ladders end at the prior.
func (r *energyRecord) keepsHottest() bool {
	return r.keepsLadder() && r.phase.system.Path == dynamics.Energy && r.phase.centring == nil
}

// keepEnergies takes in an iteration: after the trajectories and before the swaps.
func (r *energyRecord) keepEnergies(now *ends) {
	w := r.walkers
	if !r.keepsLadder() {
		return
	}
	l := r.record
	if l.Energies == nil {
		l.Energies = make([]series, w.chains)
	}
	if !l.Energies[0].wants() { // all chains have the same iterations
		for chain := range w.chains {
			l.Energies[chain].Seen++
		}
		return
	}
	energies, row, most := now.numbers(dynamics.Tempered), make([]float64, len(w.Rungs)), r.bounded(mostIterations,
		len(w.Rungs))
	for chain := range w.chains {
		for j := range row {
			row[j] = energies[w.laneAt(chain, j)]
		}
		l.Energies[chain].add(row, most)
	}
}

// keepHottest takes in where a chain's walker on the hottest rung is at a draw.
func (r *energyRecord) keepHottest(chain int, now *drawn) {
	w := r.walkers
	if !r.keepsHottest() {
		return
	}
	l := r.record
	if l.Hottest == nil {
		l.Hottest = make([]series, w.chains)
	}
	position := make([]float64, w.dim)
	if l.Hottest[chain].wants() {
		now.theta(w.laneAt(chain, len(w.Rungs)-1), position)
	}
	l.Hottest[chain].add(position, r.bounded(mostPositions, w.dim))
}

// ladder is what was kept, for the report; nil where nothing was.
func (r *energyRecord) ladder() *store.Ladder {
	l := r.record
	if l.Energies == nil || len(l.Energies[0].Numbers) == 0 {
		return nil
	}
	out := &store.Ladder{Betas: r.walkers.betas()}
	for c := range l.Energies {
		out.Energies = append(out.Energies, l.Energies[c].Numbers)
	}
	if len(l.Hottest) > 0 && len(l.Hottest[0].Numbers) > 0 {
		out.Dim = r.walkers.dim
		for c := range l.Hottest {
			out.Hottest = append(out.Hottest, l.Hottest[c].Numbers)
		}
	}
	return out
}

// An energyRecord keeps what it says of a population.
type energyRecord struct {
	*population
	record *ladderRecord
}

// newEnergyRecord keeps what a population says in record.
func newEnergyRecord(p *population, record *ladderRecord) energyRecord {
	return energyRecord{p, record}
}
