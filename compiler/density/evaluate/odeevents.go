package evaluate

import (
	"math"
	"slices"
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/stdlib/ode"
)

// A happening is an event of the model with what its data say: for each combination of its plates, the number of the
// state vector that it changes, and the time.
type happening struct {
	event *model.Event
	into  []int
	times Node      // [K]
	fixed []float64 // the times if data give them
}

// happenings returns the events of a system whose states begin in the state vector where sol says.
func (e *Evaluator) happenings(s *model.System, sol *solution, t0 float64) (all []happening) {
	for _, st := range s.States {
		for _, ev := range st.Events {
			if h := e.happening(ev, st, sol, t0); len(h.into) > 0 {
				all = append(all, h)
			}
		}
	}
	return all
}

func (e *Evaluator) happening(ev *model.Event, st *model.State, sol *solution, t0 float64) happening {
	h := happening{event: ev, times: e.overPlates(e, ev, ev.When)}
	if h.times.Static() {
		h.fixed = autodiff.Eval(nil, h.times)[0]
		for k, t := range h.fixed {
			switch {
			case math.IsNaN(t) || math.IsInf(t, 0):
				e.Fail(diag.SystemTimes, ev.When, "the time of an event%s is %g", e.elementOf(ev, k), t)
			case t < t0:
				e.Fail(diag.SystemTimes, ev.When, "an event of `%s` is at time %g%s, before its initial time %g",
					st.Name, t, e.elementOf(ev, k), t0)
			}
		}
	}
	if amounts := e.whole(ev, ev.Amount); amounts.Valid() && amounts.Static() {
		for k, v := range autodiff.Eval(nil, amounts)[0] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				e.Fail(diag.ImpossibleValue, ev.Amount, "the amount of an event%s is %g", e.elementOf(ev, k), v)
			}
		}
	}
	h.into = e.changedBy(ev, st, sol)
	return h
}

// whole returns the amount of an event if it reads neither the time nor states.
func (e *Evaluator) whole(ev *model.Event, x model.Expr) (n Node) {
	if !readsNow(x) {
		n = e.overPlates(e, ev, x)
	}
	return n
}

// changedBy returns the numbers of the state vector that an event changes: the value of its target in a state whose
// elements are their own places.
func (e *Evaluator) changedBy(ev *model.Event, st *model.State, sol *solution) []int {
	places := e.Inside(e.Graph, solverStep{time: Value{Node: e.Graph.Const(0)}, state: func(u *model.State) Value {
		shape := e.Shape(nil, u.Axes)
		return Value{autodiff.Reshape(e.Graph.Iota(Product(shape)), shape...), nil, u.Axes}
	}})
	n := e.overPlates(places, ev, ev.Target)
	if !n.Static() {
		e.Fail(diag.ParameterBound, ev.Target, "which element an event changes must depend on data only; `%s` does not",
			ev.Target.Info().At.Text())
	}
	var into []int
	for _, place := range autodiff.Eval(nil, n)[0] {
		into = append(into, sol.first[st]+int(place))
	}
	return into
}

// overPlates returns the value by one of the evaluators of an expression of an event, [K].
func (e *Evaluator) overPlates(by *Evaluator, ev *model.Event, x model.Expr) Node {
	v := by.unbind(by.Expr(x), ev.Over, nil)
	e.noUnknowns(v, nil, x)
	return autodiff.Reshape(v.Node, v.Node.Size())
}

// elementOf reports which of an event's combinations of indices the k-th is.
func (e *Evaluator) elementOf(ev *model.Event, k int) (text string) {
	for n := len(ev.Over) - 1; n >= 0; n-- {
		i := ev.Over[n]
		b := e.Box(i.Set)
		text = " " + i.Name + " = " + strconv.Itoa(b.Lo+k%b.Size()) + text
		k /= b.Size()
	}
	if text == "" {
		return ""
	}
	return " (" + text[1:] + ")"
}

// eventsOf returns happenings as the solver wants them.
func (e *Evaluator) eventsOf(s *model.System, sol *solution) (all []ode.Events) {
	for _, h := range sol.events {
		events := ode.Events{Fixed: h.fixed, Into: h.into, Amount: func(t, y Node, shared []Node) Node {
			return e.amounts(s, sol, h.event, nil, Value{Node: t}, y, shared)
		}}
		if h.fixed == nil {
			events.Moving = h.times
		}
		all = append(all, events)
	}
	return all
}

// amounts of an event in a step of the solver, [K], or [m, K] for states side by side.
func (e *Evaluator) amounts(s *model.System, sol *solution, ev *model.Event, each []*model.Index, t Value, y Node,
	shared []Node) Node {
	step := e.inStep(sol, each, t, y, shared)
	v := step.unbind(step.Expr(ev.Amount), ev.Over, nil)
	e.noUnknowns(v, each, ev.Amount)
	n := step.Align(v, each, v.Axes)
	front := e.Shape(each, nil)
	return autodiff.Reshape(n, append(front, n.Size()/Product(front))...)
}

// notBefore is y0, and not a number if a computed time of an event lies before t0 or is none.
func (e *Evaluator) notBefore(t0 float64, events []happening, y0 Node) Node {
	c := e.Graph.Const
	for _, h := range events {
		if h.fixed == nil {
			early := autodiff.Max(autodiff.Eq(autodiff.Le(c(t0), h.times), c(0)), 0)
			y0 = autodiff.Where(autodiff.Broadcast(early, y0.Shape(), nil), c(math.NaN()), y0)
		}
	}
	return y0
}

// A reach is what lies between t0 and the times [m] of a query that depends on parameters, for each in a time of its
// own, z, which is 0 at t0 and 1 there.
type reach struct {
	t0   float64
	span Node // [m]
}

// passed returns the times [K] in the times z of all, [m·K]; +∞ where the way leads backwards or nowhere, since then
// nothing happens on it.
func (r reach) passed(times Node) Node {
	g, m, n := r.span.Graph(), r.span.Size(), times.Size()
	shape := []int{m, n}
	forward := autodiff.Lt(g.Const(0), r.span)
	span := autodiff.Broadcast(autodiff.Where(forward, r.span, g.Const(1)), shape, []int{0})
	z := autodiff.Div(autodiff.Broadcast(autodiff.Sub(times, g.Const(r.t0)), shape, []int{1}), span)
	z = autodiff.Where(autodiff.Broadcast(forward, shape, []int{0}), z, g.Const(math.Inf(1)))
	return autodiff.Reshape(z, m*n)
}

// events returns happenings on the way to all times, each of which has a state vector of its own.
func (r reach) events(events []happening, size int, amount func(h happening, z, y Node, shared []Node) Node) (
	all []ode.Events) {
	for _, h := range events {
		var into []int
		for q := range r.span.Size() {
			for _, place := range h.into {
				into = append(into, q*size+place)
			}
		}
		flat := func(z, y Node, shared []Node) Node {
			n := amount(h, z, y, shared)
			return autodiff.Reshape(n, n.Size())
		}
		all = append(all, ode.Events{Moving: r.passed(h.times), Into: into, Amount: flat})
	}
	return all
}

// An IdleEvent is a statement whose events, of which the first is at First, all come after the last time, Last, at
// which something reads a state.
type IdleEvent struct {
	Event       *model.Event
	First, Last float64
}

// IdleEvents returns the events of all systems, so far as data give the times.
func (e *Evaluator) IdleEvents() (idle []IdleEvent) {
	for _, s := range e.Data.Model.Systems {
		if slices.ContainsFunc(s.Queries, func(q *model.StateAt) bool { return !q.Time.Info().Static }) {
			continue
		}
		_, sol := e.problem(s)
		for _, h := range sol.events {
			if n := len(sol.times); n > 0 && h.fixed != nil && slices.Min(h.fixed) >= sol.times[n-1] {
				idle = append(idle, IdleEvent{h.event, slices.Min(h.fixed), sol.times[n-1]})
			}
		}
	}
	return idle
}
