package stats

import "math"

// Energies follows a chain's energies, the Hamiltonian at each iteration, for the energy Bayesian fraction of missing
// information (Betancourt, "Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte Carlo", 2016): how
// much of the spread of energies one refreshment of momenta covers. The zero value has seen none.
type Energies struct {
	n          int
	last       float64
	mean, m2   float64
	transition float64 // Σ (E_i − E_{i−1})²
}

// Add takes the next energy. One that is not finite, as after a divergence, is left out.
func (e *Energies) Add(energy float64) {
	if math.IsNaN(energy) || math.IsInf(energy, 0) {
		return
	}
	if e.n > 0 {
		e.transition += (energy - e.last) * (energy - e.last)
	}
	e.n++
	d := energy - e.mean
	e.mean += d / float64(e.n)
	e.m2 += d * (energy - e.mean)
	e.last = energy
}

// BFMI is Σ (E_i − E_{i−1})² / Σ (E_i − Ē)²: 2 for independent energies; below 0.3 momenta cannot carry the chain
// through the energies of the posterior, whose tails it then misses. NaN for fewer than three energies and for constant
// ones.
func (e *Energies) BFMI() float64 {
	if e.n < 3 || e.m2 == 0 {
		return math.NaN()
	}
	return e.transition / e.m2
}
