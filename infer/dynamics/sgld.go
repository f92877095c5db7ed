package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// SGLD is stochastic gradient Langevin dynamics (Welling and Teh, ICML 2011) at a fixed step: θ ← θ + L(η f + N(0,
// 2η)), with η = Δt²/2 and the whitened force f. The metric preconditions it, as in Li et al. (AAAI 2016). On N(0, 1)
// with gradient noise of variance V, its variance is (1 + ηV/2)/(1 − η/2): nothing compensates the noise.
type SGLD struct{}

// Name returns "sgld".
func (SGLD) Name() string { return "sgld" }

// Traits returns the traits of the rule: none.
func (SGLD) Traits() Traits { return Traits{} }

// Entries returns the entries of the rule.
func (r SGLD) Entries(s System) []lower.Entry { return unadjustedEntries(r, s) }

func (SGLD) fresh(System, *autodiff.Graph) []lower.Assign { return nil }

// move adds h (½ h f + z), which is ηf + √(2η) z with η = h²/2.
func (SGLD) move(x *state) {
	z := x.g.Normal(siteKick, x.theta.Size())
	half := autodiff.Mul(autodiff.Mul(x.g.Const(0.5), x.h), x.force())
	x.moveTo(x.drift(autodiff.Mul(x.h, autodiff.Add(half, autodiff.Mul(x.noiseFactor, z)))))
}
