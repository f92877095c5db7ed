package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// HMC is Hamiltonian Monte Carlo (Duane, Kennedy, Pendleton, Roweth 1987; Neal 2011): a trajectory of leapfrog steps in
// position form, each half a drift, a kick and half a drift, accepted with probability min(1, e^{−ΔH}). One step costs
// one gradient and nothing carries over but θ and its density, so a change of rung needs no new gradient. The step of a
// trajectory is the lane's times uniform(1 − Jitter, 1 + Jitter), against periodic orbits. With probability Careful it
// is shorter: a quarter of that, a quarter of these times a 16th, and a quarter of those times a 64th, so that a walker
// gets into corners too curved for the step that is usual, and out again.
type HMC struct {
	Jitter  float64
	Careful float64
}

// MaxEnergyError is the ΔH from which on a trajectory counts as divergent, as in Stan.
const MaxEnergyError = 1000

// Name is "hmc".
func (HMC) Name() string { return "hmc" }

// Traits: corrected.
func (HMC) Traits() Traits { return Traits{Corrected: true} }

const (
	origin      = "origin"       // θ at the start of the trajectory
	originTotal = "origin_total" // the Hamiltonian there
	step        = "step"         // Δt of this trajectory
)

// Entries of the rule.
func (r HMC) Entries(s System) []lower.Entry {
	return []lower.Entry{s.startEntry(), r.begin(s), r.step(s), r.end(s)}
}

// startEntry computes the density at theta.
func (s System) startEntry() lower.Entry {
	logPrior, logLik := s.density(s.theta(autodiff.New()))
	return lower.Entry{Name: "start", Assign: put(LogPrior, logPrior, LogLik, logLik, Tempered,
		s.tempered(logPrior, logLik))}
}

// scaleByBeta is x / T of a lane.
func scaleByBeta(x autodiff.Node) autodiff.Node { return autodiff.Mul(x.Graph().Input(Cool), x) }

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
	density := scaleByBeta(s.temper(g.Input(LogPrior), g.Input(LogLik)))
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
	p = autodiff.Add(p, autodiff.Mul(h, s.whitenGradient(scaleByBeta(s.force(pieces)))))
	theta := finiteOr(autodiff.Add(middle, autodiff.Mul(half, s.unwhiten(p))), middle)
	return lower.Entry{Name: "step", Assign: put(Theta, theta, Momentum, p)}
}

// end accepts or rejects. A density or momentum that is not finite makes ΔH not finite, which is a rejection like any
// other.
func (HMC) end(s System) lower.Entry {
	g := autodiff.New()
	theta := s.theta(g)
	logPrior, logLik := s.density(theta)
	total := autodiff.Sub(kinetic(s.momentum(g)), scaleByBeta(s.temper(logPrior, logLik)))
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
