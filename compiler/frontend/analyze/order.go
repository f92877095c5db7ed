package analyze

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Orders examines parameters whose distributions read parameters of the same arrays, directly or through definitions:
// x[n] ~ Normal(x[parent[n]], s). The product of the terms is a density that integrates to 1 if no element is drawn,
// directly or indirectly, from itself. If the form of the subscripts does not prove this, Orders adds the arrays to
// Model.Orders, and the order is checked when the data are known. It skips refused arrays, for which Cycles has
// reported an error.
func Orders(m *model.Model, diags *diag.List, refused []*model.Array) {
	for _, g := range groups(m, refused, madeFrom) {
		drawn := slices.ContainsFunc(g.reads, func(r read) bool { return computedFrom(r.piece) == nil })
		if !drawn || g.acyclic() {
			continue
		}
		if back, ahead := drawnBothWays(g); ahead != nil {
			bothWays(diags, back, ahead)
			continue
		}
		m.Orders = append(m.Orders, g.arrays)
	}
}

// madeFrom returns the expressions on which the elements of a piece depend: its value, or the expressions of its
// distribution. It returns nil for Density, whose expression is added to the log density as written.
func madeFrom(p *model.Piece) []model.Expr {
	switch {
	case p.Value != nil:
		return []model.Expr{p.Value}
	case p.Term != nil && p.Term.Density == nil:
		return p.Term.Exprs()
	}
	return nil
}

// acyclic reports whether the form of the subscripts proves that no element depends on itself. This is the case if,
// along some axis, all reads are of earlier elements or of elements at the same position, and the reads at the same
// position are acyclic among themselves: along another axis, or because the arrays can be ordered.
func (g group) acyclic() bool {
	now := map[*model.Array][]*model.Array{}
	for _, r := range g.reads {
		now[r.from] = append(now[r.from], r.to)
	}
	if _, ok := inOrder(g.arrays, now); ok {
		return true
	}
	for k := range g.arrays[0].Type.Axes {
		for _, back := range []bool{false, true} {
			left, ok := g.atSamePosition(g.axesLike(k), back)
			if ok && len(left) < len(g.reads) && (group{g.arrays, left}).acyclic() {
				return true
			}
		}
	}
	return false
}

// atSamePosition returns the reads that are at the same position, along the given axes, as the element being defined.
// ok is false if another read is not proved to be of an earlier element.
func (g group) atSamePosition(axes []int, back bool) (left []read, ok bool) {
	for _, r := range g.reads {
		switch g.position(r, axes, back).kind {
		case before, past:
		case same:
			left = append(left, r)
		default:
			return nil, false
		}
	}
	return left, true
}

// drawnBothWays returns a read of an earlier and a read of a later element in one piece of a series, or nil, nil unless
// there are both. With both, elements would be drawn from each other.
func drawnBothWays(g group) (back, ahead *read) {
	if len(g.arrays) > 1 || len(g.arrays[0].Type.Axes) != 1 {
		return nil, nil
	}
	for _, p := range g.arrays[0].Pieces {
		back, ahead = nil, nil
		for i := range g.reads {
			r := &g.reads[i]
			if r.piece != p || p.Slots[0].Index == nil {
				continue
			}
			switch r.position(0, 0, false).kind {
			case before:
				back = r
			case after:
				ahead = r
			}
		}
		if back != nil && ahead != nil {
			return back, ahead
		}
	}
	return nil, nil
}
