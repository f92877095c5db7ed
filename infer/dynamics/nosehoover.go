package dynamics

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// NoseHoover is the dynamics of RENHD: friction that adapts, by a thermostat, to whatever noise is in the gradients
// (Ding et al. 2014; Luo et al. 2020), so that no step is rejected and no noise needs to be known. With s = ξΔt, c =
// CΔt, d dimensions:
//
//	dθ = L p dt,  dp = f dt − ξ p dt + √(2C) dW,  dξ = (|p|²/d − 1)/Mass dt
//
// It takes the symmetric splitting BADODAB (Leimkuhler and Shang, SIAM J. Sci. Comput. 2016), which samples a harmonic
// oscillator exactly as far as θ is concerned, where the papers' Euler step (SGNHT) does not.
type NoseHoover struct {
	Mass float64 // of the thermostat, times d: 10 keeps it calm
}

// Friction is c = CΔt, a lane buffer of size 1, and Thermostat is s = ξΔt, of size 1 or with an element for each of
// System.Thermostats. The thermostat belongs to the rung.
const (
	Friction   = "friction"
	Thermostat = "thermostat"
)

// Name is "nosehoover".
func (NoseHoover) Name() string { return "nosehoover" }

// Traits: friction, and a thermostat that belongs to the rung.
func (NoseHoover) Traits() Traits { return Traits{Friction: true, Carried: []string{Thermostat}} }

// Entries of the rule.
func (r NoseHoover) Entries(s System) []lower.Entry { return freeEntries(r, s) }

// fresh has the thermostat where it balances the friction.
func (NoseHoover) fresh(s System, g *autodiff.Graph) []lower.Assign {
	c := g.Input(Friction)
	if n := len(s.Thermostats); n > 0 {
		c = autodiff.Broadcast(c, []int{n}, nil)
	}
	return put(Momentum, s.momenta(g), Thermostat, c)
}

// move is half a kick, half a drift, half a thermostat step, the Ornstein-Uhlenbeck step at the fixed ξ, and back.
func (r NoseHoover) move(x *state) {
	half := autodiff.Mul(x.g.Const(0.5), x.h)
	p, xi := x.kick(x.own[Momentum], half), x.own[Thermostat]
	x.theta = x.drift(autodiff.Mul(half, p))
	xi = autodiff.Add(xi, autodiff.Mul(x.g.Const(0.5), x.heats(p, r.Mass)))
	p = x.damp(p, xi, x.g.Normal(siteKick, p.Size()))
	xi = autodiff.Add(xi, autodiff.Mul(x.g.Const(0.5), x.heats(p, r.Mass)))
	x.moveTo(x.drift(autodiff.Mul(half, p)))
	x.own[Momentum], x.own[Thermostat] = x.kick(p, half), xi
}

// damp returns the Ornstein-Uhlenbeck step over Δt with friction s and noise of the rule's c.
func (x *state) damp(p, s, z autodiff.Node) autodiff.Node {
	spread, kept := autodiff.Sqrt(autodiff.Mul(x.g.Input(Friction), decay(s))), autodiff.Exp(autodiff.Neg(s))
	return autodiff.Add(autodiff.Mul(x.spread(kept), p), autodiff.Mul(x.spread(spread), z))
}

// spread gives each coordinate the element of its thermostat.
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

// heats returns what a whole step adds to s, of each thermostat.
func (x *state) heats(p autodiff.Node, mass float64) autodiff.Node {
	if len(x.Thermostats) == 0 {
		return heat(p, x.h, mass)
	}
	var all []autodiff.Node
	first := 0
	for _, size := range x.Thermostats {
		all = append(all, autodiff.Reshape(heat(autodiff.Slice(p, []int{first}, []int{first + size}), x.h, mass), 1))
		first += size
	}
	return autodiff.Concat(0, all...)
}

// heat returns what a whole step adds to s: h²(|p|²/d − 1)/mass.
func heat(p, h autodiff.Node, mass float64) autodiff.Node {
	g := p.Graph()
	excess := autodiff.Sub(autodiff.Mul(g.Const(1/float64(p.Size())), autodiff.SumAll(square(p))), g.Const(1))
	return autodiff.Mul(autodiff.Mul(square(h), excess), g.Const(1/mass))
}

// decay is (1 − e^{−2s})/s, 2 at s = 0, for s of either sign.
func decay(s autodiff.Node) autodiff.Node {
	g := s.Graph()
	tiny := autodiff.Lt(autodiff.Abs(s), g.Const(1e-9))
	safe := autodiff.Where(tiny, g.Const(1), s)
	return autodiff.Where(tiny, g.Const(2),
		autodiff.Neg(autodiff.Div(autodiff.Expm1(autodiff.Mul(g.Const(-2), safe)), safe)))
}
