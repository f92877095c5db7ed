package emit

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// observedAt is the mask at a term's plates.
func observedAt(e *Evaluator, t *model.Term) Value {
	if sub, ok := t.Value.(*model.Subscript); ok {
		masked := *sub
		masked.X = &Known{Value: e.observed(t.Array)}
		return e.subscript(&masked)
	}
	return e.observed(t.Array)
}

// splitMissing takes a term on data with holes apart: its observed rows, and for imputed arrays the holes, whose law is
// a prior.
func splitMissing(e *Evaluator, t *model.Term, v Value) (seen, hole Value) {
	mask := observedAt(e, t)
	all := union(v, mask)
	n, m, zero := e.align(v, all, nil), e.align(mask, all, nil), e.Graph.Const(0)
	return Value{autodiff.Where(m, n, zero), all, nil}, Value{autodiff.Where(m, zero, n), all, nil}
}

// evidence keeps a latent that is observed in some rows to its data there.
func evidence(e *Evaluator, t *model.Term, v Value) Value {
	mask, k := observedAt(e, t), termValue(e, t)
	seen := Value{e.dataArray(t.Array).Node, nil, t.Array.Type.Axes}
	if sub, ok := t.Value.(*model.Subscript); ok {
		at := *sub
		at.X = &Known{Value: seen}
		seen = e.subscript(&at)
	}
	if t.Offset != nil {
		seen.Node = autodiff.Sub(seen.Node, e.Expr(t.Offset).Node)
	}
	all := union(v, mask, seen, k)
	differs := autodiff.Not(autodiff.Eq(e.align(seen, all, nil), e.align(k, all, nil)))
	wrong := autodiff.Mul(e.align(mask, all, nil), differs)
	return Value{autodiff.Where(wrong, e.Graph.Const(math.Inf(-1)), e.align(v, all, nil)), all, nil}
}
