package emit

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// A drawn is the source of what is known once latents are drawn: draws, marginals and modes of latents are inputs, and
// observed arrays may be replicated.
type drawn struct{ *latents }

// Array is a latent as it was drawn, or a replicate.
func (d drawn) Array(e *emitter, a *model.Array) (value, bool) {
	switch {
	case a.Role == model.Latent:
		return value{e.g.Input(drawnName(a), e.shape(nil, a.Type.Axes)...), nil, a.Type.Axes}, true
	case a.Replicates != nil:
		return e.replica(a), true
	}
	return d.Source.Array(e, a)
}

// Expr is a probability or a mode.
func (d drawn) Expr(e *emitter, x model.Expr) (value, bool) {
	switch x := x.(type) {
	case *model.Probability:
		return d.probability(e, x), true
	case *model.Mode:
		return value{e.g.Input(modeName(x.Latent), e.shape(nil, x.Type.Axes)...), nil, x.Type.Axes}, true
	}
	return d.Source.Expr(e, x)
}

// Names of the inputs through which what is generated reads latents.
func drawnName(a *model.Array) string    { return "draw of " + a.Name }
func marginalName(a *model.Array) string { return "marginal of " + a.Name }
func modeName(a *model.Array) string     { return "mode of " + a.Name }

// probability is Σ over the values of a latent of their marginal times whether the condition holds.
func (d drawn) probability(e *emitter, x *model.Probability) value {
	k := d.index(e, x.Latent)
	whole := append(slices.Clone(x.Latent.Type.Axes), k.Set)
	marginal := value{e.g.Input(marginalName(x.Latent), e.shape(nil, whole)...), nil, whole}
	read := &model.Subscript{X: &known{v: marginal}, Subs: x.Subs}
	read.Type.Axes = append(slices.Clone(x.Axes), k.Set)
	m := e.subscript(read)
	bound := union(value{bound: m.bound}, value{bound: []*model.Index{k}})
	// The last own axis becomes the bound axis of k, which sorts first.
	last := m.rank() - 1
	perm := append([]int{last}, others(m.rank(), last)...)
	m = value{autodiff.Permute(m.node, perm...), bound, m.axes[:len(m.axes)-1]}
	e.remember(x.Read, e.indexVar(k)) // the condition reads the value as an index over the support
	holds := e.expr(x.If)
	all := union(m, holds)
	p := autodiff.Mul(e.align(m, all, m.axes), e.align(holds, all, m.axes))
	return sumBound(value{p, all, m.axes}, k)
}
