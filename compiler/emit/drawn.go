package emit

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// A drawn is the source of what is known once latents are drawn: draws, marginals and modes of latents are inputs, and
// observed arrays may be replicated.
type drawn struct{ *Latents }

// Array is a latent as it was drawn, or a replicate.
func (d drawn) Array(e *Evaluator, a *model.Array) (Value, bool) {
	switch {
	case a.Role == model.Latent:
		return Value{e.Graph.Input(drawnName(a), e.shape(nil, a.Type.Axes)...), nil, a.Type.Axes}, true
	case a.Replicates != nil:
		return replicaOf(e, a), true
	}
	return d.Source.Array(e, a)
}

// Expr is a probability or a mode.
func (d drawn) Expr(e *Evaluator, x model.Expr) (Value, bool) {
	switch x := x.(type) {
	case *model.Probability:
		return d.probability(e, x), true
	case *model.Mode:
		return Value{e.Graph.Input(modeName(x.Latent), e.shape(nil, x.Type.Axes)...), nil, x.Type.Axes}, true
	}
	return d.Source.Expr(e, x)
}

// Names of the inputs through which what is generated reads latents.
func drawnName(a *model.Array) string    { return "draw of " + a.Name }
func marginalName(a *model.Array) string { return "marginal of " + a.Name }
func modeName(a *model.Array) string     { return "mode of " + a.Name }

// probability is Σ over the values of a latent of their marginal times whether the condition holds.
func (d drawn) probability(e *Evaluator, x *model.Probability) Value {
	k := d.Index(e, x.Latent)
	whole := append(slices.Clone(x.Latent.Type.Axes), k.Set)
	marginal := Value{e.Graph.Input(marginalName(x.Latent), e.shape(nil, whole)...), nil, whole}
	read := &model.Subscript{X: &Known{Value: marginal}, Subs: x.Subs}
	read.Type.Axes = append(slices.Clone(x.Axes), k.Set)
	m := e.subscript(read)
	bound := union(Value{Bound: m.Bound}, Value{Bound: []*model.Index{k}})
	// The last own axis becomes the bound axis of k, which sorts first.
	last := m.Rank() - 1
	perm := append([]int{last}, others(m.Rank(), last)...)
	m = Value{autodiff.Permute(m.Node, perm...), bound, m.Axes[:len(m.Axes)-1]}
	e.remember(x.Read, e.indexVar(k)) // the condition reads the value as an index over the support
	holds := e.Expr(x.If)
	all := union(m, holds)
	p := autodiff.Mul(e.align(m, all, m.Axes), e.align(holds, all, m.Axes))
	return sumBound(Value{p, all, m.Axes}, k)
}
