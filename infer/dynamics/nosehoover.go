package dynamics

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// NoseHoover is the dynamics of RENHD. A thermostat adapts the friction to the noise in the gradients (Ding et al.
// 2014; Luo et al. 2020), so no step is rejected and the variance of the noise need not be known. With s = ξΔt, c = CΔt
// and d dimensions:
//
//	dθ = L p dt,   dp = f dt − ξ p dt + √(2C) dW,   dξ = (|p|²/d − 1)/Mass dt
//
// It uses the symmetric splitting BADODAB (Leimkuhler and Shang, SIAM J. Sci. Comput. 2016), which samples θ of a
// harmonic oscillator exactly; the Euler step of the papers (SGNHT) does not.
type NoseHoover struct {
	Mass float64 // mass of the thermostat, divided by d; 10 keeps its fluctuations small
}

// Friction is c = CΔt, a lane buffer of size 1. Thermostat is s = ξΔt, of size 1 or with one element for each group of
// System.Thermostats. Lanes that exchange rungs exchange their thermostats too.
const (
	Friction   = "friction"
	Thermostat = "thermostat"
)

// Name returns "nosehoover".
func (NoseHoover) Name() string { return "nosehoover" }

// Traits returns the traits of the rule: friction, and a thermostat that belongs to the rung.
func (NoseHoover) Traits() Traits { return Traits{Friction: true, Carried: []string{Thermostat}} }

// Entries returns the entries of the rule.
func (r NoseHoover) Entries(s System) []lower.Entry { return unadjustedEntries(r, s) }

// fresh sets the thermostat to the value that balances the friction.
func (NoseHoover) fresh(s System, g *autodiff.Graph) []lower.Assign {
	c := g.Input(Friction)
	if n := len(s.Thermostats); n > 0 {
		c = autodiff.Broadcast(c, []int{n}, nil)
	}
	return put(Momentum, s.momenta(g), Thermostat, c)
}

// move is half a kick, half a drift, half a thermostat step, the Ornstein-Uhlenbeck step at fixed ξ, and the first
// three in reverse order.
func (r NoseHoover) move(x *state) {
	half := autodiff.Mul(x.g.Const(0.5), x.h)
	p, xi := x.kick(x.own[Momentum], half), x.own[Thermostat]
	x.theta = x.drift(autodiff.Mul(half, p))
	xi = autodiff.Add(xi, autodiff.Mul(x.g.Const(0.5), x.thermostatChanges(p, r.Mass)))
	p = x.damp(p, xi, x.g.Normal(siteKick, p.Size()))
	xi = autodiff.Add(xi, autodiff.Mul(x.g.Const(0.5), x.thermostatChanges(p, r.Mass)))
	x.moveTo(x.drift(autodiff.Mul(half, p)))
	x.own[Momentum], x.own[Thermostat] = x.kick(p, half), xi
}

// damp returns the momenta after an Ornstein-Uhlenbeck step over Δt, with friction s, standard normals z, and noise
// whose variance is proportional to c.
func (x *state) damp(p, s, z autodiff.Node) autodiff.Node {
	spread, kept := autodiff.Sqrt(autodiff.Mul(x.g.Input(Friction), decay(s))), autodiff.Exp(autodiff.Neg(s))
	return autodiff.Add(autodiff.Mul(x.spread(kept), p), autodiff.Mul(x.spread(spread), z))
}

// spread returns for each coordinate the element of x that belongs to its thermostat.
func (s System) spread(x autodiff.Node) autodiff.Node {
	if len(s.Thermostats) == 0 {
		return x
	}
	var of []float64
	for k, size := range s.Thermostats {
		of = append(of, slices.Repeat([]float64{float64(k)}, size)...)
	}
	return autodiff.Gather(x, x.Graph().Data("thermostat_of", of, len(of)))
}

// thermostatChanges returns the change of s in a full step, for each thermostat.
func (x *state) thermostatChanges(p autodiff.Node, mass float64) autodiff.Node {
	if len(x.Thermostats) == 0 {
		return thermostatChange(p, x.h, mass)
	}
	var all []autodiff.Node
	first := 0
	for _, size := range x.Thermostats {
		group := autodiff.Slice(p, []int{first}, []int{first + size})
		all = append(all, autodiff.Reshape(thermostatChange(group, x.h, mass), 1))
		first += size
	}
	return autodiff.Concat(0, all...)
}

// thermostatChange returns the change of s in a full step: h²(|p|²/d − 1)/mass.
func thermostatChange(p, h autodiff.Node, mass float64) autodiff.Node {
	g := p.Graph()
	excess := autodiff.Sub(autodiff.Mul(g.Const(1/float64(p.Size())), autodiff.SumAll(square(p))), g.Const(1))
	return autodiff.Mul(autodiff.Mul(square(h), excess), g.Const(1/mass))
}

// decay returns (1 − e^{−2s})/s, which is 2 at s = 0. s may be negative.
func decay(s autodiff.Node) autodiff.Node {
	g := s.Graph()
	tiny := autodiff.Lt(autodiff.Abs(s), g.Const(1e-9))
	safe := autodiff.Where(tiny, g.Const(1), s)
	return autodiff.Where(tiny, g.Const(2),
		autodiff.Neg(autodiff.Div(autodiff.Expm1(autodiff.Mul(g.Const(-2), safe)), safe)))
}
