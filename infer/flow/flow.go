// Package flow approximates a target by a distribution that is easy to draw from: the image of a standard normal under
// a map T_φ whose parameters φ maximise the evidence lower bound E[log p(T(ε)) + log |det T'(ε)|] along reparameterised
// gradients (Kingma and Welling 2014; Rezende and Mohamed 2015). The maps are an affine one, diagonal or triangular
// (automatic differentiation variational inference: Kucukelbir, Tran, Ranganath, Gelman, Blei, JMLR 2017), planar
// flows, and affine coupling layers.
//
// It is not a Monte Carlo method: draws are independent, but of the approximation. Each chain is a fit of its own, from
// a start of its own, so that fits that end in different modes show as chains that disagree; and Pareto k̂ of the
// importance weights measures how far the approximation is from the target where it has been (Yao, Vehtari, Simpson,
// Gelman 2018). Neither sees a mode that no fit has found, so the draws are compared with an exploration: walkers that
// begin at starts of their own (elsewhere.go).
package flow

import (
	"context"

	"ppl/infer"
	"ppl/infer/adapt"
)

// A Kind is a family of maps, by the name of the sampler that fits one of a number of dimensions.
type Kind func(dim int) (sampler string, f family)

// MeanField is of independent normals.
func MeanField(dim int) (string, family) { return "advi", affine{dim: dim} }

// FullRank is of one normal with all its correlations.
func FullRank(dim int) (string, family) { return "fullrank", affine{dim: dim, correlated: true} }

// Planar is of planar flows.
func Planar(dim int) (string, family) { return "planar", planar{dim: dim, layers: 16} }

// Coupling is of flows of affine coupling layers; in one dimension, where nothing can be coupled, of planar flows.
func Coupling(dim int) (string, family) {
	if dim == 1 {
		return "flow", planar{dim: 1, layers: 16}
	}
	return "flow", coupling{dim: dim, layers: 8, hidden: 32}
}

// An Explore takes walkers from a target's own starts to where it is, within a number of gradients.
type Explore func(ctx context.Context, t infer.Target, o infer.Options, most int64) (adapt.Exploration, error)

// Sampler fits a map of a kind in each chain. Draws are compared with an exploration, if there is one.
func Sampler(k Kind, explore Explore) infer.Sampler {
	return func(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
		name, f := k(t.Dim())
		return sample(ctx, t, o, rec, name, f, explore)
	}
}

// A family is a map T_φ in coordinates where the target is about standard normal.
type family interface {
	// size is the number of parameters φ.
	size() int
	// start is φ of a map that is about the identity; draw gives standard normal numbers.
	start(draw func() float64) []float64
	// push adds T_φ(ε), shape [dim], and log |det T'| to the graph of φ and ε.
	push(phi, eps node) (z, logDet node)
	// diagonal reports whether the family cannot use coordinates that mix those of the target.
	diagonal() bool
	// rate is Adam's, at first.
	rate() float64
}
