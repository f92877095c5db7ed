package odes

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// refuseDelays reports an error and returns false if a trajectory depends on itself at another time, directly or
// through definitions and other trajectories.
func (eq *Equations) refuseDelays() bool {
	for _, t := range eq.states {
		_, fixed := statesRead(t.State)
		for _, q := range fixed {
			if leadsTo(q.State, t.State, nil) {
				eq.Errorf(diag.TrajectoryTime, q.At, "`%s` depends on itself at another time, through this value of "+
					"`%s`: delay differential equations are not supported", t.State.Name, q.State.Name).
					Related(t.State.At, "`%s`", t.State.Name)
				return false
			}
		}
	}
	return true
}

// leadsTo reports whether state s is goal, or depends on it.
func leadsTo(s, goal *model.State, seen []*model.State) bool {
	if s == goal {
		return true
	}
	if slices.Contains(seen, s) {
		return false
	}
	now, fixed := statesRead(s)
	for _, q := range fixed {
		now = append(now, q.State)
	}
	return slices.ContainsFunc(now, func(n *model.State) bool { return leadsTo(n, goal, append(seen, s)) })
}

// statesRead lists the states that the equations and events of a state read at the present time, and its reads of
// states at given times. It must be called before systems are joined, because afterwards Walk also visits the equations
// of the states read.
func statesRead(s *model.State) (now []*model.State, fixed []*model.StateAt) {
	seen := map[*model.Array]bool{}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		model.Walk(x, func(y model.Expr) {
			switch y := y.(type) {
			case *model.StateNow:
				now = append(now, y.State)
			case *model.StateAt:
				fixed = append(fixed, y)
			case *model.Ref:
				if !seen[y.Array] {
					seen[y.Array] = true
					for _, p := range y.Array.Pieces {
						visit(p.Value)
					}
				}
			}
		})
	}
	for _, x := range s.Exprs() {
		visit(x)
	}
	return now, fixed
}
