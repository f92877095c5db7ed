package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Many chains of few draws each: within 20 draws no chain shows how much it varies, so that chains compared with one
// another seem to disagree. Chains that begin in the same place, a superchain, are compared together with other
// superchains (Margossian, Hoffman, Sountsov, Riou-Durand, Vehtari, Gelman 2024, Nested R-hat, Bayesian Analysis):
//
//	64 chains          16 superchains of 4 chains, one start each
//	R-hat = √(1 + B/W)   B the variance of superchains' means; W the mean over superchains of the variance of chains'
//	                     means and the mean variance within chains

const (
	manyChains  = 32
	superchains = 16
)

// Superchain returns the superchain of a chain: its own number up to 32 chains, else one of 16.
func Superchain(chain, chains int) int {
	if chains <= manyChains {
		return chain
	}
	return chain * superchains / chains
}

// FirstOfSuperchain returns the first chain of a chain's superchain, in whose place all of them begin.
func FirstOfSuperchain(chain, chains int) int {
	first := chain
	for first > 0 && Superchain(first-1, chains) == Superchain(chain, chains) {
		first--
	}
	return first
}

// compare is R-hat of halves of chains: nested where chains are many.
func compare(draws []float64, parts int) float64 {
	if parts/2 <= manyChains {
		return rhat(draws, parts)
	}
	return nested(draws, parts)
}

// nested is nested R-hat, of the first and the second halves of superchains: a drift shows between the two.
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
