package model

import "ppl/lang/source"

// A System is an initial value problem: states whose derivatives read each other, from one initial time.
type System struct {
	States  []*State
	T0      Expr
	Queries []*StateAt // every time that is asked for
	Options map[string]string
	At      source.Span
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
