package odes

import (
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// This file handles events: at[d in D] t = when[d]: u[group[d]] += amount[d].

// CollectEvent records an event, and reports an error if it is inside a block.
func (eq *Equations) CollectEvent(st *ast.Event, s *scope.Scope) {
	if s != eq.global {
		eq.Errorf(diag.Syntax, st.Span(), "an event must be outside of blocks")
		return
	}
	eq.events = append(eq.events, st)
}

// event elaborates an event and adds it to the state that it changes.
func (eq *Equations) event(st *ast.Event) {
	t := eq.eventTarget(st)
	if t == nil || !eq.shape(t) {
		return
	}
	s := scope.New(eq.global)
	over, ok := eq.eventPlates(s, st)
	if !ok {
		return
	}
	when := eq.names.Expr(s, st.When)
	if typing.IsPoison(when) || !eq.oneEvent(when, "the time of an event") {
		return
	}
	now := scope.New(s)
	at := st.Time.Span()
	now.Add(&scope.Entity{Name: st.Time.Name, At: at, Used: true,
		Expr: &model.TimeNow{Fact: model.Fact{At: at, Type: model.Type{Range: stdlib.Everything()}}}})
	target, amount := eq.names.Expr(now, readNow(st)), eq.names.Expr(now, st.Amount)
	if typing.IsPoison(target) || typing.IsPoison(amount) || !eq.oneEvent(amount, "the amount of an event") {
		return
	}
	if axes := target.Info().Type.Axes; len(axes) > 0 {
		eq.Errorf(diag.AxisCount, st.Target.Span(), "an event changes one number, but `%s` has %s",
			st.Target.Span().Text(), model.HaveAxes(axes)).
			Help("give the event an index: `at[k in …] %s = …: %s[k] += …`", st.Time.Name, t.State.Name)
		return
	}
	t.State.Events = append(t.State.Events,
		&model.Event{At: st.Span(), Over: over, Target: target, When: when, Amount: amount})
}

// eventTarget returns the trajectory that an event changes, or nil after an error.
func (eq *Equations) eventTarget(st *ast.Event) *scope.Trajectory {
	target := st.Target
	if x, ok := target.(*ast.Index); ok {
		target = x.X
	}
	n, ok := target.(*ast.Name)
	if !ok {
		e := eq.Errorf(diag.EventNotState, st.Target.Span(),
			"an event changes a state of a differential equation, written as its name")
		if call, isCall := target.(*ast.Call); isCall {
			e.Help("write `%s += …`, without the time", call.Fun.Span().Text())
		}
		return nil
	}
	switch e := eq.global.Lookup(n.Name); {
	case e == nil:
		eq.names.Undefined(eq.global, n)
	case e.Expr != nil && typing.IsPoison(e.Expr): // its statement could not be parsed
	case e.Ode == nil:
		e.Used = true
		eq.Errorf(diag.EventNotState, n.Span(), "`%s` is not a state of a differential equation, but an event can "+
			"change only states", n.Name).Related(e.At, "`%s`", n.Name).Help("a state has an equation: `%s'(t) = …`",
			n.Name)
	default:
		return e.Ode
	}
	return nil
}

// eventPlates returns the indices of an event. ok is false after an error.
func (eq *Equations) eventPlates(s *scope.Scope, st *ast.Event) (over []*model.Index, ok bool) {
	slots, bare, _ := eq.names.Slots(s, &ast.Head{Place: st.Place, Slots: st.Slots}, 0)
	for k, slot := range slots {
		at := st.Slots[k].Span()
		switch {
		case slot.Index == nil:
			eq.Errorf(diag.BadSlot, at, "an event needs indices in brackets, not elements: `at[d in D] %s = …`",
				st.Time.Name)
			return nil, false
		case len(bare) > 0:
			eq.Errorf(diag.BadSlot, at, "give each index of an event a name: `at[d in %s] %s = …`", at.Text(),
				st.Time.Name)
			return nil, false
		case len(slot.Index.Set.Ragged) > 0:
			eq.NotYet(at, "events over a set whose size depends on an index").
				Help("list all events in one table, with a column for the subject of each: `at[d in D] %s = when[d]: "+
					"u[subject[d]] += amount[d]`", st.Time.Name)
			return nil, false
		}
		over = append(over, slot.Index)
	}
	return over, !typing.HasPoison(slots)
}

func (eq *Equations) oneEvent(x model.Expr, what string) bool {
	if len(x.Info().Type.Axes) > 0 {
		eq.Errorf(diag.AxisCount, x.Info().At, "%s is one number, but this has %s", what,
			model.HaveAxes(x.Info().Type.Axes)).
			Help("give the event an index: `at[d in D] t = when[d]: u += amount[d]`")
		return false
	}
	return true
}

// readNow returns the element u[k] that an event changes in the form in which a right-hand side reads it: u(t)[k].
func readNow(st *ast.Event) ast.Expr {
	at := ast.Place{At: st.Target.Span()}
	read := func(u ast.Expr) ast.Expr {
		own := ast.Place{At: u.Span()}
		time := &ast.Name{Place: own, Name: st.Time.Name}
		return &ast.Call{Place: own, Fun: u, Args: []*ast.Arg{{Place: own, Value: time}}}
	}
	if x, ok := st.Target.(*ast.Index); ok {
		return &ast.Index{Place: at, X: read(x.X), Subs: x.Subs}
	}
	return read(st.Target)
}
