package emit

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/lang/types"
	"ppl/stdlib"
)

// A factor is a term's log density over its plates (and over the values of latents it reads).
type factor struct {
	v      value
	lik    bool
	law    *model.Array       // whose law it is
	arrays []*model.Array     // observed arrays it speaks of
	reads  []model.LatentRead // those by gathers, until their latents are eliminated
	// of a chain's law: the plate that runs along the chain, which v lacks if the law is the same at each place
	time *model.Index
}

// term is the log density of a statement's value at its arguments. z, where valid, is the value in non-centred
// coordinates.
func (e *emitter) term(t *model.Term, z Node) value {
	ragged := slices.ContainsFunc(t.Plates, func(i *model.Index) bool { return len(i.Set.Ragged) > 0 })
	if ragged {
		defer e.underRanges(t.Plates)()
	}
	v := e.density(t, z)
	v.bound, v.node = e.overPlates(v, t)
	if ragged {
		v = e.masked(v, t.Plates, 0)
	}
	return v
}

// overPlates spreads a log density that does not change along some of its plates.
func (e *emitter) overPlates(v value, t *model.Term) ([]*model.Index, Node) {
	bound := union(v, value{bound: e.platesOf(t)})
	return bound, e.align(v, bound, nil)
}

// platesOf are the plates over which a term's density is spread: all, but of a chain's law the one along the chain, so
// that a law that is the same at each place is kept once.
func (e *emitter) platesOf(t *model.Term) []*model.Index {
	plates := e.plates(t.Plates)
	if time := chainPlate(t); time != nil && t.In == nil && t.Censored == nil {
		plates = slices.DeleteFunc(slices.Clone(plates), func(i *model.Index) bool { return i == time })
	}
	return plates
}

// chainPlate is the plate of a chain's law that runs along the chain, nil if there is none.
func chainPlate(t *model.Term) *model.Index {
	if t.Kind != model.LatentPrior || t.Array.Chain == nil {
		return nil
	}
	return t.Piece.Slots[t.Array.Chain.Axis].Index
}

func (e *emitter) density(t *model.Term, z Node) value {
	if t.Density != nil {
		return e.expr(t.Density)
	}
	if z.Valid() && t.Dist.Event > 0 {
		return value{standardNormal(z, t.Dist.Event), t.Plates, nil}
	}
	x, args := e.termValue(t), make([]value, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.expr(a)
	}
	if z.Valid() {
		x = value{z, t.Plates, nil}
		args = e.standardArgs(t)
	}
	if t.ZeroSum {
		args[0] = value{node: e.g.Const(0)}
	}
	bound := union(append([]value{x, {bound: e.platesOf(t)}}, args...)...)
	xn, an := e.loose(x, bound, x.axes), make([]Node, len(args))
	for i, a := range args {
		an[i] = e.loose(a, bound, a.axes)
	}
	e.argumentSizes(t.Dist, t.Form, t.Args, t.At.Text(), x, args)
	lp := t.Form.LogProb(xn, an)
	if t.Censored != nil {
		lp = e.censored(t, xn, an, lp, bound)
	}
	if t.In != nil {
		lp = e.inside(t, xn, autodiff.Sub(lp, e.truncated(t, an, bound)), bound)
	}
	if t.ZeroSum {
		lp = e.zeroSum(t, lp, an)
	}
	return e.full(lp, bound, nil)
}

// argumentSizes refuses vectors and matrices whose sizes are none of the event's, x, which is written text. Arguments
// of integers (pairs of neighbours) have sizes of their own.
func (e *emitter) argumentSizes(d *stdlib.Dist, f *stdlib.Form, exprs []model.Expr, text string, x value,
	args []value) {
	event := x.shapeOfAxes()
	for i, a := range args {
		form := f.Args[i]
		if form.Rank == 0 || len(event) == 0 || form.Domain.Kind == types.IntRange {
			continue
		}
		sizes := a.shapeOfAxes()
		if form.Columns && len(sizes) > 0 {
			sizes = sizes[:len(sizes)-1]
		}
		for _, n := range sizes {
			if !slices.Contains(event, n) {
				e.fail("E40", exprs[i], "`%s` of %s has an axis of %d elements, but `%s` has %d", form.Name, d.Name, n,
					text, event[len(event)-1])
			}
		}
	}
}

// shapeOfAxes is the sizes of a value's own axes.
func (v value) shapeOfAxes() []int { return v.node.Shape()[len(v.bound):] }

func (e *emitter) termValue(t *model.Term) value {
	x := e.expr(t.Value)
	if t.Offset != nil {
		x.node = autodiff.Sub(x.node, e.expr(t.Offset).node)
	}
	return x
}
