package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// SGNHT is the stochastic gradient Nosé-Hoover thermostat (Ding et al., NeurIPS 2014, algorithm 2) with its Euler step:
// with s = ξΔt,
//
//	p ← (1 − s) p + h f + N(0, 2c),  θ ← θ + h L p,  s ← s + h²(|p|²/d − 1)/Mass
//
// The variance of θ is off by a factor 1 − s/2 at any step. With Reset it is the trajectory of RENHD as printed (Luo et
// al. 2020, algorithm 1), which draws new momenta and puts s back to c each time, and so forgets the noise it had
// adapted to.
type SGNHT struct {
	Mass  float64 // the mass of the thermostat is Mass·d; the papers have 1
	Reset bool
}

// Name is "sgnht", or "renhd-paper" with Reset.
func (r SGNHT) Name() string {
	if r.Reset {
		return "renhd-paper"
	}
	return "sgnht"
}

// Traits: friction, and a thermostat that belongs to the rung.
func (SGNHT) Traits() Traits { return Traits{Friction: true, Carried: []string{Thermostat}} }

// Entries of the rule.
func (r SGNHT) Entries(s System) []lower.Entry { return freeEntries(r, s) }

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
	x.own[Momentum], x.own[Thermostat] = p, autodiff.Add(xi, heat(p, x.h, r.Mass))
	x.moveTo(x.drift(autodiff.Mul(x.h, p)))
}
