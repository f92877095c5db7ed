package simulate

import (
	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// replicaOf returns an observed array with draws in place of the elements that have a distribution; other elements are
// as observed. Censored observations are censored in a replica, too.
func replicaOf(e *evaluate.Evaluator, a *model.Array) evaluate.Value {
	n := recordedData(e, a.Replicates)
	for _, p := range a.Pieces {
		drawn := e.Piece(p.Term.Array, p)
		counts := e.Masked(e.Full(e.Graph.Const(1), p.Plates, p.Term.Event), p.Plates, 0)
		at, mask := e.LayOut(a, p, drawn), e.LayOut(a, p, counts)
		n = autodiff.Where(e.Padded(a, p, mask, nil), e.Padded(a, p, at, nil), n)
	}
	return evaluate.Value{Node: n, Axes: a.Type.Axes}
}

// recordedData returns an observed array's values: data, or a definition of data alone.
func recordedData(e *evaluate.Evaluator, a *model.Array) autodiff.Node {
	if _, ok := e.Data.Arrays[a]; ok {
		return e.DataArray(a).Node
	}
	return e.Array(a).Node
}

// asRecorded clamps the draws of a censored term to its bounds.
func asRecorded(e *evaluate.Evaluator, t *model.Term, v evaluate.Value) evaluate.Value {
	if t.Kind != model.Generate || t.Censored == nil {
		return v
	}
	lo, hi := e.Expr(t.Censored.Lo), e.Expr(t.Censored.Hi)
	bound := evaluate.Union(v, lo, hi)
	n := autodiff.Minimum(autodiff.Maximum(e.Align(v, bound, nil), e.Align(lo, bound, nil)), e.Align(hi, bound, nil))
	return evaluate.Value{Node: n, Bound: bound}
}
