package emit

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// Branches and ragged ranges are evaluated whole, beyond where they count. A guard is the 0/1 condition under which a
// subexpression counts: where it is 0, subscripts may be out of range, and are clamped; where it is 1, they may not.
// The zero value is a guard that cannot be known while the graph is built.

// under puts guards around what is emitted until the function returned is called.
func (e *emitter) under(guards ...value) (leave func()) {
	outer := e.guards
	e.guards = slices.Concat(outer, guards)
	return func() { e.guards = outer }
}

// guarded is the value of a branch.
func (e *emitter) guarded(guard value, x model.Expr) value {
	defer e.under(guard)()
	return e.expr(x)
}

// underRanges guards by the indices of ragged ranges; the bounds of one may read those before it.
func (e *emitter) underRanges(over []*model.Index) (leave func()) {
	outer := e.guards
	for _, i := range over {
		if len(i.Set.Ragged) > 0 {
			e.under(e.inRange(i))
		}
	}
	return func() { e.guards = outer }
}

// inRange is 1 where an index lies inside its ragged range.
func (e *emitter) inRange(i *model.Index) value {
	at, lo, hi := e.indexVar(i), e.expr(i.Set.Lo), e.expr(i.Set.Hi)
	bound := union(at, lo, hi)
	n := e.align(at, bound, nil)
	return value{autodiff.Mul(autodiff.Le(e.loose(lo, bound, nil), n), autodiff.Le(n, e.loose(hi, bound, nil))),
		bound, nil}
}

// decides is the guard that the first argument of && or || is to the second.
func decides(op string, first value) value {
	if op == "||" {
		return not(first)
	}
	return first
}

func not(v value) value {
	if !v.node.Valid() {
		return v
	}
	return value{autodiff.Eq(v.node, v.node.Graph().Const(0)), v.bound, v.axes}
}

// eachChild visits the parts of an expression, each under the guards that the expression puts around it; condition is
// the value of a guard, the zero value where it is not known.
func (e *emitter) eachChild(x model.Expr, condition func(model.Expr) value, visit func(model.Expr)) {
	within := func(guard value, y model.Expr) {
		defer e.under(guard)()
		visit(y)
	}
	switch x := x.(type) {
	case *model.Cond:
		q := condition(x.If)
		visit(x.If)
		within(q, x.Then)
		within(not(q), x.Else)
	case *model.Apply:
		for i, y := range x.Args {
			if i > 0 && x.Lazy() {
				within(decides(x.Name, condition(x.Args[0])), y)
			} else {
				visit(y)
			}
		}
	case *model.Reduce:
		for _, i := range x.Over {
			visit(i.Set.Lo)
			visit(i.Set.Hi)
		}
		defer e.underRanges(x.Over)()
		visit(x.X)
	default:
		for _, y := range x.Children() {
			visit(y)
		}
	}
}

// counted says where positions count: those spread over all indices that they and the guards have, and the guards'
// product. Not ok: data alone do not tell.
func (e *emitter) counted(at value) (positions, counts []float64, ok bool) {
	for _, q := range e.guards {
		if q.node.Valid() && !q.node.Static() {
			return nil, nil, false
		}
	}
	if !at.node.Static() {
		return nil, nil, false
	}
	return e.countedAt(nil, at)
}

// countedAt is counted at values of the graph's inputs.
func (e *emitter) countedAt(inputs map[string][]float64, at value) (positions, counts []float64, ok bool) {
	bound := union(append([]value{at}, e.guards...)...)
	n := e.g.Full(1, e.shape(bound, at.axes)...)
	for _, q := range e.guards {
		if !q.node.Valid() || len(q.axes) > 0 && !model.SameSets(q.axes, at.axes) {
			return nil, nil, false
		}
		n = autodiff.Where(e.align(q, bound, at.axes), n, e.g.Const(0))
	}
	v := autodiff.Eval(inputs, e.align(at, bound, at.axes), n)
	return v[0], v[1], true
}
