package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// State is the lane buffer of Leapfrog. It concatenates a point of phase space and the values there, so that one copy
// moves all: θ, p, the whitened gradient Lᵀ∇log π and the gradient ∇log π, each with one element per coordinate, then
// log ρ and log ℓ.
const State = "state"

// Leapfrog returns the program of samplers that choose the direction of trajectories on the host. The entry "start"
// computes the State at the position in the buffer Theta, with momentum 0. "step" is one leapfrog step of size
// StepSize, negative to go back in time, in velocity form (half a kick, a drift, half a kick). It costs one gradient,
// and computes density and gradient at the new point. The entry Values reads the buffer Theta, as with a Rule.
func Leapfrog(s System) []lower.Entry {
	start, step := s.theta(autodiff.New()), s.read()
	h := step.theta.Graph().Input(StepSize)
	half := autodiff.Mul(step.theta.Graph().Const(0.5), h)
	p := autodiff.Add(step.p, autodiff.Mul(half, step.pulled))
	theta := autodiff.Add(step.theta, autodiff.Mul(h, s.unwhiten(p)))
	return []lower.Entry{
		{Name: "start",
			Assign: put(State, s.pack(start, func(autodiff.Node) autodiff.Node {
				return start.Graph().Full(0, s.Target.Dim())
			}))},
		{Name: "step", Assign: put(State, s.pack(theta, func(pulled autodiff.Node) autodiff.Node {
			return autodiff.Add(p, autodiff.Mul(half, pulled))
		}))},
		s.valuesEntry(),
	}
}

// A phase holds the parts of a State that a step reads.
type phase struct{ theta, p, pulled autodiff.Node }

func (s System) read() phase {
	d := s.Target.Dim()
	state := autodiff.New().Input(State, 4*d+2)
	part := func(k int) autodiff.Node { return autodiff.Slice(state, []int{k * d}, []int{(k + 1) * d}) }
	return phase{part(0), part(1), part(2)}
}

// pack returns the State at theta. kick maps the whitened gradient there to the new momentum.
func (s System) pack(theta autodiff.Node, kick func(pulled autodiff.Node) autodiff.Node) autodiff.Node {
	pieces, logPrior, logLik := s.pieces(theta)
	force := s.force(pieces)
	pulled := s.whitenGradient(force)
	return autodiff.Concat(0, theta, kick(pulled), pulled, force, autodiff.Reshape(logPrior, 1),
		autodiff.Reshape(logLik, 1))
}
