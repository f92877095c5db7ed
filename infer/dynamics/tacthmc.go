package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// TACTHMC is thermostat-assisted continuously tempered Hamiltonian Monte Carlo (Luo, Wang, Yang, Zhu and Wang, NeurIPS
// 2018). There is one walker, whose inverse temperature λ(ξ) depends on a coordinate ξ with a separate momentum r and
// thermostat:
//
//	H = −λ(ξ) log π(θ) + |p|²/2 + r²/2 + A(ξ),   θ̇ = L p,   ξ̇ = ω r
//
// Here λ = 1 for |ξ| ≤ δ, and it falls smoothly to 1/Hottest at |ξ| = 1, where ξ wraps around. A' is the mean of λ'·log
// π at each ξ. It is learned during the run (adaptive biasing force: Darve and Pohorille 2001), so that all ξ are
// visited equally. Given |ξ| ≤ δ, the distribution of θ is the target, so only trajectories that end there give draws.
// Thermostats compensate gradient noise as in NoseHoover, with the same splitting.
type TACTHMC struct {
	Hottest float64 // temperature at |ξ| = 1
}

const (
	tactMass  = 10  // mass of both thermostats
	tactSpeed = 0.2 // ω
	plateau   = 0.3 // δ
	bins      = 40  // number of bins of |ξ| in [0, 1]
	memory    = 1e4 // number of steps after which a bin's mean forgets old values
)

// Lane buffers of the rule: ξ, r, the thermostat of r, and for each bin of |ξ| the mean of −log π and the number of
// steps in it.
const (
	tempering         = "tempering"
	temperingMomentum = "tempering_momentum"
	temperingStat     = "tempering_thermostat"
	binMean           = "bias_mean"
	binCount          = "bias_count"
)

// Name returns "tacthmc".
func (TACTHMC) Name() string { return "tacthmc" }

// Traits returns the traits of the rule: friction, a step that reads the log density, a thermostat that belongs to the
// rung, and draws only from trajectories that end at λ = 1.
func (TACTHMC) Traits() Traits {
	return Traits{Friction: true, Density: true, Flagged: true, Carried: []string{Thermostat}}
}

// Entries returns the entries of the rule. As published, one thermostat serves all coordinates.
func (r TACTHMC) Entries(s System) []lower.Entry {
	s.Thermostats = nil
	return unadjustedEntries(r, s)
}

func (TACTHMC) fresh(s System, g *autodiff.Graph) []lower.Assign {
	c := g.Input(Friction)
	return put(Momentum, s.momenta(g), Thermostat, c, temperingStat, c, tempering, g.Const(0),
		temperingMomentum, g.Normal(siteTempering), binMean, g.Full(0, bins), binCount, g.Full(0, bins), Counts,
		g.Const(1))
}

func (r TACTHMC) move(x *state) {
	g := x.g
	half, xi, rho := autodiff.Mul(g.Const(0.5), x.h), x.own[tempering], x.own[temperingMomentum]
	speed := autodiff.Mul(g.Const(0.5*tactSpeed), x.h)
	p := x.hotKick(x.own[Momentum], half, r.lambda(xi))
	rho = autodiff.Add(rho, autodiff.Mul(speed, r.pressure(x, xi)))
	x.theta, xi = x.drift(autodiff.Mul(half, p)), wrap(autodiff.Add(xi, autodiff.Mul(speed, rho)))
	p, x.own[Thermostat] = x.thermostat(p, x.own[Thermostat], g.Normal(siteKick, p.Size()))
	rho, x.own[temperingStat] = x.thermostat(rho, x.own[temperingStat], g.Normal(siteTempering))
	xi = wrap(autodiff.Add(xi, autodiff.Mul(speed, rho)))
	x.moveTo(x.drift(autodiff.Mul(half, p)))
	learn(x, xi)
	x.own[Momentum] = x.hotKick(p, half, r.lambda(xi))
	x.own[temperingMomentum] = autodiff.Add(rho, autodiff.Mul(speed, r.pressure(x, xi)))
	x.own[tempering], x.own[Counts] = xi, autodiff.Le(autodiff.Abs(xi), g.Const(plateau))
}

// thermostat returns p and s after half a thermostat step, the Ornstein-Uhlenbeck step, and half a thermostat step.
func (x *state) thermostat(p, s, z autodiff.Node) (autodiff.Node, autodiff.Node) {
	half := x.g.Const(0.5)
	s = autodiff.Add(s, autodiff.Mul(half, thermostatChange(p, x.h, tactMass)))
	p = x.damp(p, s, z)
	return p, autodiff.Add(s, autodiff.Mul(half, thermostatChange(p, x.h, tactMass)))
}

func (x *state) hotKick(p, h, lambda autodiff.Node) autodiff.Node {
	return autodiff.Add(p, autodiff.Mul(autodiff.Mul(h, lambda), x.force()))
}

// wrap maps ξ to [−1, 1).
func wrap(xi autodiff.Node) autodiff.Node {
	g := xi.Graph()
	periods := autodiff.Floor(autodiff.Mul(g.Const(0.5), autodiff.Add(xi, g.Const(1))))
	return autodiff.Sub(xi, twice(periods))
}

// descent returns u ∈ [0, 1], the relative position of |ξ| between the plateau and 1.
func descent(xi autodiff.Node) autodiff.Node {
	g := xi.Graph()
	u := autodiff.Mul(autodiff.Sub(autodiff.Abs(xi), g.Const(plateau)), g.Const(1/(1-plateau)))
	return autodiff.Minimum(autodiff.Maximum(u, g.Const(0)), g.Const(1))
}

// lambda returns λ(ξ) = 1 − (1 − 1/Hottest)(3u² − 2u³).
func (r TACTHMC) lambda(xi autodiff.Node) autodiff.Node {
	g, u := xi.Graph(), descent(xi)
	smooth := autodiff.Mul(square(u), autodiff.Sub(g.Const(3), twice(u)))
	return autodiff.Sub(g.Const(1), autodiff.Mul(g.Const(1-1/r.Hottest), smooth))
}

// pressure returns the force on ξ: λ'(ξ)(log π − its mean at this ξ).
func (r TACTHMC) pressure(x *state, xi autodiff.Node) autodiff.Node {
	g, u := x.g, descent(xi)
	slope := autodiff.Mul(autodiff.Mul(g.Const(-6*(1-1/r.Hottest)/(1-plateau)), autodiff.Sign(xi)),
		autodiff.Mul(u, autodiff.Sub(g.Const(1), u)))
	here := bin(xi)
	mean, seen := autodiff.Gather(x.own[binMean], here), autodiff.Gather(x.own[binCount], here)
	excess := autodiff.Sub(x.potential(), mean)
	// reduces the force while the mean is based on few steps
	known := autodiff.Minimum(autodiff.Mul(g.Const(1./20), seen), g.Const(1))
	return autodiff.Neg(autodiff.Mul(autodiff.Mul(slope, known), excess))
}

// potential returns −log π_β at θ.
func (x *state) potential() autodiff.Node { return autodiff.Neg(x.temper(x.logPrior, x.logLik)) }

// bin returns the bin of |ξ|.
func bin(xi autodiff.Node) autodiff.Node {
	g := xi.Graph()
	return autodiff.Minimum(autodiff.Floor(autodiff.Mul(g.Const(bins), autodiff.Abs(xi))), g.Const(bins-1))
}

// learn adds the current potential to the mean of its bin.
func learn(x *state, xi autodiff.Node) {
	g, here := x.g, bin(xi)
	at := autodiff.Eq(g.Iota(bins), autodiff.Broadcast(here, []int{bins}, nil))
	count := autodiff.Minimum(autodiff.Add(x.own[binCount], at), g.Full(memory, bins))
	gap := autodiff.Sub(autodiff.Broadcast(x.potential(), []int{bins}, nil), x.own[binMean])
	share := autodiff.Div(at, autodiff.Maximum(count, g.Full(1, bins)))
	x.own[binMean], x.own[binCount] = autodiff.Add(x.own[binMean], autodiff.Mul(share, gap)), count
}
