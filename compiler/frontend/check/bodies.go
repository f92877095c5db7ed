package check

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
)

// This file handles definitions in the body of a function that a recurrence calls. In
//
//	cell(h[H], x) = {
//	    z = w @ h + x
//	    return tanh(z)
//	}
//	h[1, 1..2] = 0
//	h[t in 2..T] = cell(h[t-1], x[t])
//
// `z` belongs to step t but has no axis t, so as an array it could not be part of the recurrence. A read of `z`
// therefore becomes the expression that defines it.

// inStep returns the expression that replaces a read of a definition in a body, if the definition reads an array that
// is being defined outside the body; otherwise it returns nil. If the definition is not one expression over indices,
// inStep reports an error and returns poison.
func (c *checker) inStep(a *scope.Array, e ast.Node) model.Expr {
	if a.Scope == c.global || a.State == scope.Visiting || a.Decl != nil || len(a.Draws) > 0 || !c.readsOutside(a) {
		return nil
	}
	if len(a.Pieces) != 1 || a.Recurs || len(a.Pieces[0].Plates) < len(a.Pieces[0].Slots) {
		c.NotYet(a.At, "`"+a.Name+"`, which is defined in several statements, for one element, or by "+
			"its own earlier elements, in a function that a recurrence calls").
			Related(e.Span(), "it is read here")
		return typing.Poison(e)
	}
	p := a.Pieces[0]
	if len(p.Plates) == 0 {
		return p.Value
	}
	return &model.Build{Over: p.Plates, Body: p.Value, Fact: model.Fact{At: e.Span(), Type: a.Type}}
}

// readsOutside reports whether a definition reads, directly or indirectly, an array of another block that is being
// defined.
func (c *checker) readsOutside(a *scope.Array) bool {
	if !slices.ContainsFunc(c.open, func(b *scope.Array) bool { return b.Recurs && b.Scope != a.Scope }) {
		return false
	}
	seen := map[*model.Array]bool{}
	var reads func(of *model.Array) bool
	reads = func(of *model.Array) bool {
		if seen[of] {
			return false
		}
		seen[of] = true
		return slices.ContainsFunc(c.open, func(b *scope.Array) bool { return b.Array == of && b.Scope != a.Scope }) ||
			slices.ContainsFunc(of.Pieces, func(p *model.Piece) bool {
				return slices.ContainsFunc(model.Arrays(p.Value), reads)
			})
	}
	return reads(a.Array)
}
