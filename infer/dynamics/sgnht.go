package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// SGNHT is the stochastic gradient Nosé-Hoover thermostat (Ding et al., NeurIPS 2014, algorithm 2) with its Euler step.
// With s = ξΔt:
//
//	p ← (1 − s) p + h f + N(0, 2c),   θ ← θ + h L p,   s ← s + h²(|p|²/d − 1)/Mass
//
// The variance of θ is wrong by a factor 1 − s/2 at any step size. With Reset it is the printed trajectory of RENHD
// (Luo et al. 2020, algorithm 1), which draws new momenta and resets s to c before each trajectory, so that its
// adaptation to noise is lost.
type SGNHT struct {
	Mass  float64 // the mass of the thermostat is Mass·d; it is 1 in the papers
	Reset bool
}

// Name returns "sgnht", or "renhd-paper" with Reset.
func (r SGNHT) Name() string {
	if r.Reset {
		return "renhd-paper"
	}
	return "sgnht"
}

// Traits returns the traits of the rule: friction, and a thermostat that belongs to the rung.
func (SGNHT) Traits() Traits { return Traits{Friction: true, Carried: []string{Thermostat}} }

// Entries returns the entries of the rule.
func (r SGNHT) Entries(s System) []lower.Entry { return unadjustedEntries(r, s) }

func (SGNHT) fresh(s System, g *autodiff.Graph) []lower.Assign {
	return put(Momentum, s.momenta(g), Thermostat, g.Input(Friction))
}

func (r SGNHT) begin(s System, g *autodiff.Graph) []lower.Assign {
	if r.Reset {
		return r.fresh(s, g)
	}
	return nil
}

func (r SGNHT) move(x *state) {
	xi := x.own[Thermostat]
	p := x.langevin(x.own[Momentum], xi, twice(x.g.Input(Friction)))
	x.own[Momentum], x.own[Thermostat] = p, autodiff.Add(xi, thermostatChange(p, x.h, r.Mass))
	x.moveTo(x.drift(autodiff.Mul(x.h, p)))
}
