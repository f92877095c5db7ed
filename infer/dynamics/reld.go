package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// RELD is the Langevin dynamics that RENHD was compared with (Luo et al. 2020, section 4): its Euler step with the
// thermostat fixed at s = 0.999 + c, so momenta are almost forgotten after one step. The printed formula combines noise
// of variance 2c with a friction near 1, so the temperature is c/s ≈ 0.1 of the correct one. By default the variance of
// the noise is 2s, which matches the friction and gives the correct temperature.
type RELD struct{ Printed bool }

// Name returns "reld", or "reld-paper" if Printed.
func (r RELD) Name() string {
	if r.Printed {
		return "reld-paper"
	}
	return "reld"
}

// Traits returns the traits of the rule: friction.
func (RELD) Traits() Traits { return Traits{Friction: true} }

// Entries returns the entries of the rule.
func (r RELD) Entries(s System) []lower.Entry { return unadjustedEntries(r, s) }

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
