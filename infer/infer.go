// Package infer defines what samplers share: the target to draw from, options and settings, the recorder of draws, and
// the report of a run. Samplers are in packages below this one (such as infer/renhd); each is a function of type
// Sampler.
package infer

import (
	"context"

	"ppl/autodiff"
	"ppl/lang/types"
)

// A Target is the posterior that a sampler draws from: a density on unconstrained coordinates theta ∈ R^Dim, split as
// log p = log ρ + log ℓ, where log ρ includes the log-Jacobian of the constraining transform.
type Target interface {
	Dim() int
	// Density adds log ρ and log ℓ at theta (shape [Dim]) to theta's graph, each a scalar. Without data, log ℓ is the
	// constant 0.
	Density(theta autodiff.Node) (logPrior, logLik autodiff.Node)
	// ProperPrior reports whether ρ is known to have a finite integral, so that the hottest rung of a ladder can sample
	// it.
	ProperPrior() bool
	// Start returns a random starting point: a draw from the prior if that is proper, else a dispersed point. Each pair
	// (seed, walker) has its own stream of random numbers.
	Start(seed uint64, walker int) []float64
	// Saved lists the values stored for a draw, in order: parameters on their own scale, then generated quantities.
	Saved() []types.Variable
	// Values adds the values of Saved to theta's graph, flattened and concatenated: shape [total size].
	Values(theta autodiff.Node) autodiff.Node
}

// A Starting target computes many starting points at less cost than by calls of Start.
type Starting interface {
	Target
	// Starts returns a function that computes Start(seed, walker).
	Starts(seed uint64) func(walker int) []float64
}

// Starts returns a function that computes t.Start(seed, walker), at less cost if t is Starting.
func Starts(t Target, seed uint64) func(walker int) []float64 {
	if s, ok := t.(Starting); ok {
		return s.Starts(seed)
	}
	return func(walker int) []float64 { return t.Start(seed, walker) }
}

// A Splittable target's log ℓ is a sum over rows that are independent given theta, so a few random rows give an
// unbiased estimate of it.
type Splittable interface {
	Target
	// Rows returns the number of rows. If log ℓ is not such a sum, the error describes to the user what couples the
	// data.
	Rows() (int, error)
	// Split adds to theta's graph log ρ, the part of log ℓ that is not a sum over rows (computed for each batch,
	// usually the constant 0), and the terms log ℓ(theta; x_i) of some rows. The vector rows has shape [m] and holds
	// numbers from 0 to Rows−1; terms has shape [m]. The total log ℓ is whole + Σ of the terms of all rows.
	Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node)
}

// A Trained target may add noise during training: it drops units of its networks, or crops images at random. With this
// noise, log ℓ of a row is not a function of theta alone. Split adds no noise.
type Trained interface {
	Splittable
	// Random describes the noise, as in "units are dropped". It is "" if there is none.
	Random() string
	// SplitTraining is Split with noise. The noise is a function of lane and step, integer nodes in theta's graph.
	SplitTraining(theta, rows, lane, step autodiff.Node) (logPrior, whole, terms autodiff.Node)
}

// A Sampler draws from a target until each chain has Options.Draws draws, and passes each draw to the recorder
// immediately.
//
// When ctx is cancelled it stops within about 100 ms, and returns ctx.Err() and the report so far. A Refusal means that
// it cannot sample this target with these settings. Any other error means that the run failed, for example an error of
// the recorder or the device. The report is valid in all cases.
type Sampler func(ctx context.Context, t Target, o Options, r Recorder) (Report, error)
