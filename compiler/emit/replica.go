package emit

import (
	"ppl/autodiff"
	"ppl/compiler/model"
)

// replica is an observed array with what is drawn in the place of what laws are for; the rest is as it was observed.
// What is recorded only between two ends (`censored`) is so in a replica, too.
func (e *emitter) replica(a *model.Array) value {
	n := e.recordedData(a.Replicates)
	for _, p := range a.Pieces {
		drawn, counts := e.recorded(p), e.masked(e.full(e.g.Const(1), p.Plates, p.Term.Event), p.Plates, 0)
		at, mask := e.laid(a, p, drawn), e.laid(a, p, counts)
		n = autodiff.Where(e.padded(a, p, mask, nil), e.padded(a, p, at, nil), n)
	}
	return value{n, nil, a.Type.Axes}
}

// recordedData are an observed array's values: data, or a definition of data alone.
func (e *emitter) recordedData(a *model.Array) Node {
	if _, ok := e.data.Arrays[a]; ok {
		return e.dataArray(a).node
	}
	return e.array(a).node
}

// recorded is a piece's draw, cut at the ends between which it is recorded.
func (e *emitter) recorded(p *model.Piece) value {
	v := e.pieceValue(p.Term.Array, p)
	if p.Term.Censored == nil {
		return v
	}
	lo, hi := e.expr(p.Term.Censored.Lo), e.expr(p.Term.Censored.Hi)
	bound := union(v, lo, hi)
	n := autodiff.Minimum(autodiff.Maximum(e.align(v, bound, nil), e.align(lo, bound, nil)), e.align(hi, bound, nil))
	return value{n, bound, nil}
}
