package simulate

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
)

// A drawn is the source of values after latents are drawn: draws, marginals and modes of latents are inputs, and
// observed arrays may be replaced by replicas.
type drawn struct{ *marginalize.Latents }

// Array returns a drawn latent or a replica.
func (d drawn) Array(e *evaluate.Evaluator, a *model.Array) (evaluate.Value, bool) {
	switch {
	case a.Role == model.Latent:
		return evaluate.Value{Node: e.Graph.Input(drawnName(a), e.Shape(nil, a.Type.Axes)...), Axes: a.Type.Axes}, true
	case a.Replicates != nil && a.Role == model.Generated:
		return replicaOf(e, a), true
	}
	return d.Source.Array(e, a)
}

// Expr returns a probability or a mode.
func (d drawn) Expr(e *evaluate.Evaluator, x model.Expr) (evaluate.Value, bool) {
	switch x := x.(type) {
	case *model.Probability:
		return d.probability(e, x), true
	case *model.Mode:
		return evaluate.Value{Node: e.Graph.Input(modeName(x.Latent), e.Shape(nil, x.Type.Axes)...), Axes: x.Type.Axes},
			true
	}
	return d.Source.Expr(e, x)
}

// The functions below name the inputs for draws, marginals and modes of latents.
func drawnName(a *model.Array) string    { return "draw of " + a.Name }
func marginalName(a *model.Array) string { return "marginal of " + a.Name }
func modeName(a *model.Array) string     { return "mode of " + a.Name }

// probability sums the marginal probabilities of the values of a latent for which the condition holds.
func (d drawn) probability(e *evaluate.Evaluator, x *model.Probability) evaluate.Value {
	k := d.Index(e, x.Latent)
	whole := append(slices.Clone(x.Latent.Type.Axes), k.Set)
	marginal := evaluate.Value{Node: e.Graph.Input(marginalName(x.Latent), e.Shape(nil, whole)...), Axes: whole}
	read := &model.Subscript{X: &evaluate.Known{Value: marginal}, Subs: x.Subs}
	read.Type.Axes = append(slices.Clone(x.Axes), k.Set)
	m := e.Subscript(read)
	bound := evaluate.Union(evaluate.Value{Bound: m.Bound}, evaluate.Value{Bound: []*model.Index{k}})
	// The last axis becomes the bound axis of k, which must come first.
	last := m.Rank() - 1
	perm := append([]int{last}, evaluate.AxesBut(m.Rank(), last)...)
	m = evaluate.Value{Node: autodiff.Permute(m.Node, perm...), Bound: bound, Axes: m.Axes[:len(m.Axes)-1]}
	e.Remember(x.Read, e.IndexVar(k)) // within the condition, the latent's value is the index k over its support
	holds := e.Expr(x.If)
	all := evaluate.Union(m, holds)
	p := autodiff.Mul(e.Align(m, all, m.Axes), e.Align(holds, all, m.Axes))
	return evaluate.SumBound(evaluate.Value{Node: p, Bound: all, Axes: m.Axes}, k)
}
