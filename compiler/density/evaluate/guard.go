package evaluate

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
)

// Branches and ragged ranges are evaluated for all indices, including those for which they are not used. A guard is the
// 0/1 condition under which a subexpression is used: subscripts may be out of range where it is 0, and are then
// clamped; they must not be out of range where it is 1. The zero value is a guard whose value is not available while
// the graph is built.

// Under adds guards to everything that is evaluated until the returned function is called.
func (e *Evaluator) Under(guards ...Value) (leave func()) {
	outer := e.Guards
	e.Guards = slices.Concat(outer, guards)
	return func() { e.Guards = outer }
}

// guarded returns the value of a branch under a guard.
func (e *Evaluator) guarded(guard Value, x model.Expr) Value {
	defer e.Under(guard)()
	return e.Expr(x)
}

// UnderRanges adds the guards of ragged ranges; the bounds of a range may read the indices of earlier ranges.
func (e *Evaluator) UnderRanges(over []*model.Index) (leave func()) {
	outer := e.Guards
	for _, i := range over {
		if len(i.Set.Ragged) > 0 {
			e.Under(e.inRange(i))
		}
	}
	return func() { e.Guards = outer }
}

// inRange returns a value that is 1 if an index is inside its ragged range, and 0 otherwise.
func (e *Evaluator) inRange(i *model.Index) Value {
	at, lo, hi := e.IndexVar(i), e.Expr(i.Set.Lo), e.Expr(i.Set.Hi)
	bound := Union(at, lo, hi)
	n := e.Align(at, bound, nil)
	return Value{autodiff.Mul(autodiff.Le(e.AlignLoosely(lo, bound, nil), n),
		autodiff.Le(n, e.AlignLoosely(hi, bound, nil))),
		bound, nil}
}

// decides returns the guard that the first argument of && or || imposes on the second.
func decides(op string, first Value) Value {
	if op == "||" {
		return not(first)
	}
	return first
}

func not(v Value) Value {
	if !v.Node.Valid() {
		return v
	}
	return Value{autodiff.Eq(v.Node, v.Node.Graph().Const(0)), v.Bound, v.Axes}
}

// EachChild visits the parts of an expression, each under the guards that the expression imposes on it. condition
// returns the value of a guard, or the zero value if it is not available.
func (e *Evaluator) EachChild(x model.Expr, condition func(model.Expr) Value, visit func(model.Expr)) {
	within := func(guard Value, y model.Expr) {
		defer e.Under(guard)()
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
		defer e.UnderRanges(x.Over)()
		visit(x.X)
	default:
		for _, y := range x.Children() {
			visit(y)
		}
	}
}

// Counted returns positions and the product of the guards there, which is nonzero where positions are used. Both are
// broadcast over all indices of the positions and the guards. ok is false unless they follow from data alone.
func (e *Evaluator) Counted(at Value) (positions, counts []float64, ok bool) {
	for _, q := range e.Guards {
		if q.Node.Valid() && !q.Node.Static() {
			return nil, nil, false
		}
	}
	if !at.Node.Static() {
		return nil, nil, false
	}
	return e.CountedAt(nil, at)
}

// CountedAt returns the same as Counted for given values of the graph's inputs. A group of guards that shares no index
// with the positions, directly or through other guards, is satisfied either somewhere or nowhere. Positions are not
// broadcast over its indices, since nested function calls may have many.
func (e *Evaluator) CountedAt(inputs map[string][]float64, at Value) (positions, counts []float64, ok bool) {
	for _, q := range e.Guards {
		if !q.Node.Valid() || len(q.Axes) > 0 && !model.SameSets(q.Axes, at.Axes) {
			return nil, nil, false
		}
	}
	near, far := linked(at.Bound, e.Guards)
	bound := Union(append([]Value{at}, near...)...)
	v := autodiff.Eval(inputs, e.Align(at, bound, at.Axes), e.product(near, bound, at.Axes))
	positions, counts = v[0], v[1]
	for len(far) > 0 {
		near, far = linked(far[0].Bound, far)
		bound = Union(near...)
		if !slices.Contains(autodiff.Eval(inputs, e.product(near, bound, nil))[0], 1) {
			clear(counts)
		}
	}
	return positions, counts, true
}

// product returns a value that is 1 if all guards are 1, and 0 otherwise.
func (e *Evaluator) product(guards []Value, bound []*model.Index, axes []*model.Set) Node {
	n := e.Graph.Full(1, e.Shape(bound, axes)...)
	for _, q := range guards {
		n = autodiff.Where(e.Align(q, bound, axes), n, e.Graph.Const(0))
	}
	return n
}

// linked splits guards: `near` have own axes, no indices, or an index in common with `bound`, directly or through other
// guards; `far` are the others.
func linked(bound []*model.Index, guards []Value) (near, far []Value) {
	for {
		more := false
		far = nil
		near = near[:0]
		for _, q := range guards {
			if len(q.Bound) > 0 && len(q.Axes) == 0 && !sharesIndex(q.Bound, bound) {
				far = append(far, q)
				continue
			}
			near = append(near, q)
			if all := Union(Value{Bound: bound}, q); len(all) > len(bound) {
				bound, more = all, true
			}
		}
		if !more {
			return near, far
		}
	}
}

func sharesIndex(a, b []*model.Index) bool {
	return slices.ContainsFunc(a, func(i *model.Index) bool { return slices.Contains(b, i) })
}
