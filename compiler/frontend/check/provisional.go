package check

import (
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/stdlib"
)

// A definition may be read while it is being elaborated if every left-hand side of it has slots, which then give its
// axes. analyze.Recurrences proves later that each read is of an earlier element.

// provisional sets the axes of a definition that is being elaborated from its left-hand sides. It returns false if they
// do not determine the axes.
func (c *checker) provisional(a *scope.Array) bool {
	if a.Recurs {
		return true
	}
	if a.Decl != nil || len(a.Draws) > 0 || len(a.Heads) < len(a.Defs) {
		return false
	}
	for i, d := range a.Defs {
		if len(d.Head.Slots) == 0 || typing.HasPoison(a.Heads[i].Slots) {
			return false
		}
	}
	a.Recurs = true
	known := a.Pieces
	a.Pieces = nil
	var axes []*model.Set // the axes found so far
	if len(known) > 0 && known[0].Value != nil {
		axes = append(known[0].Region(), known[0].Value.Info().Type.Axes...)
	}
	for i := range a.Defs {
		p := a.Heads[i].Piece(a.Defs[i])
		rest := axes[min(len(p.Slots), len(axes)):]
		if i < len(known) {
			p = known[i]
		}
		c.pieces().Add(a, p, rest, model.Type{Range: stdlib.Everything()})
	}
	c.pieces().Join(a)
	return true
}
