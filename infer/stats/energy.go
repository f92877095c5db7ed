package stats

import "gonum.org/v1/gonum/stat"

// EBFMI is the estimated Bayesian fraction of missing information of Hamiltonian energies, one per trajectory of a chain:
// Σ (Eₙ − Eₙ₋₁)² / Σ (Eₙ − Ē)². Below about 0.3 the momenta that are drawn do not carry the chain through all energies of the target, and
// its tails may be missing (Betancourt, arXiv:1604.00695). It is NaN where it does not exist.
func EBFMI(energies []float64) float64 {
	mean, steps, spread := stat.Mean(energies, nil), 0.0, 0.0
	for n, e := range energies {
		spread += (e - mean) * (e - mean)
		if n > 0 {
			steps += (e - energies[n-1]) * (e - energies[n-1])
		}
	}
	return steps / spread
}
