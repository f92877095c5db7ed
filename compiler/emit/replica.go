package emit

import (
	"ppl/autodiff"
	"ppl/compiler/model"
)

// replicaOf is an observed array with what is drawn in the place of what laws are for; the rest is as it was observed.
// What is recorded only between two ends (`censored`) is so in a replica, too.
func replicaOf(e *Evaluator, a *model.Array) Value {
	n := recordedData(e, a.Replicates)
	for _, p := range a.Pieces {
		drawn, counts := recordedDraw(e, p), e.masked(e.Full(e.Graph.Const(1), p.Plates, p.Term.Event), p.Plates, 0)
		at, mask := e.laid(a, p, drawn), e.laid(a, p, counts)
		n = autodiff.Where(e.padded(a, p, mask, nil), e.padded(a, p, at, nil), n)
	}
	return Value{n, nil, a.Type.Axes}
}

// recordedData are an observed array's values: data, or a definition of data alone.
func recordedData(e *Evaluator, a *model.Array) Node {
	if _, ok := e.Data.Arrays[a]; ok {
		return e.dataArray(a).Node
	}
	return e.Array(a).Node
}

// recordedDraw is a piece's draw, cut at the ends between which it is recorded.
func recordedDraw(e *Evaluator, p *model.Piece) Value {
	v := e.Piece(p.Term.Array, p)
	if p.Term.Censored == nil {
		return v
	}
	lo, hi := e.Expr(p.Term.Censored.Lo), e.Expr(p.Term.Censored.Hi)
	bound := union(v, lo, hi)
	n := autodiff.Minimum(autodiff.Maximum(e.align(v, bound, nil), e.align(lo, bound, nil)), e.align(hi, bound, nil))
	return Value{n, bound, nil}
}
