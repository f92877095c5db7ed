package analyze

import "ppl/compiler/frontend/model"

// A position is the position of a read along an axis, relative to the element being defined. In
//
//	x[t in 3..T] = x[t-2] + sum(k in 1..t-1: x[k]) + x[parent[t]]
//
// the reads of x have the positions before with lag 2, past, and unknown: only data determine parent[t].
type position struct {
	kind positionKind
	lag  int
}

type positionKind uint8

const (
	unknown positionKind = iota
	before               // at t − lag
	past                 // before t at an unknown lag
	after                // at t + lag
	future               // after t at an unknown lag
	same                 // at t
)

// hasElements reports whether the piece has a slot for axis `from` and the read has a scalar subscript for axis `to`.
func (r read) hasElements(from, to int) bool {
	return r.sub != nil && from < len(r.piece.Slots) && to < len(r.sub.Subs) && r.sub.Subs[to].At != nil
}

// position returns the position of a read along axis `to` of the array that is read, relative to its piece along axis
// `from`. If back is set, it returns the position in the reversed order of elements.
func (r read) position(from, to int, back bool) position {
	if !r.hasElements(from, to) {
		return position{}
	}
	at := positionOf(r.sub.Subs[to].At, r.piece.Slots[from])
	if back {
		at = at.reversed()
	}
	return at
}

// reversed returns the position in the reversed order of elements.
func (p position) reversed() position {
	p.kind = [...]positionKind{unknown: unknown, before: after, past: future, after: before, future: past,
		same: same}[p.kind]
	return p
}

// positionOf derives the position of a subscript, relative to a slot on the left-hand side, from the form of the
// subscript. It recognises t ± c; an index whose range ends before t or begins after t; and t ± k + c for an index k if
// the lower bound of k determines the side.
func positionOf(x model.Expr, slot model.Slot) position {
	if slot.Index == nil {
		return relativeToElement(x, model.AffineOf(slot.At))
	}
	at := relativeToIndex(x, slot.Index)
	set := slot.Index.Set
	if at.kind == unknown && model.SameForm(set.Lo, set.Hi) { // T..T
		return relativeToElement(x, model.AffineOf(set.Lo))
	}
	return at
}

// relativeToIndex returns the position of a subscript relative to index t. It is unknown unless it is the same for
// every value of t.
func relativeToIndex(x model.Expr, t *model.Index) position {
	if len(model.Indices(x)) == 0 {
		return elementPosition(model.AffineOf(x), t.Set)
	}
	gap := model.Offset(x, t)
	if gap.IsConst() {
		return atDistance(gap)
	}
	for _, i := range model.Indices(x) {
		if i == t {
			continue
		}
		if v, ok := x.(*model.IndexVar); ok && v.Index == i {
			if side := sideOfRange(i, t); side != unknown {
				return position{kind: side}
			}
			continue
		}
		least := i.Set.Lo.Info().Type.Range.Lo
		// x = t − i + const
		if lag := gap.Plus(model.AffineIndex(i)); lag.IsConst() && lag.Const-least < 0 {
			return position{kind: past}
		}
		// x = t + i + const
		if lead := gap.Minus(model.AffineIndex(i)); lead.IsConst() && lead.Const+least > 0 {
			return position{kind: future}
		}
	}
	return position{}
}

// relativeToElement returns the position of a subscript relative to the element at one position. An index is before or
// after this element if its entire range is.
func relativeToElement(x model.Expr, at model.Affine) position {
	v, ok := x.(*model.IndexVar)
	if !ok {
		return atDistance(model.AffineOf(x).Minus(at))
	}
	end, start := model.AffineOf(v.Index.Set.Hi).Minus(at), model.AffineOf(v.Index.Set.Lo).Minus(at)
	switch {
	case end.IsConst() && end.Const < 0:
		return position{kind: past}
	case start.IsConst() && start.Const > 0:
		return position{kind: future}
	}
	return atDistance(model.AffineOf(x).Minus(at))
}

// elementPosition returns the position of one element relative to a set: past if it is before every element of the set,
// future if it is after every element, otherwise unknown.
func elementPosition(at model.Affine, s *model.Set) position {
	first, last := at.Minus(model.AffineOf(s.Lo)), at.Minus(model.AffineOf(s.Hi))
	switch {
	case first.IsConst() && first.Const < 0:
		return position{kind: past}
	case last.IsConst() && last.Const > 0:
		return position{kind: future}
	}
	return position{}
}

func atDistance(gap model.Affine) position {
	switch {
	case !gap.IsConst():
		return position{}
	case gap.Const < 0:
		return position{before, int(-gap.Const)}
	case gap.Const > 0:
		return position{after, int(gap.Const)}
	}
	return position{kind: same}
}

// sideOfRange returns past if the range of i ends before t, future if it begins after t, and otherwise unknown.
func sideOfRange(i, t *model.Index) positionKind {
	end, start := model.Offset(i.Set.Hi, t), model.Offset(i.Set.Lo, t)
	switch {
	case end.IsConst() && end.Const < 0:
		return past
	case start.IsConst() && start.Const > 0:
		return future
	}
	return unknown
}
