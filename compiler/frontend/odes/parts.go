package odes

import (
	"strconv"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/stdlib"
)

// chosen elaborates statements for parts of a trajectory, such as u'[1](t) = … and u'[k in 2..K](t) = …, each with its
// indices bound to those of the state. It combines them into one expression in which conditions on the state's indices
// select the part. value elaborates one statement and returns nil after an error; then chosen returns false.
func (eq *Equations) chosen(t *scope.Trajectory, parts []scope.Define, value func(s *scope.Scope,
	d scope.Define) model.Expr) (model.Expr, bool) {
	var x model.Expr
	for i := len(parts) - 1; i >= 0; i-- {
		s := scope.New(t.Scope)
		for k, slot := range parts[i].Head.Slots {
			s.Add(&scope.Entity{Name: plateName(k), At: slot.Span(), Index: t.State.Plates[k], Used: true})
			if slot.Index != nil {
				s.Add(&scope.Entity{Name: slot.Index.Name, At: slot.Span(), Index: t.State.Plates[k], Used: true})
			}
		}
		part := value(s, parts[i])
		if part == nil {
			return nil, false
		}
		if x == nil {
			x = part
			continue
		}
		q := eq.names.Expr(s, insidePart(parts[i].Head))
		if typing.IsPoison(q) {
			return nil, false
		}
		x = &model.Cond{If: q, Then: part, Else: x, Fact: model.Fact{At: part.Info().At, Static: typing.AllStatic(q,
			part, x), Type: model.Type{Range: stdlib.Everything()}}}
	}
	return x, true
}

// plateName returns the name of the k-th index of a state in a condition. It contains a space, so that no name in a
// model equals it.
func plateName(k int) string { return "index " + strconv.Itoa(k) }

// insidePart returns the condition that a state's indices are in the part on the left-hand side h.
func insidePart(h *ast.Head) (q ast.Expr) {
	for k, slot := range h.Slots {
		at := ast.Place{At: slot.Span()}
		compare := func(op string, end ast.Expr) ast.Expr {
			return &ast.Binary{Place: at, Op: op, OpAt: slot.Span(), X: &ast.Name{Place: at, Name: plateName(k)},
				Y: end}
		}
		both := func(x, y ast.Expr) ast.Expr {
			if x == nil {
				return y
			}
			return &ast.Binary{Place: at, Op: "&&", OpAt: slot.Span(), X: x, Y: y}
		}
		switch set := slot.Set; {
		case set.Hi != nil:
			q = both(q, both(compare(">=", set.Lo), compare("<=", set.Hi)))
		case isElement(slot):
			q = both(q, compare("==", set.Lo))
		default:
			q = both(q, both(compare(">=", &ast.Number{Place: at, Text: "1", Value: 1, IsInt: true}),
				compare("<=", set.Lo)))
		}
	}
	return q
}

// isElement reports whether a slot is a single number, without an index.
func isElement(s *ast.Slot) bool {
	_, number := s.Set.Lo.(*ast.Number)
	return number && s.Index == nil && s.Set.Hi == nil
}
