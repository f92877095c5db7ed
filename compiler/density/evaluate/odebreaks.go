package evaluate

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// The right side of a differential equation may jump or bend where the time passes a value that data give: a dose that
// is infused from start[k] to stop[k], a step of forcing[floor(t) + 1]. A solver that steps over a short pulse never
// sees it, so such times are found here. For
//
//	u'(t) = (t > on && t < on + 0.1 ? rate : 0) - k * u(t)
//
// they are on and on + 0.1.

// mostBreaks is the number of breaks of one kind from which on they are left to the control of steps.
const mostBreaks = 10_000

// breaksOf are the times between two at which the right sides of a system are not smooth in the time, as far as these
// depend on data only.
func (e *Evaluator) breaksOf(s *model.System, from, to float64) (all []float64) {
	seen := map[*model.Array]bool{}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		if x == nil || !readsNow(x) {
			return
		}
		switch x := x.(type) {
		case *model.Apply:
			all = append(all, e.breaksAt(x, from, to)...)
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
	return all
}

// breaksAt are the times between two at which one operation is not smooth: where its arguments are equal, or where its
// argument is 0 or a whole number.
func (e *Evaluator) breaksAt(x *model.Apply, from, to float64) []float64 {
	switch x.Name {
	case "<", "<=", ">", ">=", "==", "!=", "min", "max", "abs", "sign", "relu", "floor", "ceil", "round", "trunc":
	default:
		return nil
	}
	if len(x.Args) > 2 {
		return nil
	}
	for _, a := range x.Args {
		if !e.ofTimeOnly(a) {
			return nil
		}
	}
	switch x.Name {
	case "floor", "ceil", "trunc":
		return e.wholeTimes(x.Args[0], 0, from, to)
	case "round":
		return e.wholeTimes(x.Args[0], 0.5, from, to)
	}
	var gap model.Expr = x.Args[0]
	if len(x.Args) == 2 {
		gap = &model.Apply{Name: "-", Args: x.Args, Fact: *x.Info(),
			Build: func(y []stdlib.Node) stdlib.Node { return autodiff.Sub(y[0], y[1]) }}
	}
	var all []float64
	a, b := e.linearInTime(gap)
	for i := range a {
		if t := -a[i] / b[i]; b[i] != 0 && from <= t && t <= to {
			all = append(all, t)
		}
	}
	return all
}

// wholeTimes are the times between two at which an expression is a whole number plus a part.
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

// ofTimeOnly reports whether an expression reads nothing but data and the time.
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

// linearInTime are a and b for an expression that is a + b·t, element by element over all indices that it reads; b is 0
// where it is no such expression.
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
