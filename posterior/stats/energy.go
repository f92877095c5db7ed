package stats

import "math"

// Energies follows a chain's energies, the Hamiltonian at each iteration, for the energy Bayesian fraction of missing
// information (Betancourt, "Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte Carlo", 2016): how
// much of the spread of energies one refreshment of momenta covers. The zero value has seen none.
type Energies struct {
	N          int
	Last       float64
	Mean, M2   float64
	Transition float64 // Σ (E_i − E_{i−1})²
}

// Add adds the next energy. One that is not finite, as after a divergence, is left out.
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

// BFMI is Σ (E_i − E_{i−1})² / Σ (E_i − Ē)²: 2 for independent energies; below 0.3 momenta cannot carry the chain
// through the energies of the posterior, whose tails it then misses. NaN for fewer than three energies and for constant
// ones.
func (e *Energies) BFMI() float64 {
	if e.N < 3 || e.M2 == 0 {
		return math.NaN()
	}
	return e.Transition / e.M2
}
