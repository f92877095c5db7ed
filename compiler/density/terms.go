package density

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// A Factor is a term's log density over its plates (and over the values of latents that it reads).
type Factor struct {
	Value      evaluate.Value
	Likelihood bool
	Of         *model.Array       // array whose distribution it is
	Observed   []*model.Array     // observed arrays whose density it includes
	Reads      []model.LatentRead // reads by gathers of latents that are not yet eliminated
	// for the transition distribution of a chain: the plate that runs along the chain. Value lacks it if the
	// distribution is the same at each place.
	Time *model.Index
}

// Term returns the log density of a statement's value. z holds the value's relative coordinates, if it has any.
func Term(e *evaluate.Evaluator, t *model.Term, z Coordinates) evaluate.Value {
	return termBy(e, t, z, func(x autodiff.Node, args []autodiff.Node, _ []*model.Index) autodiff.Node {
		if z.OnLine {
			return t.Dist.Concentrated(t.Form)(x, args)
		}
		return t.Form.LogProb(x, args)
	})
}

// A logDensity returns the log density of values at arguments, over the plates `bound`.
type logDensity func(x autodiff.Node, args []autodiff.Node, bound []*model.Index) autodiff.Node

// termBy returns the log density of a statement's value like Term, but computed by f.
func termBy(e *evaluate.Evaluator, t *model.Term, z Coordinates, f logDensity) evaluate.Value {
	ragged := slices.ContainsFunc(t.Plates, func(i *model.Index) bool { return len(i.Set.Ragged) > 0 })
	if ragged {
		defer e.UnderRanges(t.Plates)()
	}
	v := densityOf(e, t, z, f)
	v.Bound, v.Node = overPlates(e, v, t)
	if ragged {
		v = e.Masked(v, t.Plates, 0)
	}
	return v
}

// overPlates broadcasts a log density over all plates of its term.
func overPlates(e *evaluate.Evaluator, v evaluate.Value, t *model.Term) ([]*model.Index, autodiff.Node) {
	bound := evaluate.Union(v, evaluate.Value{Bound: PlatesOf(e, t)})
	return bound, e.Align(v, bound, nil)
}

// PlatesOf returns the plates of a term's density. The plate along a chain is omitted, so that a transition
// distribution that is the same at each step is stored once.
func PlatesOf(e *evaluate.Evaluator, t *model.Term) []*model.Index {
	plates := e.Plates(t.Plates)
	if time := ChainPlate(t); time != nil && t.In == nil && t.Censored == nil {
		plates = slices.DeleteFunc(slices.Clone(plates), func(i *model.Index) bool { return i == time })
	}
	return plates
}

// ChainPlate returns the plate that runs along the chain of a latent; nil if the term is not the distribution of a
// chain.
func ChainPlate(t *model.Term) *model.Index {
	if t.Kind != model.LatentPrior || t.Array.Chain == nil {
		return nil
	}
	return t.Piece.Slots[t.Array.Chain.Axis].Index
}

func densityOf(e *evaluate.Evaluator, t *model.Term, z Coordinates, f logDensity) evaluate.Value {
	if t.Density != nil {
		return byFormula(e, t)
	}
	if z.Node.Valid() && t.Dist.Event > 0 {
		return evaluate.Value{Node: standardNormal(z.Node, t.Dist.Event), Bound: t.Plates}
	}
	x, args := TermValue(e, t), make([]evaluate.Value, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.Expr(a)
	}
	if z.Node.Valid() {
		x = evaluate.Value{Node: z.Node, Bound: t.Plates}
		args = StandardArgs(e, t, z.Centred)
	}
	if t.ZeroSum {
		args[0] = evaluate.Value{Node: e.Graph.Const(0)}
	}
	bound := evaluate.Union(append([]evaluate.Value{x, {Bound: PlatesOf(e, t)}}, args...)...)
	xn, an := e.AlignLoosely(x, bound, x.Axes), make([]autodiff.Node, len(args))
	for i, a := range args {
		an[i] = e.AlignLoosely(a, bound, a.Axes)
	}
	e.ArgumentSizes(t.Dist, t.Form, t.Args, t.At.Text(), x, args)
	lp := f(xn, an, bound)
	if t.Censored != nil {
		lp = censored(e, t, xn, an, lp, bound)
	}
	lp = recordedBetween(e, t, xn, lp, an, bound)
	if t.In != nil {
		lp = insideEnds(e, t, xn, normalised(e, t, lp, args, bound), bound)
	}
	if t.ZeroSum {
		lp = zeroSum(e, t, lp, an)
	}
	return weighted(e, t, e.Full(lp, bound, nil))
}

// byFormula returns the log density of a `Density` statement. It is -inf if an observation, or one of its elements, is
// outside the range after `in`.
func byFormula(e *evaluate.Evaluator, t *model.Term) evaluate.Value {
	lp := e.Expr(t.Density)
	if t.In == nil || t.Kind == model.Prior {
		return weighted(e, t, lp)
	}
	x, bound := TermValue(e, t), evaluate.Union(lp, evaluate.Value{Bound: PlatesOf(e, t)})
	n, xn := e.Align(lp, bound, nil), e.Align(x, bound, x.Axes)
	elements := make([]int, len(x.Axes))
	for k := range elements {
		elements[k] = len(bound) + k
	}
	never := e.Graph.Const(math.Inf(-1))
	if lo := endValue(e, t, t.In.Lo, math.Inf(-1)); lo.Node.Valid() {
		n = autodiff.Where(autodiff.Le(e.Align(lo, bound, nil), autodiff.Min(xn, elements...)), n, never)
	}
	if hi := endValue(e, t, t.In.Hi, math.Inf(1)); hi.Node.Valid() {
		n = autodiff.Where(autodiff.Le(autodiff.Max(xn, elements...), e.Align(hi, bound, nil)), n, never)
	}
	return weighted(e, t, e.Full(n, bound, nil))
}

// weighted returns a term's log density times the weight of its rows.
func weighted(e *evaluate.Evaluator, t *model.Term, lp evaluate.Value) evaluate.Value {
	if t.Weight == nil {
		return lp
	}
	w := e.Expr(t.Weight)
	bound := evaluate.Union(lp, w)
	return e.Full(autodiff.MulZero(e.AlignLoosely(w, bound, nil), e.AlignLoosely(lp, bound, nil)), bound, nil)
}

// TermValue returns the value of a statement, minus its offset if it has one.
func TermValue(e *evaluate.Evaluator, t *model.Term) evaluate.Value {
	x := e.Expr(t.Value)
	if t.Offset != nil {
		x.Node = autodiff.Sub(x.Node, e.Expr(t.Offset).Node)
	}
	return x
}
