package evaluate

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// The right side of a differential equation may have a jump or a kink at a time that data determine: a dose that is
// infused from start[k] to stop[k], a step of forcing[floor(t) + 1]. A solver that steps over a short pulse misses it,
// so these times (breaks) are found here. For
//
//	u'(t) = (t > on && t < on + 0.1 ? rate : 0) - k * u(t)
//
// the breaks are on and on + 0.1.

// mostBreaks is the number of breaks of one kind above which they are not listed, and the step size control must find
// them.
const mostBreaks = 10_000

// Breaks that depend on parameters, such as a lag in `t > lag`, are computed in the graph. They are found if both sides
// are linear in the time, with coefficients that do not depend on the time.

// breaksOf returns the times in [from, to] at which the right sides of a system are not smooth in the time. `fixed`
// lists times that data determine; `moving` has shape [K] for times that depend on parameters, and is invalid if there
// are none.
func (e *Evaluator) breaksOf(s *model.System, from, to float64) (fixed []float64, moving Node) {
	var computed []Node
	seen := map[*model.Array]bool{}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		if x == nil || !readsNow(x) {
			return
		}
		switch x := x.(type) {
		case *model.Apply:
			if gap := gapOf(x); gap != nil && !e.ofTimeOnly(gap) {
				if n := e.computedBreaks(gap); n.Valid() {
					computed = append(computed, n)
				}
			} else {
				fixed = append(fixed, e.breaksAt(x, from, to)...)
			}
		case *model.Ref:
			if !seen[x.Array] {
				seen[x.Array] = true
				for _, p := range x.Array.Pieces {
					visit(p.Value)
				}
			}
		}
		for _, y := range x.Children() {
			visit(y)
		}
	}
	for _, st := range s.States {
		visit(st.Rhs)
	}
	if len(computed) > 0 {
		moving = autodiff.Concat(0, computed...)
	}
	return fixed, moving
}

// allBreaks returns all times after `from` at which the right sides are not smooth, shape [K]; the node is invalid if
// there are none.
func (e *Evaluator) allBreaks(s *model.System, from float64) Node {
	fixed, all := e.breaksOf(s, from, math.Inf(1))
	if len(fixed) == 0 {
		return all
	}
	slices.Sort(fixed)
	fixed = slices.Compact(fixed)
	known := e.Graph.Data("breaks", fixed, len(fixed))
	if !all.Valid() {
		return known
	}
	return autodiff.Concat(0, known, all)
}

// gapOf returns an expression that is 0 where an operation has a jump or a kink; nil for operations without such
// points.
func gapOf(x *model.Apply) model.Expr {
	switch x.Name {
	case "<", "<=", ">", ">=", "==", "!=", "min", "max", "abs", "sign", "relu":
	default:
		return nil
	}
	switch len(x.Args) {
	case 1:
		return x.Args[0]
	case 2:
		return &model.Apply{Name: "-", Args: x.Args, Fact: *x.Info(),
			Build: func(y []stdlib.Node) stdlib.Node { return autodiff.Sub(y[0], y[1]) }}
	}
	return nil
}

// breaksAt returns the times in [from, to] at which one operation on the time and data is not smooth: where its
// arguments are equal, or where its argument is 0 or an integer.
func (e *Evaluator) breaksAt(x *model.Apply, from, to float64) (all []float64) {
	switch x.Name {
	case "floor", "ceil", "trunc", "round":
		if !e.ofTimeOnly(x.Args[0]) {
			return nil
		}
		part := 0.
		if x.Name == "round" {
			part = 0.5
		}
		return e.wholeTimes(x.Args[0], part, from, to)
	}
	gap := gapOf(x)
	if gap == nil {
		return nil
	}
	a, b := e.linearInTime(gap)
	for i := range a {
		if t := -a[i] / b[i]; b[i] != 0 && from <= t && t <= to {
			all = append(all, t)
		}
	}
	return all
}

// computedBreaks returns the times at which a linear expression a + b·t is 0, shape [K], with +∞ if b is 0. The node is
// invalid if the expression is not linear.
func (e *Evaluator) computedBreaks(gap model.Expr) Node {
	l, ok := linearForm(gap)
	if !ok || l.slope == nil {
		return Node{}
	}
	a, b := e.unguarded(l.constant), e.unguarded(l.slope)
	bound := Union(a, b)
	if len(a.Axes)+len(b.Axes) > 0 {
		return Node{}
	}
	x, y := e.Align(a, bound, nil), e.Align(b, bound, nil)
	flat := autodiff.Eq(y, e.Graph.Const(0))
	t := autodiff.Neg(autodiff.Div(x, autodiff.Where(flat, e.Graph.Const(1), y)))
	t = autodiff.Where(flat, e.Graph.Const(math.Inf(1)), t)
	return autodiff.Reshape(t, t.Size())
}

// A linear is constant + slope·t; the slope is nil if the expression does not depend on the time.
type linear struct{ constant, slope model.Expr }

// linearForm returns an expression as a linear function of the time; ok is false if it is not composed of sums and
// multiples.
func linearForm(x model.Expr) (linear, bool) {
	if !readsNow(x) {
		return linear{x, nil}, true
	}
	if _, now := x.(*model.TimeNow); now {
		return linear{&model.Num{Fact: *x.Info(), Value: 0}, &model.Num{Fact: *x.Info(), Value: 1}}, true
	}
	op, ok := x.(*model.Apply)
	if !ok || len(op.Args) == 0 || len(op.Args) > 2 {
		return linear{}, false
	}
	var args []linear
	for _, arg := range op.Args {
		l, ok := linearForm(arg)
		if !ok {
			return linear{}, false
		}
		args = append(args, l)
	}
	return combined(op, args)
}

// combined applies an operation to linear functions; ok is false if the result is not linear.
func combined(op *model.Apply, x []linear) (linear, bool) {
	apply := func(args ...model.Expr) model.Expr {
		return &model.Apply{Name: op.Name, Args: args, Build: op.Build, Fact: *op.Info()}
	}
	switch {
	case len(x) == 1 && op.Name == "-":
		return linear{apply(x[0].constant), apply(x[0].slope)}, true
	case len(x) == 2 && (op.Name == "+" || op.Name == "-"):
		zero := &model.Num{Fact: *op.Info(), Value: 0}
		slopes := []model.Expr{zero, zero}
		for k := range x {
			if x[k].slope != nil {
				slopes[k] = x[k].slope
			}
		}
		return linear{apply(x[0].constant, x[1].constant), apply(slopes...)}, true
	case len(x) == 2 && op.Name == "*" && x[0].slope == nil:
		return linear{apply(x[0].constant, x[1].constant), apply(x[0].constant, x[1].slope)}, true
	case len(x) == 2 && (op.Name == "*" || op.Name == "/") && x[1].slope == nil:
		return linear{apply(x[0].constant, x[1].constant), apply(x[0].slope, x[1].constant)}, true
	}
	return linear{}, false
}

// wholeTimes returns the times in [from, to] at which an expression equals an integer plus `part`.
func (e *Evaluator) wholeTimes(x model.Expr, part, from, to float64) (all []float64) {
	a, b := e.linearInTime(x)
	for i := range a {
		lo, hi := a[i]+b[i]*from-part, a[i]+b[i]*to-part
		if lo > hi {
			lo, hi = hi, lo
		}
		if b[i] == 0 || hi-lo > mostBreaks {
			continue
		}
		for k := math.Ceil(lo); k <= hi; k++ {
			all = append(all, (k+part-a[i])/b[i])
		}
	}
	return all
}

// ofTimeOnly reports whether an expression reads only data and the time.
func (e *Evaluator) ofTimeOnly(x model.Expr) bool {
	ok := true
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		switch x := x.(type) {
		case nil, *model.TimeNow, *model.IndexVar:
			return
		case *model.StateNow, *model.StateAt:
			ok = false
			return
		case *model.Ref:
			ok = ok && x.Static
			return
		}
		for _, y := range x.Children() {
			visit(y)
		}
	}
	visit(x)
	return ok
}

// linearInTime returns a and b for an expression a + b·t, element by element over all indices that it reads; b is 0
// where the expression is not linear.
func (e *Evaluator) linearInTime(x model.Expr) (a, b []float64) {
	at := func(t float64) []float64 {
		step := e.Inside(e.Graph, solverStep{time: Value{Node: e.Graph.Const(t)}})
		return autodiff.Eval(nil, step.unguarded(x).Node)[0]
	}
	zero, one, two := at(0), at(1), at(2)
	b = make([]float64, len(zero))
	for i := range zero {
		b[i] = one[i] - zero[i]
		if bend := two[i] - one[i] - b[i]; !(math.Abs(bend) <= 1e-9*(1+math.Abs(two[i])+math.Abs(b[i]))) {
			b[i] = 0
		}
	}
	return zero, b
}
