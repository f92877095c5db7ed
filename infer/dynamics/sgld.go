package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// SGLD is stochastic gradient Langevin dynamics (Welling and Teh, ICML 2011) at a fixed step: θ ← θ + L(η f + N(0,
// 2η)), η = Δt²/2, f the whitened force; preconditioned by the metric as in Li et al. (AAAI 2016). On N(0, 1) under
// gradient noise of variance V its variance is (1 + ηV/2)/(1 − η/2): nothing takes up the noise.
type SGLD struct{}

// Name is "sgld".
func (SGLD) Name() string { return "sgld" }

// Traits: none.
func (SGLD) Traits() Traits { return Traits{} }

// Entries of the rule.
func (r SGLD) Entries(s System) []lower.Entry { return freeEntries(r, s) }

func (SGLD) fresh(System, *autodiff.Graph) []lower.Assign { return nil }

// move is h (½ h f + z): with η = h²/2 that is ηf + √(2η) z.
func (SGLD) move(x *state) {
	z := x.g.Normal(siteKick, x.theta.Size())
	half := autodiff.Mul(autodiff.Mul(x.g.Const(0.5), x.h), x.force())
	x.moveTo(x.drift(autodiff.Mul(x.h, autodiff.Add(half, autodiff.Mul(x.warmth, z)))))
}
