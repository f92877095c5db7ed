package evaluate

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// reduce evaluates a reduction over bound axes or over all own axes. Elements outside a ragged range are replaced by
// the neutral element.
func (e *Evaluator) reduce(x *model.Reduce) Value {
	if len(x.Over) == 0 {
		v := e.Expr(x.X)
		axes := make([]int, len(v.Axes))
		for k := range axes {
			axes[k] = len(v.Bound) + k
		}
		e.notEmpty(x, v.Node, axes)
		return Value{x.Row.Build(v.Node, axes), v.Bound, nil}
	}
	ragged := slices.ContainsFunc(x.Over, func(i *model.Index) bool { return len(i.Set.Ragged) > 0 })
	if !ragged && x.Row.Name == "sum" {
		if v, ok := e.sumOfProducts(x); ok {
			return v
		}
	}
	if ragged {
		defer e.UnderRanges(x.Over)()
	}
	v := e.Expr(x.X)
	if ragged && x.Row.Within != nil {
		return e.reduceWithin(x, v)
	}
	if ragged {
		v = e.Masked(v, x.Over, x.Row.Empty)
	}
	bound := Union(v, Value{Bound: x.Over})
	n := e.Align(v, bound, v.Axes)
	v = Value{n, bound, v.Axes}
	return FoldBound(v, x.Over, func(n Node, axes ...int) Node {
		e.notEmpty(x, n, axes)
		return x.Row.Build(n, axes)
	})
}

// reduceWithin evaluates a reduction without a neutral element over ragged ranges.
func (e *Evaluator) reduceWithin(x *model.Reduce, v Value) Value {
	inside := e.Masked(Value{e.Graph.Const(1), nil, nil}, x.Over, 0)
	e.someInside(x, inside)
	bound := Union(v, inside, Value{Bound: x.Over})
	in := e.Align(inside, bound, v.Axes)
	return FoldBound(Value{e.Align(v, bound, v.Axes), bound, v.Axes}, x.Over, func(n Node, axes ...int) Node {
		return x.Row.Within(n, in, axes)
	})
}

// someInside reports an error for an empty range of a reduction that is used. The guards of the ranges themselves are
// ignored.
func (e *Evaluator) someInside(x *model.Reduce, inside Value) {
	guards := e.Guards
	defer func() { e.Guards = guards }()
	e.Guards = slices.DeleteFunc(slices.Clone(guards), func(g Value) bool {
		return slices.ContainsFunc(g.Bound, func(i *model.Index) bool { return slices.Contains(x.Over, i) })
	})
	sizes, counts,
		ok := e.Counted(SumBound(Value{e.Align(inside, Union(inside, Value{Bound: x.Over}), nil),
		Union(inside, Value{Bound: x.Over}), nil}, x.Over...))
	for i := range sizes {
		if ok && counts[i] != 0 && sizes[i] == 0 {
			e.Fail(diag.OutOfRange, x, "`%s` of an empty set has no value; an index runs over an empty range here",
				x.Row.Name)
		}
	}
}

func (e *Evaluator) notEmpty(x *model.Reduce, n Node, axes []int) {
	count := 1
	for _, k := range axes {
		count *= n.Shape()[k]
	}
	if count == 0 && math.IsNaN(x.Row.Empty) {
		e.Fail(diag.OutOfRange, x, "`%s` of an empty set has no value", x.Row.Name)
	}
}

// Masked replaces v by `neutral` where an index is outside its ragged range.
func (e *Evaluator) Masked(v Value, over []*model.Index, neutral float64) Value {
	for _, i := range over {
		if len(i.Set.Ragged) == 0 {
			continue
		}
		in := e.inRange(i)
		all := Union(v, in)
		inside := e.Align(in, all, v.Axes)
		v = Value{autodiff.Where(inside, e.Align(v, all, v.Axes), e.Graph.Const(neutral)), all, v.Axes}
	}
	return v
}
