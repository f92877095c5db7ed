package emit

import (
	"math"
	"math/rand/v2"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// imputed is data with the holes' parameter in the holes.
func (e *emitter) imputed(a *model.Array) value {
	h, seen := e.data.Imputed[a], e.dataArray(a)
	if len(h.At) == 0 {
		return seen
	}
	number := make([]float64, seen.node.Size())
	for k, i := range h.At {
		number[i] = float64(k)
	}
	at := e.g.Data(a.Name+" hole", number, seen.node.Shape()...)
	return value{autodiff.Where(e.observed(a).node, seen.node, autodiff.Gather(e.pieceValue(h.Param, h.Piece).node,
		at)), nil, a.Type.Axes}
}

// observed is 1 where an array has data.
func (e *emitter) observed(a *model.Array) value {
	d := e.data.Arrays[a]
	mask := make([]float64, len(d.Values))
	for i, v := range d.Values {
		if !math.IsNaN(v) {
			mask[i] = 1
		}
	}
	return value{e.g.Data(a.Name+" observed", mask, d.Shape...), nil, a.Type.Axes}
}

// observedAt is the mask at a term's plates.
func (e *emitter) observedAt(t *model.Term) value {
	if sub, ok := t.Value.(*model.Subscript); ok {
		masked := *sub
		masked.X = &known{v: e.observed(t.Array)}
		return e.subscript(&masked)
	}
	return e.observed(t.Array)
}

// splitMissing takes a term on data with holes apart: its observed rows, and for imputed arrays the holes, whose law is
// a prior.
func (e *emitter) splitMissing(t *model.Term, v value) (seen, hole value) {
	mask := e.observedAt(t)
	all := union(v, mask)
	n, m, zero := e.align(v, all, nil), e.align(mask, all, nil), e.g.Const(0)
	return value{autodiff.Where(m, n, zero), all, nil}, value{autodiff.Where(m, zero, n), all, nil}
}

// evidence keeps a latent that is observed in some rows to its data there.
func (e *emitter) evidence(t *model.Term, v value) value {
	mask, k := e.observedAt(t), e.termValue(t)
	seen := value{e.dataArray(t.Array).node, nil, t.Array.Type.Axes}
	if sub, ok := t.Value.(*model.Subscript); ok {
		at := *sub
		at.X = &known{v: seen}
		seen = e.subscript(&at)
	}
	if t.Offset != nil {
		seen.node = autodiff.Sub(seen.node, e.expr(t.Offset).node)
	}
	all := union(v, mask, seen, k)
	differs := autodiff.Not(autodiff.Eq(e.align(seen, all, nil), e.align(k, all, nil)))
	wrong := autodiff.Mul(e.align(mask, all, nil), differs)
	return value{autodiff.Where(wrong, e.g.Const(math.Inf(-1)), e.align(v, all, nil)), all, nil}
}

// startHoles begins at values that were observed elsewhere in the array.
func (g *given) startHoles(r *rand.Rand, reg *region, a *model.Array) []float64 {
	var seen []float64
	for _, v := range g.e.data.Arrays[a].Values {
		if !math.IsNaN(v) {
			seen = append(seen, v)
		}
	}
	x := make([]float64, reg.size)
	for i := range x {
		if len(seen) > 0 {
			x[i] = seen[r.IntN(len(seen))]
		}
	}
	u, err := g.unconstrain(reg, x)
	if err != nil {
		return g.dispersed(r, reg)
	}
	g.inputs[pieceName(reg.piece)] = x
	return u
}
