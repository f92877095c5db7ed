package model

import (
	"strings"

	"ppl/lang/source"
)

// A System is an initial value problem: states whose derivatives read each other, from one initial time.
type System struct {
	States  []*State
	T0      Expr
	Queries []*StateAt // every time that is asked for
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

// An Event adds Amount to an element of a state when the time is When, once for each combination of its plates. Target
// is the state (StateNow) or a subscript of it; Amount reads the time, and states as they are before the events of the
// time.
type Event struct {
	At     source.Span
	Over   []*Index
	Target Expr
	When   Expr
	Amount Expr
}

// Exprs returns all expressions of a state's equations, without those that were refused.
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

// Replace puts f(x) instead of each expression of a state's equations; the ends of plates stay.
func (s *State) Replace(f func(Expr) Expr) {
	s.Init, s.Rhs = f(s.Init), f(s.Rhs)
	for _, e := range s.Events {
		e.Target, e.When, e.Amount = f(e.Target), f(e.When), f(e.Amount)
	}
}

// StateAt is u(e): a state at a time. Its axes are the state's, then the time's.
type StateAt struct {
	Fact
	State *State
	Time  Expr
}

// StateNow is u(t) inside the right side of a system.
type StateNow struct {
	Fact
	State *State
}

// TimeNow is t inside the right side of a system.
type TimeNow struct{ Fact }
