// Package infer has what samplers share: the target they draw from, options and settings, where draws go, and what a
// sampler reports. Samplers live below it (infer/renhd); each is a function of the type Sampler.
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
	// Density adds log ρ and log ℓ at theta (shape [Dim]) to theta's graph, each a scalar. Log ℓ is the constant 0
	// without data.
	Density(theta autodiff.Node) (logPrior, logLik autodiff.Node)
	// ProperPrior reports whether log ρ is known to integrate, so that it can be the hot end of a ladder.
	ProperPrior() bool
	// Start draws a point to begin at: from the prior where it is proper, else dispersed; from its own stream of (seed,
	// walker).
	Start(seed uint64, walker int) []float64
	// Saved lists what is kept of a draw, in order: parameters on their own scale, then generated quantities.
	Saved() []types.Variable
	// Values adds all of Saved, flattened and laid end to end, to theta's graph: shape [total size].
	Values(theta autodiff.Node) autodiff.Node
}

// A Starting target draws many starts at less cost than by calling Start for each.
type Starting interface {
	Target
	// Starts gives a function that is Start with a seed.
	Starts(seed uint64) func(walker int) []float64
}

// Starts returns a function that is a target's Start with a seed, for many starts.
func Starts(t Target, seed uint64) func(walker int) []float64 {
	if s, ok := t.(Starting); ok {
		return s.Starts(seed)
	}
	return func(walker int) []float64 { return t.Start(seed, walker) }
}

// A Splittable target's log ℓ is a sum over rows that are independent given theta, so that a few rows at random
// estimate it without bias.
type Splittable interface {
	Target
	// Rows is how many there are. The error, in the user's words, names what couples the data of a model whose log ℓ
	// does not split.
	Rows() (int, error)
	// Split adds to theta's graph log ρ, the part of log ℓ that is not a sum over rows (evaluated in full for each
	// batch, usually the constant 0), and the terms log ℓ(theta; x_i) of the rows asked for: rows has shape [m] and
	// holds numbers from 0 to Rows−1; terms has shape [m]. The whole log ℓ is whole + Σ of the terms of all rows.
	Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node)
}

// A Trained target may add noise during training: it drops units of its networks, or crops images. With noise log ℓ of
// a row is not a function of theta alone; Split has no noise.
type Trained interface {
	Splittable
	Random() string // names what is changed; "": nothing is
	// SplitTraining is Split with changes by noise at the address of a lane and a step, whole numbers in theta's graph.
	SplitTraining(theta, rows, lane, step autodiff.Node) (logPrior, whole, terms autodiff.Node)
}

// A Sampler draws from a target until it has Options.Draws draws of each chain, handing each to the recorder as it
// comes.
//
// When ctx is cancelled it stops within about 100 ms and returns what it has done so far with ctx.Err(). Any other
// error says that the run failed: a recorder's or device's error, or a target that is nowhere finite. The report is
// meaningful either way.
type Sampler func(ctx context.Context, t Target, o Options, r Recorder) (Report, error)
