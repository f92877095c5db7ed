package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// HMC is Hamiltonian Monte Carlo (Duane, Kennedy, Pendleton, Roweth 1987; Neal 2011). A trajectory consists of leapfrog
// steps in position form, each half a drift, a kick and half a drift, and is accepted with probability min(1, e^{−ΔH}).
// A step costs one gradient. Only θ and its density are kept between trajectories, so a change of rung needs no new
// gradient. The step size of a trajectory is the lane's times uniform(1 − Jitter, 1 + Jitter), against periodic orbits.
// With probability Careful it is divided by at least 4, with probability Careful/4 by at least 16, and with probability
// Careful/16 by 64, so that a walker can enter and leave regions that are too curved for the usual step.
type HMC struct {
	Jitter  float64
	Careful float64
}

// MaxEnergyError is the ΔH above which a trajectory counts as divergent, as in Stan.
const MaxEnergyError = 1000

// Name returns "hmc".
func (HMC) Name() string { return "hmc" }

// Traits returns the traits of the rule: corrected.
func (HMC) Traits() Traits { return Traits{Corrected: true} }

const (
	origin      = "origin"       // θ at the start of the trajectory
	originTotal = "origin_total" // Hamiltonian at the start of the trajectory
	step        = "step"         // step size of this trajectory
)

// Entries returns the entries of the rule.
func (r HMC) Entries(s System) []lower.Entry {
	return []lower.Entry{s.startEntry(), r.begin(s), r.step(s), r.end(s)}
}

// startEntry returns the entry "start", which computes the density at theta.
func (s System) startEntry() lower.Entry {
	logPrior, logLik := s.density(s.theta(autodiff.New()))
	return lower.Entry{Name: "start", Assign: put(LogPrior, logPrior, LogLik, logLik, Tempered,
		s.tempered(logPrior, logLik))}
}

func (r HMC) begin(s System) lower.Entry {
	g := autodiff.New()
	p := g.Normal(siteMomentum, s.Target.Dim())
	u := autodiff.Sub(autodiff.Mul(g.Const(2), g.Uniform(siteJitter)), g.Const(1))
	h := autodiff.Mul(g.Input(StepSize), autodiff.Add(g.Const(1), autodiff.Mul(g.Const(r.Jitter), u)))
	if r.Careful > 0 {
		u, quarter := g.Uniform(siteCare), g.Const(.25)
		for _, chance := range []float64{r.Careful, r.Careful / 4, r.Careful / 16} {
			h = autodiff.Mul(h, autodiff.Where(autodiff.Lt(u, g.Const(chance)), quarter, g.Const(1)))
		}
	}
	density := timesCool(s.temper(g.Input(LogPrior), g.Input(LogLik)))
	return lower.Entry{Name: "begin", Assign: put(
		Momentum, p, origin, s.theta(g), step, h, originTotal, autodiff.Sub(kinetic(p), density))}
}

func (s System) momentum(g *autodiff.Graph) autodiff.Node { return g.Input(Momentum, s.Target.Dim()) }

func (HMC) step(s System) lower.Entry {
	g := autodiff.New()
	h, p := g.Input(step), s.momentum(g)
	half := autodiff.Mul(g.Const(0.5), h)
	middle := finiteOr(autodiff.Add(s.theta(g), autodiff.Mul(half, s.unwhiten(p))), s.theta(g))
	pieces, _, _ := s.pieces(middle)
	p = autodiff.Add(p, autodiff.Mul(h, s.whitenGradient(timesCool(s.force(pieces)))))
	theta := finiteOr(autodiff.Add(middle, autodiff.Mul(half, s.unwhiten(p))), middle)
	return lower.Entry{Name: "step", Assign: put(Theta, theta, Momentum, p)}
}

// end returns the entry that accepts or rejects. If a density or momentum is not finite, ΔH is not finite, and the
// trajectory is rejected.
func (HMC) end(s System) lower.Entry {
	g := autodiff.New()
	theta := s.theta(g)
	logPrior, logLik := s.density(theta)
	total := autodiff.Sub(kinetic(s.momentum(g)), timesCool(s.temper(logPrior, logLik)))
	change := autodiff.Sub(total, g.Input(originTotal))
	finite := autodiff.IsFinite(change)
	probability := autodiff.Where(finite, autodiff.Exp(autodiff.Minimum(autodiff.Neg(change), g.Const(0))), g.Const(0))
	accept := autodiff.Lt(g.Uniform(siteDecision), probability)
	keep := func(now autodiff.Node, before string) autodiff.Node {
		return autodiff.Where(accept, now, g.Input(before, now.Shape()...))
	}
	logPrior, logLik = keep(logPrior, LogPrior), keep(logLik, LogLik)
	return lower.Entry{Name: "end", Assign: put(
		Theta, keep(theta, origin), LogPrior, logPrior, LogLik, logLik, Total, keep(total, originTotal),
		Tempered, s.tempered(logPrior, logLik), Accept, probability, Moved, accept, Finite, finite, Ended, theta,
		Diverged, autodiff.Sub(g.Const(1), autodiff.Le(change, g.Const(MaxEnergyError))))}
}
