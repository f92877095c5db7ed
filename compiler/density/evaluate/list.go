package evaluate

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
)

// build evaluates a comprehension: it converts bound axes into own axes.
func (e *Evaluator) build(x *model.Build) Value {
	body := e.Expr(x.Body)
	return e.unbind(body, e.InRow(x.Over), nil)
}

// unbind converts the bound axes `over` into the first own axes, in this order; if sets is given, they have these sets.
func (e *Evaluator) unbind(v Value, over []*model.Index, sets []*model.Set) Value {
	bound := Union(v, Value{Bound: over})
	n := e.Align(v, bound, v.Axes)
	var rest []*model.Index
	var perm []int
	for k, i := range bound {
		if !slices.Contains(over, i) {
			rest = append(rest, i)
			perm = append(perm, k)
		}
	}
	axes := sets
	for k, i := range over {
		perm = append(perm, slices.Index(bound, i))
		if len(sets) == 0 || k >= len(sets) {
			axes = append(axes, i.Set)
		}
	}
	for k := range v.Axes {
		perm = append(perm, len(bound)+k)
	}
	return Value{autodiff.Permute(n, perm...), rest, append(slices.Clone(axes), v.Axes...)}
}

// list stacks items along a new first axis.
func (e *Evaluator) list(x *model.List) Value {
	if v, ok := e.literal(x); ok {
		return v
	}
	items := make([]Value, len(x.Items))
	for i, it := range x.Items {
		items[i] = e.Expr(it)
	}
	bound := Union(items...)
	inner := e.AxesOf(x)[1:]
	at := len(bound)
	parts := make([]Node, len(items))
	for i, v := range items {
		n := e.Align(v, bound, inner)
		parts[i] = autodiff.Reshape(n, slices.Insert(slices.Clone(n.Shape()), at, 1)...)
	}
	if len(parts) == 0 {
		return Value{e.Graph.Full(0, 0), nil, x.Type.Axes}
	}
	return Value{autodiff.Concat(at, parts...), bound, e.AxesOf(x)}
}

func (e *Evaluator) concatenate(x *model.Concat) Value {
	items := make([]Value, len(x.Items))
	for i, it := range x.Items {
		items[i] = e.Expr(it)
	}
	bound := Union(items...)
	parts := make([]Node, len(items))
	for i, v := range items {
		parts[i] = e.Align(v, bound, v.Axes)
	}
	return Value{autodiff.Concat(len(bound), parts...), bound, e.AxesOf(x)}
}

// literal returns a list of numbers as data; ok is false for other lists.
func (e *Evaluator) literal(x *model.List) (Value, bool) {
	var values []float64
	var collect func(model.Expr) bool
	collect = func(m model.Expr) bool {
		switch m := m.(type) {
		case *model.Num:
			values = append(values, m.Value)
			return true
		case *model.Apply:
			if n, ok := m.Args[0].(*model.Num); ok && m.Name == "-" && len(m.Args) == 1 {
				values = append(values, -n.Value)
				return true
			}
		case *model.List:
			for _, it := range m.Items {
				if !collect(it) {
					return false
				}
			}
			return len(m.Items) > 0
		}
		return false
	}
	if !collect(x) {
		return Value{}, false
	}
	return Value{e.Graph.Data("list", values, e.Shape(nil, x.Type.Axes)...), nil, x.Type.Axes}, true
}
