package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// If there are many chains of few draws, R-hat is misleading: within 20 draws a chain does not show its full variance,
// so chains seem to disagree. Nested R-hat compares superchains instead, groups of chains with the same starting point
// (Margossian, Hoffman, Sountsov, Riou-Durand, Vehtari, Gelman 2024, Nested R-hat, Bayesian Analysis):
//
//	64 chains            16 superchains of 4 chains, one start each
//	R-hat = √(1 + B/W)   B is the variance of superchains' means; W is the mean over superchains of the variance of
//	                     chains' means plus the mean variance within chains

const (
	manyChains  = 32
	superchains = 16
)

// Superchain returns the number of a chain's superchain. Up to 32 chains, each chain is its own superchain; more chains
// form 16 superchains.
func Superchain(chain, chains int) int {
	if chains <= manyChains {
		return chain
	}
	return chain * superchains / chains
}

// FirstOfSuperchain returns the first chain of a chain's superchain. All chains of a superchain start where that chain
// starts.
func FirstOfSuperchain(chain, chains int) int {
	first := chain
	for first > 0 && Superchain(first-1, chains) == Superchain(chain, chains) {
		first--
	}
	return first
}

// compare returns R-hat over the halves of chains, nested if there are many chains.
func compare(draws []float64, parts int) float64 {
	if parts/2 <= manyChains {
		return rhat(draws, parts)
	}
	return nested(draws, parts)
}

// nested returns nested R-hat over the first and second halves of superchains, so that a drift is visible, too.
func nested(draws []float64, parts int) float64 {
	groups := make([][]float64, 2*superchains)
	n := len(draws) / parts
	for p := range parts {
		g := 2*Superchain(p/2, parts/2) + p%2
		groups[g] = append(groups[g], draws[p*n:(p+1)*n]...)
	}
	var between []float64
	within := 0.0
	for _, g := range groups {
		means, variance := moments(g, len(g)/n)
		between = append(between, stat.Mean(means, nil))
		within += (stat.Variance(means, nil) + variance) / float64(len(groups))
	}
	return math.Sqrt(1 + stat.Variance(between, nil)/within)
}
