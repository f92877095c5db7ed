// Package flow approximates a target by a distribution that is easy to draw from: the image of a standard normal under
// a map T_φ. The parameters φ maximise the evidence lower bound E[log p(T(ε)) + log |det T'(ε)|] by reparameterised
// gradients (Kingma and Welling 2014; Rezende and Mohamed 2015). The maps are affine, diagonal or triangular (automatic
// differentiation variational inference: Kucukelbir, Tran, Ranganath, Gelman, Blei, JMLR 2017), planar flows, or affine
// coupling layers.
//
// It is not a Monte Carlo method: draws are independent, but from the approximation. Each chain is a separate fit with
// its own starting point, so fits that end in different modes show as chains that disagree. Pareto k̂ of the importance
// weights measures how far the approximation is from the target where it has mass (Yao, Vehtari, Simpson, Gelman 2018).
// Neither detects a mode that no fit has found, so the draws are compared with an exploration: walkers that begin at
// independent starting points (elsewhere.go).
package flow

import (
	"context"

	"ppl/infer"
	"ppl/infer/adapt"
)

// A Kind returns, for a dimension, the name of a sampler and the family of maps that it fits.
type Kind func(dim int) (sampler string, f family)

// MeanField fits independent normals.
func MeanField(dim int) (string, family) { return "advi", affine{dim: dim} }

// FullRank fits one normal with all correlations.
func FullRank(dim int) (string, family) { return "fullrank", affine{dim: dim, correlated: true} }

// Planar fits planar flows.
func Planar(dim int) (string, family) { return "planar", planar{dim: dim, layers: 16} }

// Coupling fits flows of affine coupling layers. In one dimension, in which nothing can be coupled, it fits planar
// flows.
func Coupling(dim int) (string, family) {
	if dim == 1 {
		return "flow", planar{dim: 1, layers: 16}
	}
	return "flow", coupling{dim: dim, layers: 8, hidden: 32}
}

// An Explore moves walkers from a target's own starting points to regions of high probability. most is the maximum
// number of gradients.
type Explore func(ctx context.Context, t infer.Target, o infer.Options, most int64) (adapt.Exploration, error)

// Sampler returns a sampler that fits a map of this kind in each chain. Draws are compared with an exploration, unless
// explore is nil.
func Sampler(k Kind, explore Explore) infer.Sampler {
	return func(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
		name, f := k(t.Dim())
		return sample(ctx, t, o, rec, name, f, explore)
	}
}

// A family is a family of maps T_φ with parameters φ, in coordinates in which the target is about standard normal.
type family interface {
	// size returns the number of parameters φ.
	size() int
	// start returns φ of a map that is about the identity. draw returns standard normal numbers.
	start(draw func() float64) []float64
	// push adds T_φ(ε), shape [dim], and log |det T'| to the graph of φ and ε.
	push(phi, eps node) (z, logDet node)
	// diagonal reports whether the family is used in coordinates that scale those of the target but do not mix them.
	diagonal() bool
	// rate returns Adam's initial rate.
	rate() float64
}
