package stats

import "math"

// Energies accumulates a chain's energies (the Hamiltonian at each iteration) for the energy Bayesian fraction of
// missing information (Betancourt, "Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte Carlo", 2016),
// which compares the change of energy in one momentum refreshment with the spread of all energies. The zero value is
// empty.
type Energies struct {
	N          int
	Last       float64
	Mean, M2   float64
	Transition float64 // Σ (E_i − E_{i−1})²
}

// Add adds the next energy. It ignores an energy that is not finite, as after a divergence.
func (e *Energies) Add(energy float64) {
	if math.IsNaN(energy) || math.IsInf(energy, 0) {
		return
	}
	if e.N > 0 {
		e.Transition += (energy - e.Last) * (energy - e.Last)
	}
	e.N++
	d := energy - e.Mean
	e.Mean += d / float64(e.N)
	e.M2 += d * (energy - e.Mean)
	e.Last = energy
}

// BFMI returns Σ (E_i − E_{i−1})² / Σ (E_i − Ē)². It is 2 for independent energies. Below 0.3, momentum refreshment
// explores the energies of the posterior so slowly that chains may miss its tails. It is NaN for fewer than three
// energies and for constant energies.
func (e *Energies) BFMI() float64 {
	if e.N < 3 || e.M2 == 0 {
		return math.NaN()
	}
	return e.Transition / e.M2
}
