package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// RELD is the Langevin dynamics that RENHD was compared with (Luo et al. 2020, section 4): its Euler step with the
// thermostat fixed at s = 0.999 + c, so that momenta hardly outlive a step. As printed, noise of variance 2c is
// combined with a friction near 1, and the temperature comes out as c/s ≈ 0.1 of what it should be; by default the
// noise is 2s, that of the friction, which keeps the temperature.
type RELD struct{ Printed bool }

// Name is "reld", or "reld-paper" as printed.
func (r RELD) Name() string {
	if r.Printed {
		return "reld-paper"
	}
	return "reld"
}

// Traits: friction.
func (RELD) Traits() Traits { return Traits{Friction: true} }

// Entries of the rule.
func (r RELD) Entries(s System) []lower.Entry { return freeEntries(r, s) }

func (RELD) fresh(s System, g *autodiff.Graph) []lower.Assign { return put(Momentum, s.momenta(g)) }

func (r RELD) move(x *state) {
	c := x.g.Input(Friction)
	s := autodiff.Add(x.g.Const(0.999), c)
	variance := twice(s)
	if r.Printed {
		variance = twice(c)
	}
	p := x.langevin(x.own[Momentum], s, variance)
	x.own[Momentum] = p
	x.moveTo(x.drift(autodiff.Mul(x.h, p)))
}
