package ladder

import (
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/posterior/store"
)

// A LadderRecord holds data for estimates of the evidence: the term that β multiplies on each rung, by chain and
// iteration after warm-up; and, if the integral of the hottest distribution is not known, positions on the hottest
// rung, by chain and draw.
type LadderRecord struct {
	Energies []series // a row is an iteration and holds all rungs
	Hottest  []series // a row is a draw and holds a position
}

// Numbers returns the number of values in the record.
func (r *LadderRecord) Numbers() (n int) {
	for c := range r.Energies {
		n += len(r.Energies[c].Numbers)
	}
	for c := range r.Hottest {
		n += len(r.Hottest[c].Numbers)
	}
	return n
}

// A series stores rows of numbers: all while there are few, then every second, every fourth, and so on.
type series struct {
	Seen    int // number of rows so far
	Doubled int // every 2^Doubled-th row is stored
	Numbers []float64
}

// wants reports whether the next row is stored.
func (s *series) wants() bool { return s.Seen&(1<<s.Doubled-1) == 0 }

// add adds a row, and keeps the number of stored rows at or below most, which must be even.
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
	// mostIterations is the maximum number of iterations with stored energies. More would not help: draws at
	// temperature 1 limit the precision.
	mostIterations = 2048
	mostPositions  = 512     // maximum number of stored positions of a chain
	mostOfLadder   = 1 << 19 // maximum number of values of each kind in total: 4 MB
)

// bounded returns the maximum number of rows, of size values each, that a chain stores: an even number of at most most
// and at least 32.
func (r *EnergyRecord) bounded(most, size int) int {
	return max(min(most, mostOfLadder/(size*r.Phase.Options.Chains)), 32) / 2 * 2
}

// keepsLadder reports whether energies are stored: there must be a ladder with exact energies, of which each rung is
// sampled without bias.
func (r *EnergyRecord) keepsLadder() bool {
	return len(r.Walkers.Rungs) > 1 && r.Walkers.Traits.Corrected && r.Phase.System.Noise == 0 &&
		!r.Phase.Batches.InUse()
}

// keepsHottest reports whether positions on the hottest rung are stored. They serve to estimate the integral of its
// distribution, if that is a power of the density in the model's coordinates. A ladder on the likelihood path ends at
// the prior, whose integral is known.
func (r *EnergyRecord) keepsHottest() bool {
	return r.keepsLadder() && r.Phase.System.Path == dynamics.Energy && r.Phase.Centring == nil
}

// KeepEnergies records an iteration, after the trajectories and before the swaps.
func (r *EnergyRecord) KeepEnergies(now *population.Ends) {
	w := r.Walkers
	if !r.keepsLadder() {
		return
	}
	l := r.record
	if l.Energies == nil {
		l.Energies = make([]series, w.Chains)
	}
	if !l.Energies[0].wants() { // all chains have the same number of iterations
		for chain := range w.Chains {
			l.Energies[chain].Seen++
		}
		return
	}
	energies, row, most := now.Numbers(dynamics.Tempered), make([]float64, len(w.Rungs)), r.bounded(mostIterations,
		len(w.Rungs))
	for chain := range w.Chains {
		for j := range row {
			row[j] = energies[w.LaneAt(chain, j)]
		}
		l.Energies[chain].add(row, most)
	}
}

// KeepHottest records the position of a chain's walker on the hottest rung at a draw.
func (r *EnergyRecord) KeepHottest(chain int, now *population.Drawn) {
	w := r.Walkers
	if !r.keepsHottest() {
		return
	}
	l := r.record
	if l.Hottest == nil {
		l.Hottest = make([]series, w.Chains)
	}
	position := make([]float64, w.Dim)
	if l.Hottest[chain].wants() {
		now.Theta(w.LaneAt(chain, len(w.Rungs)-1), position)
	}
	l.Hottest[chain].add(position, r.bounded(mostPositions, w.Dim))
}

// Ladder returns the recorded energies and positions for the report, or nil if there are none.
func (r *EnergyRecord) Ladder() *store.Ladder {
	l := r.record
	if l.Energies == nil || len(l.Energies[0].Numbers) == 0 {
		return nil
	}
	out := &store.Ladder{Betas: r.Walkers.Betas()}
	for c := range l.Energies {
		out.Energies = append(out.Energies, l.Energies[c].Numbers)
	}
	if len(l.Hottest) > 0 && len(l.Hottest[0].Numbers) > 0 {
		out.Dim = r.Walkers.Dim
		for c := range l.Hottest {
			out.Hottest = append(out.Hottest, l.Hottest[c].Numbers)
		}
	}
	return out
}

// An EnergyRecord records the energies of a population.
type EnergyRecord struct {
	*population.Population
	record *LadderRecord
}

// NewEnergyRecord returns a recorder that writes a population's energies to record.
func NewEnergyRecord(p *population.Population, record *LadderRecord) EnergyRecord {
	return EnergyRecord{p, record}
}
