package analyze

import (
	"slices"

	"ppl/compiler/model"
	"ppl/lang/diag"
)

// A pastRead is a read of an array of a group in a piece of one; sub is nil where the array is read as a whole.
type pastRead struct {
	from  *model.Array
	piece *model.Piece
	to    *model.Array
	sub   *model.Subscript
	at    model.Expr
}

// Recurrences finds the groups of arrays that read themselves or each other, and the axes along which they read the
// past. It fills Piece.Recurrence. Refused arrays, which Cycles has reported, are left out.
func Recurrences(m *model.Model, diags *diag.List, refused []*model.Array) {
	for _, g := range groups(m, refused, own) {
		group(diags, g)
	}
}

// groups are the arrays that read themselves or each other in what made lists of their pieces, without those that were
// refused.
func groups(m *model.Model, refused []*model.Array, made func(*model.Piece) []model.Expr) [][]*model.Array {
	f := groupFinder{made: made, index: map[*model.Array]int{}, low: map[*model.Array]int{}}
	for _, a := range m.Arrays {
		f.visit(a)
	}
	for _, t := range m.Terms {
		f.visit(t.Array)
		for _, a := range model.Arrays(t.Exprs()...) {
			f.visit(a)
		}
	}
	return slices.DeleteFunc(f.groups, func(g []*model.Array) bool {
		return slices.ContainsFunc(g, func(a *model.Array) bool { return slices.Contains(refused, a) })
	})
}

// own are the expressions that make the values of a piece: of a definition, of a parameter that is worked out from
// coordinates of its own, or of what is drawn after inference.
func own(p *model.Piece) []model.Expr {
	switch {
	case p.Value != nil:
		return []model.Expr{p.Value}
	case p.Term != nil && (p.Term.NonCentered || p.Term.Kind == model.Generate):
		return p.Term.Exprs()
	}
	return nil
}

// A groupFinder finds strongly connected arrays (Tarjan 1972, SIAM Journal on Computing 1, 146).
type groupFinder struct {
	made       func(*model.Piece) []model.Expr
	index, low map[*model.Array]int
	stack      []*model.Array
	groups     [][]*model.Array
}

func (f *groupFinder) visit(a *model.Array) {
	if f.index[a] != 0 {
		return
	}
	f.index[a] = len(f.index) + 1
	f.low[a] = f.index[a]
	f.stack = append(f.stack, a)
	self := false
	for _, p := range a.Pieces {
		for _, b := range model.Arrays(f.made(p)...) {
			self = self || a == b
			f.visit(b)
			if slices.Contains(f.stack, b) {
				f.low[a] = min(f.low[a], f.low[b])
			}
		}
	}
	if f.low[a] != f.index[a] {
		return
	}
	at := slices.Index(f.stack, a)
	if group := slices.Clone(f.stack[at:]); self || len(group) > 1 {
		f.groups = append(f.groups, group)
	}
	f.stack = f.stack[:at]
}

// group proves that the arrays read their past only, and notes how.
func group(diags *diag.List, arrays []*model.Array) {
	reads := readsWithin(arrays, own)
	if !allSeen(diags, reads) {
		return
	}
	for k := range arrays[0].Type.Axes {
		for _, back := range []bool{false, true} {
			if g := alongAxes(arrays, axesLike(arrays, k), reads, back); g != nil {
				enterGroup(g, reads)
				return
			}
		}
	}
	noDirection(diags, arrays, reads)
}

func enterGroup(g *model.Group, reads []pastRead) {
	for _, r := range reads {
		r.piece.Recurrence = &model.Recurrence{Axis: memberOf(g, r.from).Axis, Group: g}
	}
}

func memberOf(g *model.Group, a *model.Array) *model.Member {
	return &g.Members[slices.IndexFunc(g.Members, func(m model.Member) bool { return m.Array == a })]
}

// readsWithin lists the reads of a group's arrays in what makes their pieces.
func readsWithin(arrays []*model.Array, made func(*model.Piece) []model.Expr) (reads []pastRead) {
	for _, a := range arrays {
		for _, p := range a.Pieces {
			for _, x := range made(p) {
				readsIn(x, arrays, func(ref *model.Ref, sub *model.Subscript) {
					r := pastRead{a, p, ref.Array, sub, ref}
					if sub != nil {
						r.at = sub
					}
					reads = append(reads, r)
				})
			}
		}
	}
	return reads
}

// allSeen refuses reads that are no elements, or are made by what is none.
func allSeen(diags *diag.List, reads []pastRead) bool {
	ok := true
	for _, r := range reads {
		if r.sub == nil || len(r.piece.Slots) == 0 {
			ok = false
			unseen(diags, r)
		}
	}
	return ok
}

// unseen refuses a read of which the order is not seen.
func unseen(diags *diag.List, r pastRead) {
	at := r.at.Info().At
	switch {
	case len(r.piece.Slots) == 0:
		diags.Errorf("E18", at, "`%s` reads `%s`, which reads it: cannot see that the one comes before the other; "+
			"give `%s` an index: `%s[t in …] = …`", r.from.Name, r.to.Name,
			r.from.Name, r.from.Name).Related(r.to.At, "`%s`", r.to.Name)
	case r.sub == nil:
		diags.Errorf("E18", at, "cannot see that `%s` comes before what is being defined; read it at `t - 1` or over "+
			"a range that ends at t-1", r.to.Name)
	default:
		diags.Errorf("E18", at, "cannot see that `%s` comes before `%s`; use t - c, or a range that ends at t-1",
			at.Text(), r.piece.At.Text()).
			Related(r.piece.At, "being defined")
	}
}

// readsIn visits the reads of some arrays: under a subscript, or as a whole.
func readsIn(x model.Expr, arrays []*model.Array, visit func(ref *model.Ref, sub *model.Subscript)) {
	sub, ok := x.(*model.Subscript)
	if ok {
		if ref, isRef := sub.X.(*model.Ref); isRef && slices.Contains(arrays, ref.Array) {
			visit(ref, sub)
			for _, y := range sub.Children()[1:] {
				readsIn(y, arrays, visit)
			}
			return
		}
	}
	if ref, isRef := x.(*model.Ref); isRef && slices.Contains(arrays, ref.Array) {
		visit(ref, nil)
	}
	for _, y := range x.Children() {
		readsIn(y, arrays, visit)
	}
}

// axesLike chooses an axis of each array for axis k of the first: that of the same set, else the only one, else the
// k-th.
func axesLike(arrays []*model.Array, k int) []int {
	axes := make([]int, len(arrays))
	for i, a := range arrays {
		axes[i] = model.AxisOf(arrays[0].Type.Axes[k], a.Type.Axes)
		switch {
		case i == 0:
			axes[i] = k
		case axes[i] >= 0:
		case len(a.Type.Axes) == 1:
			axes[i] = 0
		default:
			axes[i] = min(k, len(a.Type.Axes)-1)
		}
	}
	return axes
}

// alongAxes is the group along some axes and in one direction, if every circle of reads is strictly before.
func alongAxes(arrays []*model.Array, axes []int, reads []pastRead, back bool) *model.Group {
	members := make([]model.Member, len(arrays))
	for i, a := range arrays {
		members[i] = model.Member{Array: a, Axis: axes[i]}
	}
	var told []*model.Subscript
	now := map[*model.Array][]*model.Array{} // reads at the same place
	for _, r := range reads {
		from, to := slices.Index(arrays, r.from), slices.Index(arrays, r.to)
		if !r.reaches(axes[from], axes[to]) {
			return nil
		}
		at := r.place(axes[from], axes[to], back)
		switch at.kind {
		case before:
			members[to].Lag = max(members[to].Lag, at.lag)
		case past:
			members[to].Whole = true
		case same:
			now[r.from] = append(now[r.from], r.to)
		case unknown:
			if !toldByData(r.sub.Subs[axes[to]].At, r.piece.Slots[axes[from]]) {
				return nil
			}
			members[to].Whole = true
			told = append(told, r.sub)
		default:
			return nil
		}
	}
	order, ok := inOrder(arrays, now)
	if !ok {
		return nil
	}
	slices.SortFunc(members, func(a, b model.Member) int {
		return slices.Index(order, a.Array) - slices.Index(order, b.Array)
	})
	return &model.Group{Members: members, Back: back, DataOrdered: told}
}

// toldByData: x[parent[n]] lies before x[n] if the data say so, which is looked at when they are there.
func toldByData(x model.Expr, slot model.Slot) bool {
	return slot.Index != nil && x.Info().Static && len(model.Arrays(x)) > 0
}

// inOrder sorts arrays so that each comes after those it reads; not ok where they go round in a circle.
func inOrder(arrays []*model.Array, reads map[*model.Array][]*model.Array) (order []*model.Array, ok bool) {
	ok = true
	var open []*model.Array
	var visit func(a *model.Array)
	visit = func(a *model.Array) {
		ok = ok && !slices.Contains(open, a)
		if !ok || slices.Contains(order, a) {
			return
		}
		open = append(open, a)
		for _, b := range reads[a] {
			visit(b)
		}
		open = open[:len(open)-1]
		order = append(order, a)
	}
	for _, a := range arrays {
		visit(a)
	}
	return order, ok
}

// A place says where a read lies along an axis, seen from the index that is being defined.
type place struct {
	kind placeKind
	lag  int
}

type placeKind uint8

const (
	unknown placeKind = iota
	before            // at t − lag
	past              // somewhere before t
	after             // at t + lag
	future            // somewhere after t
	same
)

// reaches reports whether a read and the piece that it stands in have an element each, or an index, along two axes.
func (r pastRead) reaches(from, to int) bool {
	return r.sub != nil && from < len(r.piece.Slots) && to < len(r.sub.Subs) && r.sub.Subs[to].At != nil
}

// place says where a read lies along an axis of what is read, seen from the piece along one of its own.
func (r pastRead) place(from, to int, back bool) place {
	if !r.reaches(from, to) {
		return place{}
	}
	at := placeOf(r.sub.Subs[to].At, r.piece.Slots[from])
	if back {
		at = at.mirrored()
	}
	return at
}

// mirrored is the place as it is seen when time runs back.
func (p place) mirrored() place {
	p.kind = [...]placeKind{unknown: unknown, before: after, past: future, after: before, future: past,
		same: same}[p.kind]
	return p
}

// placeOf proves from its form where a subscript lies, seen from a slot on the left: t ± c; a variable bound by a range
// that ends before t or begins after it; t ± k for a variable k that starts at 1 or more.
func placeOf(x model.Expr, slot model.Slot) place {
	if slot.Index == nil {
		return fixedPlace(model.AffineOf(x).Minus(model.AffineOf(slot.At)))
	}
	t := slot.Index
	if len(model.Indices(x)) == 0 {
		return fixedElement(model.AffineOf(x), t.Set)
	}
	gap := model.Offset(x, t)
	if gap.IsConst() {
		return fixedPlace(gap)
	}
	for _, i := range model.Indices(x) {
		if i == t {
			continue
		}
		if v, ok := x.(*model.IndexVar); ok && v.Index == i {
			if beyond := inRange(i, t); beyond != unknown {
				return place{kind: beyond}
			}
			continue
		}
		// x = t − i + const
		if lag := gap.Plus(model.AffineIndex(i)); lag.IsConst() && lag.Const-i.Set.Lo.Info().Type.Range.Lo < 0 {
			return place{kind: past}
		}
		// x = t + i + const
		if lead := gap.Minus(model.AffineIndex(i)); lead.IsConst() && lead.Const+i.Set.Lo.Info().Type.Range.Lo > 0 {
			return place{kind: future}
		}
	}
	return place{}
}

// fixedElement is the place of one element, seen from all of a set.
func fixedElement(at model.Affine, s *model.Set) place {
	first, last := at.Minus(model.AffineOf(s.Lo)), at.Minus(model.AffineOf(s.Hi))
	switch {
	case first.IsConst() && first.Const < 0:
		return place{kind: past}
	case last.IsConst() && last.Const > 0:
		return place{kind: future}
	}
	return place{}
}

func fixedPlace(gap model.Affine) place {
	switch {
	case !gap.IsConst():
		return place{}
	case gap.Const < 0:
		return place{before, int(-gap.Const)}
	case gap.Const > 0:
		return place{after, int(gap.Const)}
	}
	return place{kind: same}
}

// inRange says on which side of t the range of i lies.
func inRange(i, t *model.Index) placeKind {
	end := model.Offset(i.Set.Hi, t)
	start := model.Offset(i.Set.Lo, t)
	switch {
	case end.IsConst() && end.Const < 0:
		return past
	case start.IsConst() && start.Const > 0:
		return future
	}
	return unknown
}

// noDirection says why there is no axis along which a group reads its past.
func noDirection(diags *diag.List, arrays []*model.Array, reads []pastRead) {
	var back, forth, dark *pastRead
	for i := range reads {
		r := &reads[i]
		axes := axesLike(arrays, 0)
		switch r.place(axes[slices.Index(arrays, r.from)], axes[slices.Index(arrays, r.to)], false).kind {
		case before, past:
			back = r
		case after, future:
			forth = r
		case unknown:
			dark = r
		}
	}
	switch {
	case dark != nil:
		unseen(diags, *dark)
	case back != nil && forth != nil:
		bothWays(diags, back, forth)
	case len(arrays) == 1:
		unseen(diags, reads[0])
	default:
		sameIndex(diags, arrays, reads)
	}
}

func bothWays(diags *diag.List, back, forth *pastRead) {
	diags.Errorf("E17", forth.at.Info().At, "`%s` reads `%s` here and `%s` elsewhere; a recurrence has one direction",
		forth.piece.At.Text(), forth.at.Info().At.Text(),
		back.at.Info().At.Text()).Related(back.at.Info().At, "the other read")
}

// sameIndex refuses arrays that define each other at one index.
func sameIndex(diags *diag.List, arrays []*model.Array, reads []pastRead) {
	path := ""
	for _, a := range slices.Backward(arrays) {
		path += a.Name + " → "
	}
	d := diags.Errorf("E16", reads[0].at.Info().At, "these define each other at the same index: %s%s", path,
		arrays[len(arrays)-1].Name)
	for _, a := range slices.Backward(arrays) {
		d = d.Related(a.At, "`%s`", a.Name)
	}
}

// direction finds the axis along which a discrete unknown's law reads what lies before; no member when it reads nothing
// of it.
func direction(diags *diag.List, t *model.Term) (*model.Member, bool) {
	arrays := []*model.Array{t.Array}
	var reads []pastRead
	for _, x := range t.Args {
		readsIn(x, arrays, func(ref *model.Ref, sub *model.Subscript) {
			r := pastRead{t.Array, t.Piece, t.Array, sub, ref}
			if sub != nil {
				r.at = sub
			}
			reads = append(reads, r)
		})
	}
	if len(reads) == 0 {
		return nil, true
	}
	if i := slices.IndexFunc(reads, func(r pastRead) bool { return r.sub == nil }); i >= 0 {
		unseen(diags, reads[i])
		return nil, false
	}
	for k := range t.Array.Type.Axes {
		if g := alongAxes(arrays, []int{k}, reads, false); g != nil {
			return &g.Members[0], true
		}
	}
	noDirection(diags, arrays, reads)
	return nil, false
}
