package density

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// observedAt returns a value that is 1 at the plates of a term where its value is observed, and 0 elsewhere.
func observedAt(e *evaluate.Evaluator, t *model.Term) evaluate.Value {
	if sub, ok := t.Value.(*model.Subscript); ok {
		masked := *sub
		masked.X = &evaluate.Known{Value: e.Observed(t.Array)}
		return e.Subscript(&masked)
	}
	return e.Observed(t.Array)
}

// SplitMissing splits a term on data with missing values into the density of the observed values and, for imputed
// arrays, the density of the missing values given the observed ones, which is a prior.
func SplitMissing(e *evaluate.Evaluator, t *model.Term, v evaluate.Value) (seen, missing evaluate.Value) {
	if t.Dist != nil && t.Dist.Event > 0 {
		return splitVectors(e, t, v)
	}
	return splitAt(e, observedAt(e, t), v)
}

// splitAt splits v into its values where the mask is 1 and its values where the mask is 0; each result is 0 elsewhere.
func splitAt(e *evaluate.Evaluator, mask, v evaluate.Value) (seen, missing evaluate.Value) {
	all := evaluate.Union(v, mask)
	n, m, zero := e.Align(v, all, nil), e.Align(mask, all, nil), e.Graph.Const(0)
	return evaluate.Value{Node: autodiff.Where(m, n, zero), Bound: all},
		evaluate.Value{Node: autodiff.Where(m, zero, n), Bound: all}
}

// splitVectors splits the density of vectors into the marginal density of their observed elements and the rest. If the
// distribution has no formula for the marginal density, the entire density of a vector with missing elements belongs to
// the rest.
func splitVectors(e *evaluate.Evaluator, t *model.Term, v evaluate.Value) (seen, missing evaluate.Value) {
	mask := observedAt(e, t)
	if t.Form.Marginal == nil {
		for range mask.Axes {
			mask.Node = autodiff.Min(mask.Node, mask.Node.Rank()-1)
		}
		mask.Axes = nil
		return splitAt(e, mask, v)
	}
	seen = termBy(e, t, Coordinates{}, func(x autodiff.Node, args []autodiff.Node, bound []*model.Index) autodiff.Node {
		return t.Form.Marginal(x, e.Align(mask, bound, mask.Axes), args)
	})
	all := evaluate.Union(v, seen)
	seen = evaluate.Value{Node: e.Align(seen, all, nil), Bound: all}
	return seen, evaluate.Value{Node: autodiff.Sub(e.Align(v, all, nil), seen.Node), Bound: all}
}

// Evidence restricts a latent that is observed in some rows: the log density v is -inf there unless the latent equals
// its data.
func Evidence(e *evaluate.Evaluator, t *model.Term, v evaluate.Value) evaluate.Value {
	mask, k := observedAt(e, t), TermValue(e, t)
	seen := evaluate.Value{Node: e.DataArray(t.Array).Node, Axes: t.Array.Type.Axes}
	if sub, ok := t.Value.(*model.Subscript); ok {
		at := *sub
		at.X = &evaluate.Known{Value: seen}
		seen = e.Subscript(&at)
	}
	if t.Offset != nil {
		seen.Node = autodiff.Sub(seen.Node, e.Expr(t.Offset).Node)
	}
	all := evaluate.Union(v, mask, seen, k)
	differs := autodiff.Not(autodiff.Eq(e.Align(seen, all, nil), e.Align(k, all, nil)))
	wrong := autodiff.Mul(e.Align(mask, all, nil), differs)
	return evaluate.Value{Node: autodiff.Where(wrong, e.Graph.Const(math.Inf(-1)), e.Align(v, all, nil)), Bound: all}
}
