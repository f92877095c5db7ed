package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// State is the lane buffer of Leapfrog: a point of phase space with what is known there, end to end, so that one copy
// moves it: θ, p, the whitened gradient Lᵀ∇log π, the gradient ∇log π, each with one element per coordinate, then log ρ
// and log ℓ.
const State = "state"

// Leapfrog returns the program of samplers that decide on the host where a trajectory goes: the entry "start" makes the
// State at the buffer Theta, at rest, "step" is one leapfrog step of size StepSize, negative to go back in time, in
// velocity form (half a kick, a drift, half a kick), which costs one gradient and leaves density and gradient known at
// the new point. Values are those of the buffer Theta, as with a Rule.
func Leapfrog(s System) []lower.Entry {
	start, step := s.theta(autodiff.New()), s.read()
	h := step.theta.Graph().Input(StepSize)
	half := autodiff.Mul(step.theta.Graph().Const(0.5), h)
	p := autodiff.Add(step.p, autodiff.Mul(half, step.pulled))
	theta := autodiff.Add(step.theta, autodiff.Mul(h, s.unwhiten(p)))
	return s.withMetric([]lower.Entry{
		{Name: "start",
			Assign: put(State, s.pack(start, func(autodiff.Node) autodiff.Node {
				return start.Graph().Full(0, s.Target.Dim())
			}))},
		{Name: "step", Assign: put(State, s.pack(theta, func(pulled autodiff.Node) autodiff.Node {
			return autodiff.Add(p, autodiff.Mul(half, pulled))
		}))},
		s.valuesEntry(),
	})
}

// A phase is what of a State a step reads.
type phase struct{ theta, p, pulled autodiff.Node }

func (s System) read() phase {
	d := s.Target.Dim()
	state := autodiff.New().Input(State, 4*d+2)
	part := func(k int) autodiff.Node { return autodiff.Slice(state, []int{k * d}, []int{(k + 1) * d}) }
	return phase{part(0), part(1), part(2)}
}

// pack returns the State at theta, with the momentum that kick makes of the whitened gradient there.
func (s System) pack(theta autodiff.Node, kick func(pulled autodiff.Node) autodiff.Node) autodiff.Node {
	pieces, logPrior, logLik := s.pieces(theta)
	force := s.force(pieces)
	pulled := s.whitenGradient(force)
	return autodiff.Concat(0, theta, kick(pulled), pulled, force, autodiff.Reshape(logPrior, 1),
		autodiff.Reshape(logLik, 1))
}
