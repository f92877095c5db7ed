package emit

import (
	"math/rand/v2"
	"slices"

	"ppl/compiler/model"
)

// A generation is what is drawn after inference at once: one array, or a group of arrays that read their own or each other's past.
type generation struct {
	terms []*model.Term
	group *model.Group // nil for one array
}

// generations sorts what is drawn so that each comes after what its laws read.
func generations(m *model.Model) (order []generation) {
	seen := map[*model.Array]bool{}
	var visit func(a *model.Array)
	visit = func(a *model.Array) {
		if seen[a] {
			return
		}
		arrays, group := []*model.Array{a}, groupOf(a)
		if group != nil {
			arrays = nil
			for _, w := range group.Members {
				arrays = append(arrays, w.Array)
			}
		}
		for _, w := range arrays {
			seen[w] = true
		}
		g := generation{group: group}
		for _, w := range arrays {
			for _, b := range readBy(w) {
				visit(b)
			}
			for _, t := range m.Terms {
				if t.Kind == model.Generate && t.Array == w {
					g.terms = append(g.terms, t)
				}
			}
		}
		order = append(order, g)
	}
	for _, t := range m.Terms {
		if t.Kind == model.Generate {
			visit(t.Array)
		}
	}
	return order
}

func groupOf(a *model.Array) *model.Group {
	for _, p := range a.Pieces {
		if p.Recurrence != nil {
			return p.Recurrence.Group
		}
	}
	return nil
}

// draw enters a draw of all of the generation's arrays. Those of a group are drawn step by step (ancestral sampling): a step's laws are evaluated
// when all before it has been drawn.
func (g generation) draw(r *rand.Rand, to *given) {
	var lo, hi int
	var moving []*model.Term
	for _, t := range g.terms {
		if t.Piece.Recurrence == nil {
			to.inputs[pieceName(t.Piece)] = to.sample(r, t)
			continue
		}
		b := to.box(slotSet(t.Piece.Slots[t.Piece.Recurrence.Axis]))
		if len(moving) == 0 {
			lo, hi = b.lo, b.hi
		}
		lo, hi = min(lo, b.lo), max(hi, b.hi)
		moving = append(moving, t)
		to.inputs[pieceName(t.Piece)] = make([]float64, product(to.shapeOf(t.Piece)))
	}
	if len(moving) == 0 {
		return
	}
	for k := range hi - lo + 1 {
		at := lo + k
		if g.group.Back {
			at = hi - k
		}
		for _, t := range moving {
			to.sampleStep(r, t, at)
		}
	}
}

// sampleStep draws a term's value at one place along its recurrence.
func (g *given) sampleStep(r *rand.Rand, t *model.Term, place int) {
	slot := t.Piece.Slots[t.Piece.Recurrence.Axis]
	b := g.box(slotSet(slot))
	if place < b.lo || place > b.hi {
		return
	}
	args := make([]value, len(t.Args))
	for i, a := range t.Args {
		args[i] = g.expr(a)
	}
	after, n := 1, 1
	if slot.Index != nil {
		k := slices.Index(t.Plates, slot.Index)
		after, n = product(g.shape(t.Plates[k+1:], nil)), b.size()
	}
	g.sampleRows(r, t, args, g.inputs[pieceName(t.Piece)], func(row int) bool { return row/after%n == place-b.lo })
}
