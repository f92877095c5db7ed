// Package dynamics moves walkers: each rule is the arithmetic of one step of one lane, written as a graph, so that it
// runs on any device, in the same program as the density.
//
// All rules work in unit temperature and in whitened momenta: with θ = L z (a metric, package adapt), momenta p ~ N(0,
// I) move θ by θ̇ = L p under the force Lᵀ∇log π_β, where π_β is the target tempered by the lane's inverse temperature
// β. Dynamics at temperature T under −∇U, as the papers write it, is the same thing in other units of time: U/T at
// temperature 1 with Δt·√T.
package dynamics

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/adapt"
)

// Path says what the inverse temperature multiplies.
type Path int

// Paths from the target to something flatter.
const (
	Plain      Path = iota // nothing: there is no ladder
	Energy                 // log ρ + log ℓ
	Likelihood             // log ℓ alone: at β = 0 the prior is left
)

func (p Path) String() string { return [...]string{"", "energy", "likelihood"}[p] }

// A System is what a rule moves on. Noise is the variance of normal noise added, each step, to every component of the
// gradient of what Path tempers, and to that potential where it is read for exchanges.
type System struct {
	Target  infer.Target
	Path    Path
	Noise   float64
	Batches Batches
	Metric  adapt.Metric // its kind and rank; its numbers are in buffers
	Rungs   int          // the most of a ladder that the program exchanges (exchange.go); 0: the host does
	Chains  int          // for the memory of records; 0: few

	// coordinates in which the density jumps, see DiscontinuityMove; of rules with a test
	Discontinuities []Discontinuity

	// Thermostats are numbers of consecutive coordinates that have a thermostat of their own; nil: all have one. A
	// system with several is one that an optimiser starts (climb.go).
	Thermostats []int
}

// A Rule adds the entries of its program. Every rule has
//
//	start   after the host has placed theta: what must be known before the first trajectory; draws new momenta
//	begin   once before the steps of a trajectory
//	step    one step, one gradient
//	end     once after them
//
// and leaves in lane buffers theta and what Buffers lists.
type Rule interface {
	Name() string
	Traits() Traits
	Entries(s System) []lower.Entry
}

// Lane buffers. Sizes are 1 but for theta, gradient and momentum, which have one element per coordinate.
const (
	Theta    = "theta"
	LogPrior = "log_prior" // at theta
	LogLik   = "log_lik"   // at theta
	Beta     = "beta"      // set by the host
	StepSize = "step_size" // set by the host: Δt in whitened coordinates
	Cool     = "cool"      // set by the host, hmc only: 1/T on top of all else, below 1 for walkers that start far out
	Tempered = "tempered"  // after end: what β multiplies, with its noise, for exchanges
	Accept   = "accept"    // after end: acceptance probability of the trajectory; 1 if nothing is rejected
	Moved    = "moved"     // after end: 1 when theta is a new point
	Diverged = "diverged"  // after end: 1 if the trajectory became non-finite
	Finite   = "finite"    // after end: 0 when the density where the trajectory ended, or a momentum, is not finite
	// after end: θ there, kept or not; where something was not finite, about where that happened first
	Ended     = "ended"
	Total     = "total"  // after end: the Hamiltonian of the state kept
	Counts    = "counts" // after end, of rules that flag: 1 when theta counts as a draw
	Momentum  = "momentum"
	Gradient  = "gradient"  // after the entry of that name: ∇log π_β at theta, without noise
	Potential = "potential" // an entry: computes Tempered again, with new noise
	Values    = "values"    // after the entry of that name: Target.Values at theta
)

// Noise sites of the rules. Targets number theirs from 0 in entries of their own.
const (
	siteMomentum = 1<<20 + iota
	siteJitter
	siteCare
	siteDecision
	siteForce
	siteKick
	sitePotential
	siteTempering
	siteRows
	siteMovePlace
	siteMoveScale
	siteMove
	siteMoveDecision
)

// Program returns a rule's entries and those that every rule shares: gradient and values.
func Program(r Rule, s System) []lower.Entry {
	entries := r.Entries(s)
	if len(s.Thermostats) > 0 {
		return s.withMetric(append(entries, s.valuesEntry(), s.noisyEntry(NoisyGrad), s.climbEntry(), s.scoreEntry()))
	}
	entries = append(entries, s.gradientEntry(), s.valuesEntry(), s.potentialEntry())
	entries = slices.Concat(entries, s.batchEntries(), s.exchangeEntries(r), s.leapEntries(r), s.hopEntries())
	return s.withMetric(s.recorded(r, entries))
}

// Lasting names the lane buffers that a program reads as they were before: between two trajectories, the numbers to
// come depend on these alone. What "begin" writes, the rest of the trajectory reads as it was written there.
func Lasting(entries []lower.Entry) (names []string) {
	begun := map[string]bool{}
	for _, e := range entries {
		for _, a := range e.Assign {
			begun[a.Name] = begun[a.Name] || e.Name == "begin"
		}
	}
	for _, e := range entries {
		later := e.Name == "step" || e.Name == "end"
		for _, a := range e.Assign {
			for _, in := range a.Value.Graph().Inputs() {
				if name := in.Op().Name; !(later && begun[name]) && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func (s System) potentialEntry() lower.Entry {
	g := autodiff.New()
	return lower.Entry{Name: Potential, Assign: put(Tempered, s.measured(g.Input(LogPrior), g.Input(LogLik)))}
}

// measured returns what β multiplies, with its noise.
func (s System) measured(logPrior, logLik autodiff.Node) autodiff.Node {
	if s.Noise > 0 {
		return s.blur(s.tempered(logPrior, logLik), sitePotential)
	}
	return s.tempered(logPrior, logLik)
}

func (s System) gradientEntry() lower.Entry {
	s.Batches.Size = 0
	pieces, _, _ := s.pieces(s.theta(autodiff.New()))
	return lower.Entry{Name: Gradient, Assign: []lower.Assign{{Name: Gradient, Value: s.force(pieces)}}}
}

func (s System) valuesEntry() lower.Entry {
	theta := s.theta(autodiff.New())
	return lower.Entry{Name: Values, Assign: []lower.Assign{{Name: Values, Value: s.Target.Values(theta)}}}
}

func (s System) theta(g *autodiff.Graph) autodiff.Node { return g.Input(Theta, s.Target.Dim()) }

// finiteOr keeps coordinates where they were once they leave the numbers, so that a trajectory that fails ends where it
// failed.
func finiteOr(theta, before autodiff.Node) autodiff.Node {
	return autodiff.Where(autodiff.IsFinite(theta), theta, before)
}

// temper is log π_β of a prior and a likelihood. MulZero makes β = 0 forget an infinite likelihood.
func (s System) temper(logPrior, logLik autodiff.Node) autodiff.Node {
	switch s.Path {
	case Energy:
		return autodiff.MulZero(beta(logLik), autodiff.Add(logPrior, logLik))
	case Likelihood:
		return autodiff.Add(logPrior, autodiff.MulZero(beta(logLik), logLik))
	}
	return autodiff.Add(logPrior, logLik)
}

// tempered returns what β multiplies.
func (s System) tempered(logPrior, logLik autodiff.Node) autodiff.Node {
	if s.Path == Likelihood {
		return logLik
	}
	return autodiff.Add(logPrior, logLik)
}

// pieces returns the gradients whose sum, weighted by force, is ∇log π_β: two where β multiplies the likelihood alone.
func (s System) pieces(theta autodiff.Node) (pieces []autodiff.Node, logPrior, logLik autodiff.Node) {
	logPrior, logLik = s.density(theta)
	if s.Path == Likelihood {
		return []autodiff.Node{autodiff.Grad(logPrior, theta)[0], autodiff.Grad(logLik, theta)[0]}, logPrior, logLik
	}
	return autodiff.Grad(autodiff.Add(logPrior, logLik), theta), logPrior, logLik
}

func (s System) force(pieces []autodiff.Node) autodiff.Node {
	last := pieces[len(pieces)-1]
	if s.Path != Plain {
		last = autodiff.MulZero(beta(last), last)
	}
	if len(pieces) == 2 {
		return autodiff.Add(pieces[0], last)
	}
	return last
}

func beta(like autodiff.Node) autodiff.Node { return like.Graph().Input(Beta) }

func square(x autodiff.Node) autodiff.Node { return autodiff.Mul(x, x) }

// kinetic is |p|²/2.
func kinetic(p autodiff.Node) autodiff.Node {
	return autodiff.Mul(p.Graph().Const(0.5), autodiff.SumAll(square(p)))
}

// put lists assignments as name, value pairs.
func put(pairs ...any) []lower.Assign {
	var out []lower.Assign
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, lower.Assign{Name: pairs[i].(string), Value: pairs[i+1].(autodiff.Node)})
	}
	return out
}
