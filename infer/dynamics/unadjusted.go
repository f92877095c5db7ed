package dynamics

import (
	"fmt"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// An unadjusted rule has no Metropolis test, so noisy gradients suffice. It defines the initial values of a walker's
// auxiliary variables and one step; unadjustedEntries builds its four entries from these.
type unadjusted interface {
	Traits() Traits
	// fresh returns initial values of the auxiliary variables, for a walker that has just been placed.
	fresh(s System, g *autodiff.Graph) []lower.Assign
	// move adds one step to the graph.
	move(x *state)
}

// reinitialising is an unadjusted rule that resets some auxiliary variables before each trajectory.
type reinitialising interface {
	begin(s System, g *autodiff.Graph) []lower.Assign
}

// A state is a walker during a step: nodes of one graph.
type state struct {
	System
	g                *autodiff.Graph
	theta            autodiff.Node
	h                autodiff.Node            // Δt in whitened coordinates
	noiseFactor      autodiff.Node            // factor of injected noise: 1, or 0 while Cyclical explores
	own              map[string]autodiff.Node // auxiliary variables of the rule
	pieces           []autodiff.Node          // parts of the force at theta, with noise
	logPrior, logLik autodiff.Node            // at theta, estimated from the same rows as the force
	clock            autodiff.Node            // number of minibatches used so far
}

// force returns the force at theta in whitened coordinates.
func (x *state) force() autodiff.Node { return x.whitenGradient(x.System.force(x.pieces)) }

// moveTo sets a new θ and computes the gradient there, the only one of a step.
func (x *state) moveTo(theta autodiff.Node) {
	x.theta = finiteOr(theta, x.System.theta(x.g))
	x.pieces, x.logPrior, x.logLik = x.noisyPieces(x.theta)
	if x.Batches.Size > 0 {
		x.clock = autodiff.Add(x.clock, x.g.Const(1))
	}
}

// drift returns θ moved by L times a whitened displacement.
func (x *state) drift(by autodiff.Node) autodiff.Node { return autodiff.Add(x.theta, x.unwhiten(by)) }

func forceName(i int) string { return fmt.Sprintf("force%d", i) }

// ForceBuffers returns the lane buffers of an unadjusted rule whose sum, at temperature 1, is the gradient of the log
// density at θ. The gradient is estimated from a batch drawn after θ was computed.
func (s System) ForceBuffers() (names []string) {
	for i := range s.forces() {
		names = append(names, forceName(i))
	}
	return names
}

// forces returns the number of parts of the force.
func (s System) forces() int {
	if s.Path == Likelihood {
		return 2
	}
	return 1
}

// storedState returns the state that the previous entry stored.
func storedState(r unadjusted, s System) *state {
	g := autodiff.New()
	x := &state{System: s, g: g, theta: s.theta(g), h: g.Input(StepSize), noiseFactor: g.Const(1),
		own:      map[string]autodiff.Node{},
		logPrior: g.Input(LogPrior), logLik: g.Input(LogLik)}
	for i := range s.forces() {
		x.pieces = append(x.pieces, g.Input(forceName(i), s.Target.Dim()))
	}
	for _, a := range r.fresh(s, g) {
		x.own[a.Name] = g.Input(a.Name, a.Value.Shape()...)
	}
	if s.Batches.Size > 0 {
		x.clock = g.Input(clock)
	}
	return x
}

// restorable returns assignments of the part of a state that end can restore: θ with its density and forces.
func (x *state) restorable() []lower.Assign {
	out := put(Theta, x.theta, LogPrior, x.logPrior, LogLik, x.logLik)
	for i, piece := range x.pieces {
		out = append(out, lower.Assign{Name: forceName(i), Value: piece})
	}
	return out
}

// all returns assignments of the entire state. Auxiliary variables are in the order of fresh.
func (x *state) all(r unadjusted) []lower.Assign {
	out := x.restorable()
	for _, a := range r.fresh(x.System, x.g) {
		out = append(out, lower.Assign{Name: a.Name, Value: x.own[a.Name]})
	}
	if x.Batches.Size > 0 {
		out = append(out, lower.Assign{Name: clock, Value: x.clock})
	}
	return append(out, x.countBatch(x.g)...)
}

// unadjustedEntries returns the entries of an unadjusted rule.
func unadjustedEntries(r unadjusted, s System) []lower.Entry {
	return []lower.Entry{start(r, s), begin(r, s), advance(r, s), end(r, s)}
}

// start returns the entry that initialises a walker at theta.
func start(r unadjusted, s System) lower.Entry {
	x := storedState(r, s)
	x.moveTo(x.theta)
	for _, a := range r.fresh(s, x.g) {
		x.own[a.Name] = a.Value
	}
	return lower.Entry{Name: "start", Assign: append(x.all(r), put(Tempered, s.tempered(x.logPrior, x.logLik))...)}
}

// begin returns the entry that stores the state at the start of a trajectory.
func begin(r unadjusted, s System) lower.Entry {
	x := storedState(r, s)
	var assign []lower.Assign
	for _, a := range x.restorable() {
		assign = append(assign, lower.Assign{Name: "safe_" + a.Name, Value: a.Value})
	}
	if again, ok := r.(reinitialising); ok {
		assign = append(assign, again.begin(s, x.g)...)
	}
	return lower.Entry{Name: "begin", Assign: assign}
}

// advance returns the entry of a step. With anchored batches, a step skips the density unless the rule reads it, since
// the density would be a third of the work.
func advance(r unadjusted, s System) lower.Entry {
	x := storedState(r, s)
	r.move(x)
	assign := x.all(r)
	if s.Batches.Anchored && !r.Traits().Density {
		assign = slices.DeleteFunc(assign, func(a lower.Assign) bool { return a.Name == LogPrior || a.Name == LogLik })
	}
	return lower.Entry{Name: "step", Assign: assign}
}

// end returns the last entry of a trajectory. A walker that became non-finite returns to the start of the trajectory,
// with initial values of the auxiliary variables.
func end(r unadjusted, s System) lower.Entry {
	x := storedState(r, s)
	g := x.g
	if s.Batches.Anchored {
		x.logPrior, x.logLik = s.density(x.theta)
	}
	sane := s.temper(x.logPrior, x.logLik)
	for _, a := range r.fresh(s, g) {
		sane = autodiff.Add(sane, autodiff.SumAll(x.own[a.Name]))
	}
	sane = autodiff.IsFinite(sane)
	var assign []lower.Assign
	kept := map[string]autodiff.Node{}
	for _, a := range x.restorable() {
		kept[a.Name] = autodiff.Where(sane, a.Value, g.Input("safe_"+a.Name, a.Value.Shape()...))
		assign = append(assign, lower.Assign{Name: a.Name, Value: kept[a.Name]})
	}
	for _, a := range r.fresh(s, g) {
		kept[a.Name] = autodiff.Where(sane, x.own[a.Name], a.Value)
		assign = append(assign, lower.Assign{Name: a.Name, Value: kept[a.Name]})
	}
	tempered, total := s.measured(kept[LogPrior], kept[LogLik]), autodiff.Neg(s.temper(kept[LogPrior], kept[LogLik]))
	if p, ok := kept[Momentum]; ok {
		total = autodiff.Add(total, kinetic(p))
	}
	assign = append(assign, s.countBatch(g)...)
	return lower.Entry{Name: "end", Assign: append(assign, put(
		Total, total, Tempered, tempered, Accept, sane, Moved, sane, Finite, sane, Ended, x.theta, Diverged,
		autodiff.Not(sane))...)}
}

// noisyPieces returns pieces with noise added to the gradient of the term that β multiplies.
func (s System) noisyPieces(theta autodiff.Node) (pieces []autodiff.Node, logPrior, logLik autodiff.Node) {
	pieces, logPrior, logLik = s.pieces(theta)
	if last := len(pieces) - 1; s.Noise > 0 {
		pieces[last] = s.blur(pieces[last], siteForce)
	}
	return pieces, logPrior, logLik
}

// blur adds normal noise of variance Noise.
func (s System) blur(x autodiff.Node, site int) autodiff.Node {
	g := x.Graph()
	return autodiff.Add(x, autodiff.Mul(autodiff.Sqrt(g.Const(s.Noise)), g.Normal(site, x.Shape()...)))
}

// kick returns p + h f.
func (x *state) kick(p, h autodiff.Node) autodiff.Node {
	return autodiff.Add(p, autodiff.Mul(h, x.force()))
}

// langevin returns (1 − drag) p + h f + N(0, variance): the momentum of an Euler step.
func (x *state) langevin(p, drag, variance autodiff.Node) autodiff.Node {
	slowed := autodiff.Mul(autodiff.Sub(x.g.Const(1), drag), p)
	spread := autodiff.Mul(x.noiseFactor, autodiff.Sqrt(variance))
	return autodiff.Add(x.kick(slowed, x.h), autodiff.Mul(spread, x.g.Normal(siteKick, p.Size())))
}

// momenta returns new momenta, N(0, I).
func (s System) momenta(g *autodiff.Graph) autodiff.Node {
	return g.Normal(siteMomentum, s.Target.Dim())
}

func twice(x autodiff.Node) autodiff.Node { return autodiff.Mul(x.Graph().Const(2), x) }
