package dynamics

import (
	"fmt"

	"ppl/autodiff"
	"ppl/compiler/lower"
)

// NoseHoover is the dynamics of RENHD: friction that adapts, by a thermostat, to whatever noise is in the gradients (Ding et al. 2014;
// Luo et al. 2020), so that no step is rejected and no noise needs to be known. With s = ξΔt, c = CΔt, d dimensions:
//
//	dθ = L p dt,  dp = f dt − ξ p dt + √(2C) dW,  dξ = (|p|²/d − 1)/Mass dt
//
// It takes the symmetric splitting BADODAB (Leimkuhler and Shang, SIAM J. Sci. Comput. 2016), which samples a harmonic oscillator
// exactly as far as θ is concerned; Euler is the step as the paper prints it, whose variance is off by a factor 1 − s/2 at any ε.
type NoseHoover struct {
	Mass  float64 // of the thermostat, times d: 10 keeps it calm
	Euler bool
}

// Friction is c = CΔt, Thermostat is s = ξΔt: lane buffers of size 1. The thermostat belongs to the rung.
const (
	Friction   = "friction"
	Thermostat = "thermostat"
)

// Name is "nosehoover".
func (NoseHoover) Name() string { return "nosehoover" }

// Entries of the rule.
func (r NoseHoover) Entries(s System) []lower.Entry {
	return []lower.Entry{r.start(s), r.begin(s), r.step(s), r.end(s)}
}

func forceName(i int) string { return fmt.Sprintf("force%d", i) }

// start places a walker: its forces with their noise, fresh momenta, and the thermostat where it balances the friction.
func (r NoseHoover) start(s System) lower.Entry {
	g := autodiff.New()
	pieces, logPrior, logLik := s.noisyPieces(s.theta(g))
	assign := put(Momentum, g.Normal(siteMomentum, s.Target.Dim()), Thermostat, g.Input(Friction),
		LogPrior, logPrior, LogLik, logLik, Tempered, s.tempered(logPrior, logLik))
	for i, piece := range pieces {
		assign = append(assign, put(forceName(i), piece)...)
	}
	return lower.Entry{Name: "start", Assign: assign}
}

// noisyPieces adds the noise to the gradient of what is tempered.
func (s System) noisyPieces(theta autodiff.Node) (pieces []autodiff.Node, logPrior, logLik autodiff.Node) {
	pieces, logPrior, logLik = s.pieces(theta)
	if last := len(pieces) - 1; s.Noise > 0 {
		pieces[last] = s.blur(pieces[last], siteForce)
	}
	return pieces, logPrior, logLik
}

// blur adds noise of variance Noise.
func (s System) blur(x autodiff.Node, site int) autodiff.Node {
	g := x.Graph()
	return autodiff.Add(x, autodiff.Mul(autodiff.Sqrt(g.Const(s.Noise)), g.Normal(site, x.Shape()...)))
}

// saved are the buffers that begin keeps and end restores when a trajectory ran away.
func (s System) saved(g *autodiff.Graph) map[string]autodiff.Node {
	out := map[string]autodiff.Node{Theta: s.theta(g), LogPrior: g.Input(LogPrior), LogLik: g.Input(LogLik)}
	for i := range s.forces() {
		out[forceName(i)] = g.Input(forceName(i), s.Target.Dim())
	}
	return out
}

// forces is the number of pieces.
func (s System) forces() int {
	if s.Path == Likelihood {
		return 2
	}
	return 1
}

func (s System) savedNames() []string {
	names := []string{Theta, LogPrior, LogLik}
	for i := range s.forces() {
		names = append(names, forceName(i))
	}
	return names
}

func (NoseHoover) begin(s System) lower.Entry {
	saved := s.saved(autodiff.New())
	var assign []lower.Assign
	for _, name := range s.savedNames() {
		assign = append(assign, put("safe_"+name, saved[name])...)
	}
	return lower.Entry{Name: "begin", Assign: assign}
}

func (r NoseHoover) step(s System) lower.Entry {
	if r.Euler {
		return r.euler(s)
	}
	return r.badodab(s)
}

// badodab is half a kick, half a drift, half a thermostat step, the Ornstein-Uhlenbeck step at the fixed ξ, and back.
func (r NoseHoover) badodab(s System) lower.Entry {
	g := autodiff.New()
	h, friction, xi := g.Input(StepSize), g.Input(Friction), g.Input(Thermostat)
	half := autodiff.Mul(g.Const(0.5), h)
	p := autodiff.Add(s.momentum(g), autodiff.Mul(half, s.pull(s.heldForce(g))))
	theta := autodiff.Add(s.theta(g), autodiff.Mul(half, s.push(p)))
	xi = autodiff.Add(xi, autodiff.Mul(g.Const(0.5), r.heat(p, h)))
	spread := autodiff.Sqrt(autodiff.Mul(friction, decay(xi)))
	p = autodiff.Add(autodiff.Mul(autodiff.Exp(autodiff.Neg(xi)), p), autodiff.Mul(spread, g.Normal(siteKick, p.Size())))
	xi = autodiff.Add(xi, autodiff.Mul(g.Const(0.5), r.heat(p, h)))
	theta = autodiff.Add(theta, autodiff.Mul(half, s.push(p)))
	pieces, logPrior, logLik := s.noisyPieces(theta)
	p = autodiff.Add(p, autodiff.Mul(half, s.pull(s.force(pieces))))
	return s.stepEntry(theta, p, xi, logPrior, logLik, pieces)
}

// euler is Algorithm 1 of the paper, in these units: v ← v + fε − sv + N(0, 2cε), θ ← θ + v, s ← s + (|v|²/d − ε)/Mass.
func (r NoseHoover) euler(s System) lower.Entry {
	g := autodiff.New()
	h, xi, p := g.Input(StepSize), g.Input(Thermostat), s.momentum(g)
	kick := autodiff.Mul(autodiff.Sqrt(autodiff.Mul(g.Const(2), g.Input(Friction))), g.Normal(siteKick, p.Size()))
	drag := autodiff.Mul(autodiff.Sub(g.Const(1), xi), p)
	p = autodiff.Add(autodiff.Add(drag, autodiff.Mul(h, s.pull(s.heldForce(g)))), kick)
	theta := autodiff.Add(s.theta(g), autodiff.Mul(h, s.push(p)))
	xi = autodiff.Add(xi, r.heat(p, h))
	pieces, logPrior, logLik := s.noisyPieces(theta)
	return s.stepEntry(theta, p, xi, logPrior, logLik, pieces)
}

func (s System) momentum(g *autodiff.Graph) autodiff.Node { return g.Input(Momentum, s.Target.Dim()) }

// heldForce is the force at theta as the last step left it.
func (s System) heldForce(g *autodiff.Graph) autodiff.Node {
	var pieces []autodiff.Node
	for i := range s.forces() {
		pieces = append(pieces, g.Input(forceName(i), s.Target.Dim()))
	}
	return s.force(pieces)
}

// heat is what a whole step adds to s: ε(|p|²/d − 1)/Mass.
func (r NoseHoover) heat(p, h autodiff.Node) autodiff.Node {
	g := p.Graph()
	excess := autodiff.Sub(autodiff.Mul(g.Const(1/float64(p.Size())), autodiff.SumAll(square(p))), g.Const(1))
	return autodiff.Mul(autodiff.Mul(square(h), excess), g.Const(1/r.Mass))
}

// decay is (1 − e^{−2s})/s, 2 at s = 0, for s of either sign.
func decay(s autodiff.Node) autodiff.Node {
	g := s.Graph()
	tiny := autodiff.Lt(autodiff.Abs(s), g.Const(1e-9))
	safe := autodiff.Where(tiny, g.Const(1), s)
	return autodiff.Where(tiny, g.Const(2), autodiff.Neg(autodiff.Div(autodiff.Expm1(autodiff.Mul(g.Const(-2), safe)), safe)))
}

func (s System) stepEntry(theta, p, xi, logPrior, logLik autodiff.Node, pieces []autodiff.Node) lower.Entry {
	assign := put(Theta, theta, Momentum, p, Thermostat, xi, LogPrior, logPrior, LogLik, logLik)
	for i, piece := range pieces {
		assign = append(assign, put(forceName(i), piece)...)
	}
	return lower.Entry{Name: "step", Assign: assign}
}

// end restores the start of a trajectory that left the numbers, with fresh momenta and a thermostat at rest.
func (NoseHoover) end(s System) lower.Entry {
	g := autodiff.New()
	saved, p := s.saved(g), s.momentum(g)
	sane := autodiff.IsFinite(autodiff.Add(s.temper(saved[LogPrior], saved[LogLik]),
		autodiff.Add(autodiff.SumAll(p), g.Input(Thermostat))))
	keep := func(now autodiff.Node, before string) autodiff.Node {
		return autodiff.Where(sane, now, g.Input(before, now.Shape()...))
	}
	var assign []lower.Assign
	for _, name := range s.savedNames() {
		saved[name] = keep(saved[name], "safe_"+name)
		assign = append(assign, put(name, saved[name])...)
	}
	p = autodiff.Where(sane, p, g.Normal(siteMomentum, p.Size()))
	tempered := s.tempered(saved[LogPrior], saved[LogLik])
	if s.Noise > 0 {
		tempered = s.blur(tempered, sitePotential)
	}
	total := autodiff.Sub(kinetic(p), s.temper(saved[LogPrior], saved[LogLik]))
	return lower.Entry{Name: "end", Assign: append(assign, put(
		Momentum, p, Thermostat, keep(g.Input(Thermostat), Friction), Total, total, Tempered, tempered,
		Accept, sane, Moved, sane, Diverged, autodiff.Not(sane))...)}
}
