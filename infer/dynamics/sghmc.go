package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// SGHMC is stochastic gradient Hamiltonian Monte Carlo (Chen, Fox and Guestrin, ICML 2014, equation 15, with their
// noise estimate set to 0): p ← (1 − c) p + h f + N(0, 2c), θ ← θ + h L p. On N(0, 1) with gradient noise of variance
// V, the variance of θ is (1 + h²V/2c)/(1 − c/2 − h²/4 + O(ch²)): a fixed friction does not compensate the noise.
type SGHMC struct{}

// Name returns "sghmc".
func (SGHMC) Name() string { return "sghmc" }

// Traits returns the traits of the rule: friction.
func (SGHMC) Traits() Traits { return Traits{Friction: true} }

// Entries returns the entries of the rule.
func (r SGHMC) Entries(s System) []lower.Entry { return unadjustedEntries(r, s) }

func (SGHMC) fresh(s System, g *autodiff.Graph) []lower.Assign { return put(Momentum, s.momenta(g)) }

func (SGHMC) move(x *state) {
	c := x.g.Input(Friction)
	p := x.langevin(x.own[Momentum], c, twice(c))
	x.own[Momentum] = p
	x.moveTo(x.drift(autodiff.Mul(x.h, p)))
}
