// Package dynamics moves walkers. A rule is the arithmetic of one step of one lane, written as a graph, so that it runs
// on any device, in the same program as the density.
//
// All rules use unit temperature and whitened momenta. With θ = L z (a metric, package adapt), momenta p ~ N(0, I) move
// θ by θ̇ = L p under the force Lᵀ∇log π_β, where π_β is the target tempered by the lane's inverse temperature β. This
// equals dynamics at temperature T under −∇U, the form used in the papers, in other units of time: U/T at temperature
// 1, with Δt·√T.
package dynamics

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/adapt"
)

// Path is the part of the log density that the inverse temperature multiplies.
type Path int

// Paths from the target to a flatter distribution.
const (
	Plain      Path = iota // β multiplies nothing: there is no ladder
	Energy                 // β multiplies log ρ + log ℓ
	Likelihood             // β multiplies log ℓ only: β = 0 gives the prior
)

func (p Path) String() string { return [...]string{"", "energy", "likelihood"}[p] }

// A System is the input of a rule. In each step, normal noise of variance Noise is added to each component of the
// gradient of the term that β multiplies, and to this term when it is read for exchanges.
type System struct {
	Target  infer.Target
	Path    Path
	Noise   float64
	Batches Batches
	Metric  adapt.Metric // only its dimension and rank are used: its numbers are in buffers
	// Rungs is the length of the largest ladder that the program exchanges (exchange.go); 0: the host exchanges rungs.
	Rungs  int
	Chains int // number of chains, to limit the memory of records; 0: few

	// Discontinuities lists the coordinates in which the density jumps, for rules with a Metropolis test (see
	// DiscontinuityMove).
	Discontinuities []Discontinuity

	// Thermostats divides the coordinates into consecutive groups: the number of coordinates of each group, which has
	// one thermostat. nil means one thermostat for all. A system with several is a network, which an optimiser starts
	// (climb.go).
	Thermostats []int
}

// A Rule provides the entries of its program. Every rule has
//
//	start   after the host has set theta: computes what the first trajectory needs, and draws new momenta
//	begin   once before the steps of a trajectory
//	step    one step, one gradient
//	end     once after the steps
//
// These entries write the lane buffers listed below.
type Rule interface {
	Name() string
	Traits() Traits
	Entries(s System) []lower.Entry
}

// Lane buffers. Theta, Momentum, Gradient and Ended have one element per coordinate, Values has one for each saved
// value, and all others have size 1.
const (
	Theta    = "theta"
	LogPrior = "log_prior" // log ρ at theta
	LogLik   = "log_lik"   // log ℓ at theta
	Beta     = "beta"      // set by the host: inverse temperature
	StepSize = "step_size" // set by the host: Δt in whitened coordinates
	// Cool is set by the host, for rules with a Metropolis test: a factor 1/T of the log density, below 1 for walkers
	// that start far from the mass.
	Cool     = "cool"
	Tempered = "tempered" // after end: the term that β multiplies, with its noise, for exchanges
	Accept   = "accept"   // after end: acceptance probability of the trajectory; without a test it equals Finite
	Moved    = "moved"    // after end: 1 if theta is a new point
	Diverged = "diverged" // after end: 1 if the trajectory diverged
	Finite   = "finite"   // after end: 0 if a momentum, or the density at the end of the trajectory, is not finite
	// Ended, after end: θ at the end of the trajectory, accepted or not. If the trajectory reached non-finite values,
	// it is close to the first such point.
	Ended     = "ended"
	Total     = "total"  // after end: the Hamiltonian of the accepted state
	Counts    = "counts" // after end, of rules with the trait Flagged: 1 if theta counts as a draw
	Momentum  = "momentum"
	Gradient  = "gradient"  // entry, and its result: ∇log π_β at theta, without noise
	Potential = "potential" // entry that computes Tempered again, with new noise
	Values    = "values"    // entry, and its result: Target.Values at theta
)

// Noise sites of the rules. Targets number their own sites from 0, in separate entries.
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

// Lasting returns the names of all buffers that entries read, except those that "begin" writes and only "step" and
// "end" read. Between two trajectories, all future results depend only on these buffers.
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

// measured returns the term that β multiplies, with its noise.
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

// finiteOr returns theta, with the previous value for coordinates that are not finite, so that a failed trajectory ends
// near the point at which it failed.
func finiteOr(theta, before autodiff.Node) autodiff.Node {
	return autodiff.Where(autodiff.IsFinite(theta), theta, before)
}

// temper returns log π_β. With MulZero, an infinite likelihood has no effect if β = 0.
func (s System) temper(logPrior, logLik autodiff.Node) autodiff.Node {
	switch s.Path {
	case Energy:
		return autodiff.MulZero(beta(logLik), autodiff.Add(logPrior, logLik))
	case Likelihood:
		return autodiff.Add(logPrior, autodiff.MulZero(beta(logLik), logLik))
	}
	return autodiff.Add(logPrior, logLik)
}

// tempered returns the term that β multiplies.
func (s System) tempered(logPrior, logLik autodiff.Node) autodiff.Node {
	if s.Path == Likelihood {
		return logLik
	}
	return autodiff.Add(logPrior, logLik)
}

// pieces returns gradients that force combines to ∇log π_β: two if β multiplies the likelihood only, else one.
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

// kinetic returns |p|²/2.
func kinetic(p autodiff.Node) autodiff.Node {
	return autodiff.Mul(p.Graph().Const(0.5), autodiff.SumAll(square(p)))
}

// put makes assignments from alternating names and values.
func put(pairs ...any) []lower.Assign {
	var out []lower.Assign
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, lower.Assign{Name: pairs[i].(string), Value: pairs[i+1].(autodiff.Node)})
	}
	return out
}

// timesCool returns x times the lane's Cool.
func timesCool(x autodiff.Node) autodiff.Node { return autodiff.Mul(x.Graph().Input(Cool), x) }
