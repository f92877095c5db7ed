package flatten

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// A statement describes how a statement over plates (i, j) becomes a statement over the number p of an element: reads
// of i and j become reads of data at p. The zero value is a statement without such plates.
type statement struct {
	*model.Ragged
	outer, inner *model.Index                // i and j; inner is nil if a piece is one element of each group
	number       *model.Index                // p
	at           map[*model.Index]model.Expr // maps an index to the expression that replaces it
}

// over returns the statement that replaces outer by the group, and inner by the place in the group, of element number.
func over(r *model.Ragged, outer, inner, number *model.Index) statement {
	s := statement{r, outer, inner, number, map[*model.Index]model.Expr{}}
	p := model.IndexValue(number, number.Set.Hi.Info().At)
	s.at[outer] = read(r.Group, p)
	if inner != nil {
		s.at[inner] = read(r.Place, p)
	}
	return s
}

// statements flattens the statements that define or draw a ragged array. It merges several pieces into one, in which
// the position in the group selects the value, or the arguments of the distribution.
func (f *flattener) statements(a *model.Array, p pair) {
	if f.wholeValue(a) {
		return
	}
	f.groupValues(a, p)
	first := a.Pieces[0]
	whole := &model.Piece{At: first.At}
	number := f.newIndex("", p.Flat)
	for k, s := range first.Slots {
		switch k {
		case p.inner:
		case p.outer:
			whole.Slots = append(whole.Slots, model.Slot{Index: number})
		default:
			whole.Slots = append(whole.Slots, s)
		}
	}
	for _, s := range whole.Slots {
		if s.Index != nil {
			whole.Plates = append(whole.Plates, s.Index)
		}
	}
	begin := f.beginning(a, p, number)
	var parts []part
	for _, q := range a.Pieces {
		s, ok := f.statementOf(a, p, q, first, number)
		if !ok {
			if t := q.Term; t != nil && t.Dist != nil && t.Dist.Event > 0 {
				f.refuseTerm(t)
				return
			}
			f.refuse(q.At, "this statement of the ragged array `"+a.Name+"`", a)
			return
		}
		f.piece(q, s)
		if q.Term != nil {
			f.term(q.Term, s)
		}
		parts = append(parts, part{q, f.condition(p, q, number, s)})
	}
	if begin != nil { // later code identifies a piece by its position
		whole.At = parts[len(parts)-1].At
	}
	f.merge(a, whole, parts)
	if begin != nil && len(a.Pieces) == 1 {
		f.begin(a, begin, number)
	}
}

// wholeValue reports whether an array is defined by elementwise arithmetic of entire ragged arrays, such as e = x * b.
// It then gives the value its flat axes.
func (f *flattener) wholeValue(a *model.Array) bool {
	q := a.Pieces[0]
	if len(a.Pieces) > 1 || len(q.Slots) > 0 || q.Value == nil || !f.flat(q.Value) {
		return false
	}
	f.setAxes(q.Value)
	return true
}

// groupValues adds an index over the group to pieces that define a group, such as e[i in I] = x[i] * b.
func (f *flattener) groupValues(a *model.Array, p pair) {
	for _, q := range a.Pieces {
		if p.inner != len(q.Slots) || q.Value == nil || len(q.Value.Info().Type.Axes) != 1 {
			continue
		}
		j := f.newIndex("", q.Value.Info().Type.Axes[0])
		if value, ok := f.at(model.Copy(q.Value), []model.Expr{model.IndexValue(j, q.At)}); ok {
			q.Value, q.Slots, q.Plates = value, append(q.Slots, model.Slot{Index: j}), append(q.Plates, j)
		}
	}
}

// beginning returns a piece for the first element of the flat axis of a discrete unknown in several pieces, made from
// its first piece: a chain needs a statement that reads no other element. It returns nil for other arrays.
func (f *flattener) beginning(a *model.Array, p pair, number *model.Index) *model.Piece {
	q := a.Pieces[0]
	if a.Role != model.Latent || len(a.Pieces) == 1 || q.Term == nil || !plain(q.Term) || len(q.Slots) != 2 ||
		q.Slots[p.inner].Index != nil || q.Slots[p.outer].Index == nil {
		return nil
	}
	t := *q.Term
	t.Args = make([]model.Expr, len(t.Args))
	for k, x := range q.Term.Args {
		t.Args[k] = model.Copy(x)
	}
	one := num(1, q.At)
	f.term(&t, statement{Ragged: p.Ragged, outer: q.Slots[p.outer].Index, number: number,
		at: map[*model.Index]model.Expr{q.Slots[p.outer].Index: read(p.Group, one)}})
	return &model.Piece{At: q.At, Slots: []model.Slot{{At: one}}, Term: &t}
}

// begin adds the piece for the first element before the others, which begin with element 2.
func (f *flattener) begin(a *model.Array, first *model.Piece, number *model.Index) {
	flat := number.Set
	number.Set = model.NewSet("2.."+flat.Name, num(2, first.At), flat.Hi)
	t := first.Term
	t.Piece, t.Plates, t.Value = first, nil, valueAt(a, first)
	f.done[t.Value] = t.Value
	a.Pieces = append([]*model.Piece{first}, a.Pieces...)
	f.m.Terms = append(f.m.Terms, t)
}

// statementOf returns the statement of a piece of a ragged array. It returns false unless the piece runs over all
// groups and, along other axes, over the same sets as the first piece.
func (f *flattener) statementOf(a *model.Array, p pair, q, first *model.Piece, number *model.Index) (statement, bool) {
	if len(q.Slots) <= max(p.outer, p.inner) || len(q.Slots) != len(first.Slots) || q.Slots[p.outer].Index == nil ||
		!q.Slots[p.outer].Index.Set.Same(p.Outer.Set) {
		return statement{}, false
	}
	s := over(p.Ragged, q.Slots[p.outer].Index, q.Slots[p.inner].Index, number)
	for k, slot := range q.Slots {
		if k == p.outer || k == p.inner {
			continue
		}
		if slot.Index == nil || first.Slots[k].Index == nil || len(slot.Index.Set.Ragged) > 0 ||
			len(a.Pieces) > 1 && !slot.Index.Set.Same(first.Slots[k].Index.Set) {
			return statement{}, false
		}
		if slot.Index != first.Slots[k].Index {
			s.at[slot.Index] = model.IndexValue(first.Slots[k].Index, q.At)
		}
	}
	return s, true
}

// A part is a piece with the condition on p under which an element belongs to it.
type part struct {
	*model.Piece
	where model.Expr
}

// condition returns the condition for an element to be in a piece, by its position in the group.
func (f *flattener) condition(p pair, q *model.Piece, number *model.Index, s statement) model.Expr {
	place := read(p.Place, model.IndexValue(number, q.At))
	slot := q.Slots[p.inner]
	if slot.Index == nil {
		return both(atMost(slot.At, place), atMost(place, slot.At))
	}
	set := slot.Index.Set
	return both(atMost(f.rewrite(set.Lo, s), place), atMost(place, f.rewrite(set.Hi, s)))
}

// merge merges the pieces of an array into one. It reports an error if they have different distributions.
func (f *flattener) merge(a *model.Array, whole *model.Piece, parts []part) {
	last := parts[len(parts)-1]
	whole.Value, whole.Term = last.Value, last.Term
	for _, q := range slices.Backward(parts[:len(parts)-1]) {
		switch t, u := q.Term, whole.Term; {
		case q.Value != nil && whole.Value != nil:
			whole.Value = choose(q.where, q.Value, whole.Value)
		case t != nil && u != nil && t.Dist == u.Dist && t.Form == u.Form && plain(t) && plain(u) &&
			t.NonCentered == u.NonCentered:
			for k := range t.Args {
				u.Args[k] = choose(q.where, t.Args[k], u.Args[k])
			}
			f.m.Terms = slices.DeleteFunc(f.m.Terms, func(v *model.Term) bool { return v == t })
		default:
			f.refused(q.At, "statements of a ragged array with different distributions or with modifiers",
				"draw the first elements as another array, `first[i in I] ~ …`, and all elements in one statement: "+
					"`"+a.Name+"[i in I, t in 1..m[i]] ~ …(t == 1 ? first[i] : …)`")
			return
		}
	}
	if t := whole.Term; t != nil {
		if t.Ordered || t.ZeroSum {
			f.refuseShape(t, a.Name)
		}
		t.Piece, t.Plates, t.Value = whole, whole.Plates, valueAt(a, whole)
		f.done[t.Value] = t.Value
	}
	a.Pieces = []*model.Piece{whole}
}

// refuseShape reports an error for `ordered` or `zerosum` on a ragged array.
func (f *flattener) refuseShape(t *model.Term, name string) {
	what, help := "ordered", "add up positive steps: `d[i in I, j in 1..m[i]] ~ HalfNormal(1)`, then "+
		"`"+name+"[i in I, j in 1..m[i]] = first[i] + sum(k in 2..j: d[i, k])`"
	if t.ZeroSum {
		what, help = "zerosum", "subtract the mean of the group: `"+name+"[i, j] - mean("+name+"[i])`"
	}
	f.refused(t.At, "`"+what+"` of groups of different lengths", help)
}

// plain reports whether a term has a distribution of the library without truncation, censoring or offset.
func plain(t *model.Term) bool {
	return t.Dist != nil && t.In == nil && t.Censored == nil && t.Offset == nil
}

// choose returns where ? x : y.
func choose(where, x, y model.Expr) model.Expr {
	out := &model.Cond{If: where, Then: x, Else: y, Fact: *y.Info()}
	out.Static = x.Info().Static && y.Info().Static
	out.Type.Elem = min(x.Info().Type.Elem, y.Info().Type.Elem)
	out.Type.Range = stdlib.Union(x.Info().Type.Range, y.Info().Type.Range)
	return out
}

// valueAt returns an array subscripted by the slots of a piece.
func valueAt(a *model.Array, p *model.Piece) model.Expr {
	ref := &model.Ref{Array: a, Fact: model.Fact{At: p.At, Type: a.Type}}
	sub := &model.Subscript{X: ref, Fact: ref.Fact}
	for _, s := range p.Slots {
		at := s.At
		if s.Index != nil {
			at = model.IndexValue(s.Index, p.At)
		}
		sub.Subs = append(sub.Subs, model.Sub{At: at})
	}
	sub.Type.Axes = a.Type.Axes[len(p.Slots):]
	return sub
}

// observation flattens a statement about ragged data. The statement may observe only some elements of each group.
func (f *flattener) observation(t *model.Term, p pair) {
	k := slices.IndexFunc(t.Plates, func(i *model.Index) bool { return len(i.Set.Ragged) > 0 })
	if k < 0 {
		f.term(t, statement{})
		return
	}
	inner := t.Plates[k]
	outer := inner.Set.Ragged[0]
	o := slices.Index(t.Plates, outer)
	others := slices.ContainsFunc(inner.Set.Ragged, func(i *model.Index) bool { return i != outer })
	if o < 0 || others || slices.ContainsFunc(t.Plates[k+1:], func(i *model.Index) bool {
		return len(i.Set.Ragged) > 0
	}) {
		f.refuse(t.At, "this observation of the ragged array `"+t.Array.Name+"`", t.Array)
		return
	}
	r := f.numbering(outer, inner.Set, t.At)
	number := f.newIndex("", r.Flat)
	f.term(t, over(r, outer, inner, number))
	t.Plates = slices.Clone(t.Plates)
	t.Plates[o] = number
	t.Plates = slices.Delete(t.Plates, k, k+1)
}
