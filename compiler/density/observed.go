package density

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// observedAt is the mask at a term's plates.
func observedAt(e *evaluate.Evaluator, t *model.Term) evaluate.Value {
	if sub, ok := t.Value.(*model.Subscript); ok {
		masked := *sub
		masked.X = &evaluate.Known{Value: e.Observed(t.Array)}
		return e.Subscript(&masked)
	}
	return e.Observed(t.Array)
}

// SplitMissing splits a term on data with missing values: its observed rows, and for imputed arrays the missing ones,
// whose distribution is a prior.
func SplitMissing(e *evaluate.Evaluator, t *model.Term, v evaluate.Value) (seen, missing evaluate.Value) {
	mask := observedAt(e, t)
	all := evaluate.Union(v, mask)
	n, m, zero := e.Align(v, all, nil), e.Align(mask, all, nil), e.Graph.Const(0)
	return evaluate.Value{Node: autodiff.Where(m, n, zero), Bound: all},
		evaluate.Value{Node: autodiff.Where(m, zero, n), Bound: all}
}

// Evidence keeps a latent that is observed in some rows to its data there.
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
