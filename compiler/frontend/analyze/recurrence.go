package analyze

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Recurrences finds the groups of arrays whose values read each other, and proves that along some axis they read only
// earlier elements, so that a group can be computed step by step. It reports an error for groups without such a proof.
// Arrays drawn after inference may also read earlier elements along several axes, such as x[i-1, j] and x[i, j-1], or
// elements that data choose; Recurrences adds them to Model.Fields. In
//
//	x[1] = 0
//	x[t in 2..T] = x[t-1] + v[t-1]
//	v[t in T] = 0.9 * x[t]
//
// the group is x, v along T. In each step x is computed before v, and both are read with lag 1. Recurrences fills
// Piece.Recurrence. It skips refused arrays, for which Cycles has reported an error.
func Recurrences(m *model.Model, diags *diag.List, refused []*model.Array) {
	m.Fields = nil
	findSeries(m, refused)
	for _, g := range groups(m, refused, computedFrom) {
		if !g.readsElements(diags) {
			continue
		}
		r, drawable := g.recurrence(), g.drawable()
		switch {
		case r != nil && (len(r.DataOrdered) == 0 || !drawable):
			g.enter(r, func(p *model.Piece) **model.Recurrence { return &p.Recurrence })
		case drawable && g.acyclic():
			m.Fields = append(m.Fields, g.arrays)
		case drawable && r != nil:
			m.Fields, m.Orders = append(m.Fields, g.arrays), append(m.Orders, g.arrays)
		default:
			noDirection(diags, g)
		}
	}
}

// computedFrom returns the expressions from which the values of a piece are computed: the value of a definition; the
// expressions of the distribution of a noncentered parameter or of a draw after inference; or the bounds of another
// parameter. It returns nil for all other pieces.
func computedFrom(p *model.Piece) []model.Expr {
	switch {
	case p.Value != nil:
		return []model.Expr{p.Value}
	case p.Term != nil && (p.Term.NonCentered || p.Term.Kind == model.Generate):
		return p.Term.Exprs()
	case p.Term != nil && p.Term.Kind == model.Prior && !p.Term.Ordered && !p.Term.ZeroSum:
		return p.Term.Ends()
	}
	return nil
}

// findSeries fills Piece.Series: the recurrences that would exist if parameters that read their past were noncentered.
func findSeries(m *model.Model, refused []*model.Array) {
	inSeries := func(p *model.Piece) bool { return p.Term != nil && p.Term.Relative() && !p.Term.NonCentered }
	parts := func(p *model.Piece) []model.Expr {
		if inSeries(p) {
			return p.Term.Exprs()
		}
		return computedFrom(p)
	}
	for _, g := range groups(m, refused, parts) {
		for _, r := range g.reads {
			r.piece.Series = nil
		}
		of := func(r read) bool { return inSeries(r.piece) }
		if !slices.ContainsFunc(g.reads, of) || !g.readsElements(&diag.List{}) {
			continue
		}
		if r := g.recurrence(); r != nil && len(r.DataOrdered) == 0 {
			g.enter(r, func(p *model.Piece) **model.Recurrence { return &p.Series })
		}
	}
}

// readsElements reports an error and returns false if a read of the group is of an entire array or in the definition of
// an entire array. Such reads have no order.
func (g group) readsElements(diags *diag.List) bool {
	ok := true
	for _, r := range g.reads {
		if r.sub == nil || len(r.piece.Slots) == 0 {
			ok = false
			noOrder(diags, r)
		}
	}
	return ok
}

// recurrence returns the group for the first axis and direction along which it reads only earlier elements, or nil.
func (g group) recurrence() *model.Group {
	for k := range g.arrays[0].Type.Axes {
		for _, back := range []bool{false, true} {
			if r := g.along(g.axesLike(k), back); r != nil {
				return r
			}
		}
	}
	return nil
}

// drawable reports whether package simulate can draw the elements of a group one after another: all distributions are
// draws after inference without `ordered` and `zerosum`, and the definitions among the arrays do not form a cycle.
func (g group) drawable() bool {
	defined := map[*model.Array][]*model.Array{}
	for _, r := range g.reads {
		t := r.piece.Term
		switch {
		case t != nil && (t.Kind != model.Generate || t.Ordered || t.ZeroSum):
			return false
		case r.piece.Value != nil && r.to.Pieces[0].Value != nil:
			defined[r.from] = append(defined[r.from], r.to)
		}
	}
	_, ok := inOrder(g.arrays, defined)
	return ok
}

// along returns the group for the given axis of each array and one direction. It returns nil unless all reads are of
// earlier elements, or of elements of the same step that can be computed first, or data may prove this.
func (g group) along(axes []int, back bool) *model.Group {
	out := &model.Group{Back: back}
	for i, a := range g.arrays {
		out.Members = append(out.Members, model.Member{Array: a, Axis: axes[i]})
	}
	now := map[*model.Array][]*model.Array{} // arrays read at the same step
	for _, r := range g.reads {
		from, to := memberOf(out, r.from), memberOf(out, r.to)
		if !r.hasElements(from.Axis, to.Axis) {
			return nil
		}
		switch at := r.position(from.Axis, to.Axis, back); at.kind {
		case before:
			to.Lag = max(to.Lag, at.lag)
		case past:
			to.Whole = true
		case same:
			now[r.from] = append(now[r.from], r.to)
		case unknown:
			if !dataOrdered(r.sub.Subs[to.Axis].At, r.piece.Slots[from.Axis]) {
				return nil
			}
			to.Whole = true
			out.DataOrdered = append(out.DataOrdered, r.sub)
		default:
			return nil
		}
	}
	order, ok := inOrder(g.arrays, now)
	if !ok {
		return nil
	}
	slices.SortFunc(out.Members, func(a, b model.Member) int {
		return slices.Index(order, a.Array) - slices.Index(order, b.Array)
	})
	return out
}

func memberOf(g *model.Group, a *model.Array) *model.Member {
	return &g.Members[slices.IndexFunc(g.Members, func(m model.Member) bool { return m.Array == a })]
}

// dataOrdered reports whether data may prove that the element at a subscript precedes the one being defined, such as
// x[parent[n]] before x[n]. This is checked when data are loaded.
func dataOrdered(x model.Expr, slot model.Slot) bool {
	return slot.Index != nil && x.Info().Static && len(model.Arrays(x)) > 0
}

// enter stores the recurrence in a field of each piece that reads the group.
func (g group) enter(r *model.Group, place func(*model.Piece) **model.Recurrence) {
	for _, read := range g.reads {
		*place(read.piece) = &model.Recurrence{Axis: memberOf(r, read.from).Axis, Group: r}
	}
}

// ---- diagnostics ----

// noDirection reports an error for a group for which no axis and direction is proved, with the reason.
func noDirection(diags *diag.List, g group) {
	var back, ahead, unordered *read
	axes := g.axesLike(0)
	for i := range g.reads {
		r := &g.reads[i]
		switch g.position(*r, axes, false).kind {
		case before, past:
			back = r
		case after, future:
			ahead = r
		case unknown:
			unordered = r
		}
	}
	switch field := g.field(); {
	case field != nil:
		noDiagonals(diags, *field)
	case unordered != nil:
		noOrder(diags, *unordered)
	case back != nil && ahead != nil:
		bothWays(diags, back, ahead)
	case len(g.arrays) == 1:
		noOrder(diags, g.reads[0])
	default:
		sameIndex(diags, g)
	}
}

// field returns one of the reads if the group is one array that reads earlier elements along several axes, otherwise
// nil.
func (g group) field() (back *read) {
	backAlong := map[int]bool{}
	for i := range g.reads {
		r := &g.reads[i]
		for k := range g.arrays[0].Type.Axes {
			if len(g.arrays) == 1 && r.position(k, k, false).kind == before {
				backAlong[k], back = true, r
			}
		}
	}
	if len(backAlong) < 2 {
		return nil
	}
	return back
}

// noDiagonals reports an error for computed values that read earlier elements along several axes. Only values drawn
// after inference may do so.
func noDiagonals(diags *diag.List, r read) {
	name := r.to.Name
	help := "number the elements by diagonals and compute each from the previous one: `d[t in 2..I+J-1, i in I] = " +
		"t - i >= 0 && t - i < J ? … d[t-1, i-1] … d[t-1, i] … : 0`, and `" + name + "[i in I, j in J] = d[i+j-1, i]`"
	if t := r.piece.Term; t != nil && t.NonCentered {
		help = "leave `noncentered` out; or define the deviations, `z[I, J] ~ Normal(0, 1)`, and " + help
	}
	diags.Errorf(diag.NotPast, r.at.Info().At, "`%s` depends on its earlier elements along several axes, but ppl "+
		"computes a recurrence along one axis only", name).Related(r.piece.At, "being defined").Help("%s", help)
}

// noOrder reports an error for a read that is not proved to precede the element being defined.
func noOrder(diags *diag.List, r read) {
	at := r.at.Info().At
	switch {
	case len(r.piece.Slots) == 0:
		diags.Errorf(diag.NotPast, at, "`%s` and `%s` depend on each other; without an index neither can be "+
			"computed first", r.from.Name, r.to.Name).Related(r.to.At, "`%s`", r.to.Name).
			Help("give `%s` an index: `%s[t in …] = …`", r.from.Name, r.from.Name)
	case r.sub == nil:
		diags.Errorf(diag.NotPast, at, "cannot prove that all of `%[1]s` precedes the element being defined; use "+
			"`%[1]s[t-1]`, or a range that ends at `t-1`", r.to.Name)
	default:
		diags.Errorf(diag.NotPast, at, "cannot prove that `%s` precedes `%s`; use the subscript `t - c` with a "+
			"number c above 0, or a range that ends at `t-1`", at.Text(), r.piece.At.Text()).
			Related(r.piece.At, "being defined")
	}
}

func bothWays(diags *diag.List, back, ahead *read) {
	d := diags.Errorf(diag.BothWays, ahead.at.Info().At,
		"`%s` reads `%s` here and `%s` elsewhere; a recurrence has one direction",
		ahead.piece.At.Text(), ahead.at.Info().At.Text(),
		back.at.Info().At.Text()).Related(back.at.Info().At, "the other read")
	if name := back.to.Name; back.from == back.to && back.piece.Term != nil {
		d.Help("draw each element only from earlier ones, which also correlates it with later ones: "+
			"`%s[t in 2..T] ~ Normal(%s[t-1], s)`; write any other joint log density with `Density`", name, name)
	}
}

// sameIndex reports an error for arrays that define each other at the same index.
func sameIndex(diags *diag.List, g group) {
	path := ""
	for _, a := range slices.Backward(g.arrays) {
		path += a.Name + " → "
	}
	d := diags.Errorf(diag.Circular, g.reads[0].at.Info().At, "these define each other at the same index: %s%s", path,
		g.arrays[len(g.arrays)-1].Name)
	for _, a := range slices.Backward(g.arrays) {
		d = d.Related(a.At, "`%s`", a.Name)
	}
}
