package check

import (
	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// A definition may be read while it is being elaborated, if every statement on its left has slots: its axes are then
// those of the left sides. That each read lies in the past is proved when all is known (recurrences).

// provisional gives a definition that is being elaborated the axes of its left sides; not ok where these do not have
// them.
func (c *checker) provisional(a *arrayInfo) bool {
	if a.recurs {
		return true
	}
	if a.decl != nil || len(a.draws) > 0 || len(a.heads) < len(a.defs) {
		return false
	}
	for i, d := range a.defs {
		if len(d.head.Slots) == 0 || poisonSlot(a.heads[i].slots) {
			return false
		}
	}
	a.recurs = true
	known := a.Pieces
	a.Pieces = nil
	var axes []*model.Set // those that the array is found to have
	if len(known) > 0 && known[0].Value != nil {
		axes = append(known[0].Region(), known[0].Value.Info().Type.Axes...)
	}
	for i := range a.defs {
		p := a.heads[i].piece(a.defs[i])
		rest := axes[min(len(p.Slots), len(axes)):]
		if i < len(known) {
			p = known[i]
		}
		c.addPiece(a, p, rest, model.Type{Range: stdlib.Everything()})
	}
	c.cover(a)
	return true
}
