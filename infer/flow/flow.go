// Package flow approximates a target by a distribution that is easy to draw from: the image of a standard normal under
// a map T_φ whose parameters φ maximise the evidence lower bound E[log p(T(ε)) + log |det T'(ε)|] along reparameterised
// gradients (Kingma and Welling 2014; Rezende and Mohamed 2015). The maps are an affine one, diagonal or triangular
// (automatic differentiation variational inference: Kucukelbir, Tran, Ranganath, Gelman, Blei, JMLR 2017), planar
// flows, and affine coupling layers.
//
// It is no Monte Carlo method: draws are independent, but of the approximation. Each chain is a fit of its own, from a
// start of its own, so that fits that end in different modes show as chains that disagree; and Pareto k̂ of the
// importance weights measures how far the approximation is from the target where it has been (Yao, Vehtari, Simpson,
// Gelman 2018). Neither sees a mode that no fit has found.
package flow

import (
	"context"

	"ppl/infer"
)

// MeanField fits independent normals; it is an infer.Sampler, as are those below.
func MeanField(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	return sample(ctx, t, o, rec, "advi", affine{dim: t.Dim()})
}

// FullRank fits one normal with all its correlations.
func FullRank(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	return sample(ctx, t, o, rec, "fullrank", affine{dim: t.Dim(), correlated: true})
}

// Planar fits a planar flow.
func Planar(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	return sample(ctx, t, o, rec, "planar", planar{dim: t.Dim(), layers: 16})
}

// Coupling fits a flow of affine coupling layers; in one dimension, where nothing can be coupled, a planar flow.
func Coupling(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	if t.Dim() == 1 {
		return sample(ctx, t, o, rec, "flow", planar{dim: 1, layers: 16})
	}
	return sample(ctx, t, o, rec, "flow", coupling{dim: t.Dim(), layers: 8, hidden: 32})
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
