package model

import (
	"strings"

	"ppl/lang/source"
)

// A System is an initial value problem: states whose derivatives may read each other, with a common initial time.
type System struct {
	States  []*State
	T0      Expr
	Queries []*StateAt // all times at which the model reads a state
	Options map[string]string
	At      source.Span
}

// Names lists the states of a system, each in backquotes.
func (s *System) Names() string {
	var names []string
	for _, st := range s.States {
		names = append(names, "`"+st.Name+"`")
	}
	return strings.Join(names, ", ")
}

// A State is u with u(t0) = Init and u'(t) = Rhs, over Plates. Rhs reads the time (TimeNow) and states (StateNow).
type State struct {
	Name   string
	At     source.Span
	System *System
	Plates []*Index
	Axes   []*Set
	Init   Expr
	Rhs    Expr
	Events []*Event
}

// An Event adds Amount to an element of a state at time When, once for each combination of the indices Over. Target is
// the state (StateNow) or a subscript of it. Amount reads the time, and the states before any event at that time.
type Event struct {
	At     source.Span
	Over   []*Index
	Target Expr
	When   Expr
	Amount Expr
}

// Exprs returns all expressions of a state's equations and events, including the bounds of the indices of events. It
// omits an initial value or right-hand side that has an error.
func (s *State) Exprs() (out []Expr) {
	for _, x := range []Expr{s.Init, s.Rhs} {
		if x != nil {
			out = append(out, x)
		}
	}
	for _, e := range s.Events {
		out = append(append(out, bounds(e.Over)...), e.Target, e.When, e.Amount)
	}
	return out
}

// Replace replaces each expression x of a state's equations and events by f(x), except the bounds of indices.
func (s *State) Replace(f func(Expr) Expr) {
	s.Init, s.Rhs = f(s.Init), f(s.Rhs)
	for _, e := range s.Events {
		e.Target, e.When, e.Amount = f(e.Target), f(e.When), f(e.Amount)
	}
}

// StateAt is u(e), a state at a time. Its axes are those of the state followed by those of the time.
type StateAt struct {
	Fact
	State *State
	Time  Expr
}

// StateNow is u(t) on the right-hand side of a system.
type StateNow struct {
	Fact
	State *State
}

// TimeNow is t on the right-hand side of a system.
type TimeNow struct{ Fact }
