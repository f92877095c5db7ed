package analyze

import (
	"slices"

	"ppl/compiler/model"
	"ppl/lang/diag"
)

// Orders looks at parameters whose laws read parameters of the same arrays, themselves or through definitions: x[n] ~
// Normal(x[parent[n]], s). The product of the laws is a density that has an integral of 1 where no element is drawn
// from itself, however long the way. Where the form of the subscripts does not show that, data will have to: such
// arrays go to Model.Orders. Refused arrays, which Cycles has reported, are left out.
func Orders(m *model.Model, diags *diag.List, refused []*model.Array) {
	for _, arrays := range groups(m, refused, madeFrom) {
		reads := readsWithin(arrays, madeFrom)
		if !slices.ContainsFunc(reads, func(r pastRead) bool { return own(r.piece) == nil }) || acyclic(arrays, reads) {
			continue
		}
		if back, forth := drawnBothWays(arrays, reads); forth != nil {
			bothWays(diags, back, forth)
			continue
		}
		m.Orders = append(m.Orders, arrays)
	}
}

// madeFrom are the expressions that make the elements of a piece: its value, or what its law reads. What Density adds
// is exactly what is written.
func madeFrom(p *model.Piece) []model.Expr {
	switch {
	case p.Value != nil:
		return []model.Expr{p.Value}
	case p.Term != nil && p.Term.Density == nil:
		return p.Term.Exprs()
	}
	return nil
}

// acyclic proves from the form of the subscripts that no element is made from itself: along some axis all reads lie
// before what is made, or at the same place, and those at the same place lie before it along another, or are reads of
// arrays that are made before.
func acyclic(arrays []*model.Array, reads []pastRead) bool {
	now := map[*model.Array][]*model.Array{}
	for _, r := range reads {
		now[r.from] = append(now[r.from], r.to)
	}
	if _, ok := inOrder(arrays, now); ok {
		return true
	}
	for k := range arrays[0].Type.Axes {
		for _, back := range []bool{false, true} {
			if left, ok := atSamePlace(arrays, axesLike(arrays, k), reads, back); ok && len(left) < len(reads) &&
				acyclic(arrays, left) {
				return true
			}
		}
	}
	return false
}

// atSamePlace are the reads at the place, along some axes, of what is made; not ok where others do not lie before it.
func atSamePlace(arrays []*model.Array, axes []int, reads []pastRead, back bool) (left []pastRead, ok bool) {
	for _, r := range reads {
		switch r.place(axes[slices.Index(arrays, r.from)], axes[slices.Index(arrays, r.to)], back).kind {
		case before, past:
		case same:
			left = append(left, r)
		default:
			return nil, false
		}
	}
	return left, true
}

// drawnBothWays are reads before and after what one piece of a series draws: its elements would be drawn from each
// other.
func drawnBothWays(arrays []*model.Array, reads []pastRead) (back, forth *pastRead) {
	if len(arrays) > 1 || len(arrays[0].Type.Axes) != 1 {
		return nil, nil
	}
	for _, p := range arrays[0].Pieces {
		back, forth = nil, nil
		for i := range reads {
			if reads[i].piece != p || p.Slots[0].Index == nil {
				continue
			}
			switch reads[i].place(0, 0, false).kind {
			case before:
				back = &reads[i]
			case after:
				forth = &reads[i]
			}
		}
		if back != nil && forth != nil {
			return back, forth
		}
	}
	return nil, nil
}
