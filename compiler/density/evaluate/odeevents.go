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

// A timedEvent is an event statement of the model with its times and targets. Its K elements are the combinations of
// the event's plates; into[k] is the position in the state vector that element k changes.
type timedEvent struct {
	event *model.Event
	into  []int
	times Node      // shape [K]
	fixed []float64 // the times, if data determine them
}

// timedEvents returns the events of a system that change at least one state; sol has the positions of the states in the
// state vector.
func (e *Evaluator) timedEvents(s *model.System, sol *solution, t0 float64) (all []timedEvent) {
	for _, st := range s.States {
		for _, ev := range st.Events {
			if h := e.timedEvent(ev, st, sol, t0); len(h.into) > 0 {
				all = append(all, h)
			}
		}
	}
	return all
}

func (e *Evaluator) timedEvent(ev *model.Event, st *model.State, sol *solution, t0 float64) timedEvent {
	h := timedEvent{event: ev, times: e.overPlates(e, ev, ev.When)}
	if h.times.Static() {
		h.fixed = autodiff.Eval(nil, h.times)[0]
		for k, t := range h.fixed {
			switch {
			case math.IsNaN(t) || math.IsInf(t, 0):
				e.Fail(diag.SystemTimes, ev.When, "the time of an event%s is %g; it must be finite", e.elementOf(ev, k),
					t)
			case t < t0:
				e.Fail(diag.SystemTimes, ev.When, "an event of `%s` is at time %g%s, before its initial time %g",
					st.Name, t, e.elementOf(ev, k), t0)
			}
		}
	}
	if amounts := e.constantAmount(ev, ev.Amount); amounts.Valid() && amounts.Static() {
		for k, v := range autodiff.Eval(nil, amounts)[0] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				e.Fail(diag.ImpossibleValue, ev.Amount, "the amount of an event%s is %g; it must be finite",
					e.elementOf(ev, k), v)
			}
		}
	}
	h.into = e.changedBy(ev, st, sol)
	return h
}

// constantAmount returns the amounts of an event if they depend neither on the time nor on states; otherwise the node
// is invalid.
func (e *Evaluator) constantAmount(ev *model.Event, x model.Expr) (n Node) {
	if !readsNow(x) {
		n = e.overPlates(e, ev, x)
	}
	return n
}

// changedBy returns the positions in the state vector that an event changes. It evaluates the event's target on states
// whose elements are their own positions.
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

// overPlates evaluates an expression of an event with the evaluator `by`; shape [K].
func (e *Evaluator) overPlates(by *Evaluator, ev *model.Event, x model.Expr) Node {
	v := by.unbind(by.Expr(x), ev.Over, nil)
	e.noUnknowns(v, nil, x)
	return autodiff.Reshape(v.Node, v.Node.Size())
}

// elementOf returns the text of the k-th combination of an event's indices, such as " (i = 2)".
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

// eventsOf returns the events in the form that the solver needs.
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

// amounts returns the amounts of an event in a step of the solver: shape [K], or [m, K] for m trajectories side by
// side.
func (e *Evaluator) amounts(s *model.System, sol *solution, ev *model.Event, each []*model.Index, t Value, y Node,
	shared []Node) Node {
	step := e.inStep(sol, each, t, y, shared)
	v := step.unbind(step.Expr(ev.Amount), ev.Over, nil)
	e.noUnknowns(v, each, ev.Amount)
	n := step.Align(v, each, v.Axes)
	front := e.Shape(each, nil)
	return autodiff.Reshape(n, append(front, n.Size()/Product(front))...)
}

// notBefore returns y0, or NaN if a computed time of an event is before t0 or is NaN.
func (e *Evaluator) notBefore(t0 float64, events []timedEvent, y0 Node) Node {
	c := e.Graph.Const
	for _, h := range events {
		if h.fixed == nil {
			early := autodiff.Max(autodiff.Eq(autodiff.Le(c(t0), h.times), c(0)), 0)
			y0 = autodiff.Where(autodiff.Broadcast(early, y0.Shape(), nil), c(math.NaN()), y0)
		}
	}
	return y0
}

// A reach describes the rescaled times of a query whose m times depend on parameters: each runs from z = 0 at t0 to z =
// 1 at its time.
type reach struct {
	t0   float64
	span Node // time − t0, shape [m]
}

// passed converts times [K] to the rescaled time of each of the m trajectories, shape [m·K]. It returns +∞ for
// trajectories that run backwards or have length 0, since no event happens on them.
func (r reach) passed(times Node) Node {
	g, m, n := r.span.Graph(), r.span.Size(), times.Size()
	shape := []int{m, n}
	forward := autodiff.Lt(g.Const(0), r.span)
	span := autodiff.Broadcast(autodiff.Where(forward, r.span, g.Const(1)), shape, []int{0})
	z := autodiff.Div(autodiff.Broadcast(autodiff.Sub(times, g.Const(r.t0)), shape, []int{1}), span)
	z = autodiff.Where(autodiff.Broadcast(forward, shape, []int{0}), z, g.Const(math.Inf(1)))
	return autodiff.Reshape(z, m*n)
}

// events returns the events for all trajectories, which have separate parts of the state vector.
func (r reach) events(events []timedEvent, size int, amount func(h timedEvent, z, y Node, shared []Node) Node) (
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

// An IdleEvent is an event statement that has no effect: its first event, at time First, is not before the last time at
// which a state is read, Last.
type IdleEvent struct {
	Event       *model.Event
	First, Last float64
}

// IdleEvents returns the idle events of all systems, as far as data determine their times.
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
