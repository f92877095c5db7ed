package simulate

import (
	"math/rand/v2"
	"slices"

	"ppl/compiler/frontend/model"
)

// A generation is a set of arrays that are drawn together after inference: one array, or a group of arrays that read
// their own or each other's past, along one axis or in layers.
type generation struct {
	terms []*model.Term
	group *model.Group   // nil for one array
	walk  *walk          // draws the pieces of a group that read the past
	among []*model.Array // arrays drawn in layers; nil for others
	field *field
}

// generations orders the generated arrays so that each comes after the arrays that its distributions read.
func generations(m *model.Model) (order []generation) {
	seen := map[*model.Array]bool{}
	var visit func(a *model.Array)
	visit = func(a *model.Array) {
		if seen[a] {
			return
		}
		arrays, group, among := []*model.Array{a}, groupOf(a), amongOf(m, a)
		if among != nil {
			arrays = among
		}
		if group != nil {
			arrays = nil
			for _, w := range group.Members {
				arrays = append(arrays, w.Array)
			}
		}
		for _, w := range arrays {
			seen[w] = true
		}
		g := generation{group: group, among: among}
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

// amongOf returns the arrays that are drawn in layers together with a, or nil.
func amongOf(m *model.Model, a *model.Array) []*model.Array {
	i := slices.IndexFunc(m.Fields, func(arrays []*model.Array) bool { return slices.Contains(arrays, a) })
	if i < 0 {
		return nil
	}
	return m.Fields[i]
}

// draw draws all arrays of the generation and stores them as inputs.
func (g *generation) draw(r *rand.Rand, to *Numbers) {
	if g.among != nil {
		if g.field == nil {
			g.field = to.newField(g.among, g.terms)
		}
		g.field.draw(r, to)
		return
	}
	for _, t := range g.terms {
		if t.Piece.Recurrence == nil {
			to.Inputs[PieceName(t.Piece)] = to.sample(r, t)
		}
	}
	if g.group != nil {
		if g.walk == nil {
			g.walk = to.newWalk(g.group)
		}
		g.walk.draw(r, to)
	}
}
