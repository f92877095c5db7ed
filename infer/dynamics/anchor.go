package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/lower"
	"ppl/infer"
)

// An anchor a is a point where the sum of all rows' terms and its gradient are known. Near it, terms are about linear,
// and a batch S needs to estimate only the rest (SGLD-CV: Baker, Fearnhead, Fox and Nemeth, Statistics and Computing
// 2019; renewed anchors: Dubey et al., NeurIPS 2016):
//
//	log ℓ(θ) ≈ Σ ℓᵢ(a) + (θ − a)·Σ ∇ℓᵢ(a) + N/|S| Σ_S [ℓᵢ(θ) − ℓᵢ(a) − (θ − a)·∇ℓᵢ(a)]
//
// The gradient of this estimate by θ is the gradient at the anchor plus the scaled difference of the batch's gradients
// at θ and at the anchor. Both estimates are without bias wherever the anchor is; it decides only how much noise they
// have.
//
// These are lane buffers: the anchor and what is known there, written by the host, and the share of the correction that
// is used, 0 or 1: a rung so hot that its walkers are far from every anchor has less noise without one.
const (
	Anchor      = "anchor"
	AnchorSum   = "anchor_sum"
	AnchorSlope = "anchor_slope"
	AnchorShare = "anchor_share"
)

// AnchorBuffers are the lane buffers that the host writes of an anchor.
func AnchorBuffers() []string { return []string{Anchor, AnchorSum, AnchorSlope, AnchorShare} }

// Lane buffers that the entry AllRows writes, which reads the anchor. It covers all rows at once where they are in
// memory, else Pass of them, the part Part in their order; then sums are those of the part.
const (
	AllRows     = "all_rows"
	RowsSum     = "rows_sum"     // Σ ℓᵢ(a)
	RowsSlope   = "rows_slope"   // its gradient
	RestDensity = "rest_density" // log ρ and the part of log ℓ that is no sum over rows
	RestSlope   = "rest_slope"   // its gradient
)

func (s System) anchor(g *autodiff.Graph) autodiff.Node { return g.Input(Anchor, s.Target.Dim()) }

// correction is what an anchor adds to the estimate of Σ ℓᵢ(θ) from weighted rows: what is known there less what the
// rows say of it.
func (s System) correction(theta, rows, weight autodiff.Node) autodiff.Node {
	g, at := theta.Graph(), s.anchor(theta.Graph())
	_, _, terms := s.split(at, rows)
	sum := autodiff.SumAll(terms)
	missing := autodiff.Sub(g.Input(AnchorSlope, s.Target.Dim()), autodiff.Mul(weight, autodiff.Grad(sum, at)[0]))
	level := autodiff.Sub(g.Input(AnchorSum), autodiff.Mul(weight, sum))
	tilt := autodiff.SumAll(autodiff.Mul(missing, autodiff.Sub(theta, at)))
	return autodiff.MulZero(g.Input(AnchorShare), autodiff.Add(level, tilt))
}

// controls are the terms of rows to first order about the anchor.
func (s System) controls(theta, rows autodiff.Node) autodiff.Node {
	at := s.anchor(theta.Graph())
	_, _, terms := s.split(at, rows)
	return autodiff.Add(terms, along(terms, at, autodiff.Sub(theta, at)))
}

// along is the derivative of each of ys, a function of x, in a direction: that of the pullback Σ wᵢ∇yᵢ·direction, which
// is linear in w, by w.
func along(ys, x, direction autodiff.Node) autodiff.Node {
	w := ys.Graph().Input("weights", ys.Size())
	pullback := autodiff.Grad(autodiff.SumAll(autodiff.Mul(w, ys)), x)[0]
	return autodiff.Grad(autodiff.SumAll(autodiff.Mul(pullback, direction)), w)[0]
}

// allRowsEntry is a pass over the data at the anchor, or a chunk of it.
func (s System) allRowsEntry() lower.Entry {
	g := autodiff.New()
	at := s.anchor(g)
	of := s.inMemory
	if _, streamed := infer.Streaming(s.Target); streamed {
		of = s.chunk
	}
	logPrior, whole, sum := of(at)
	rest := autodiff.Add(logPrior, whole)
	return lower.Entry{Name: AllRows, Assign: put(RowsSum, sum, RowsSlope, autodiff.Grad(sum, at)[0],
		RestDensity, rest, RestSlope, autodiff.Grad(rest, at)[0])}
}

// inMemory takes the sum over all rows from the whole density.
func (s System) inMemory(at autodiff.Node) (logPrior, whole, sum autodiff.Node) {
	_, whole, _ = s.split(at, at.Graph().Iota(1))
	logPrior, logLik := s.Target.Density(at)
	return logPrior, whole, autodiff.Sub(logLik, whole)
}

// chunk counts rows beyond the last as nothing.
func (s System) chunk(at autodiff.Node) (logPrior, whole, sum autodiff.Node) {
	g, b := at.Graph(), s.Batches
	first := autodiff.Broadcast(autodiff.Mul(g.Input(Part), g.Const(float64(b.Pass))), []int{b.Pass}, nil)
	rows, last := autodiff.Add(first, g.Iota(b.Pass)), g.Full(float64(b.Rows-1), b.Pass)
	logPrior, whole, terms := s.split(at, autodiff.Minimum(rows, last))
	return logPrior, whole, autodiff.SumAll(autodiff.MulZero(autodiff.Le(rows, last), terms))
}
