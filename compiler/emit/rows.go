package emit

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/lang/diag"
)

// Minibatches: the terms of log ℓ for some rows. Inside a row every index that stands for one of its coordinates is a
// number that differs from row to row of the batch, so that what is read at it is gathered; what does not depend on
// parameters, and parameters themselves, are evaluated whole by an emitter beside, once, and gathered too. An axis that
// is read at the row alone is no axis of a value any more: the bound axis of the batch stands for it.

// A rowReader evaluates for the rows of a batch.
type rowReader struct {
	set    *model.RowSet
	whole  *emitter     // of what belongs to no row
	index  *model.Index // of the batch, bound in whatever depends on the row
	at     []value      // coordinates, by number, on the user's scale
	views  map[*model.Array]*model.Array
	of     map[*model.Array]*model.Array // the array that a view shows
	groups map[*model.Group]*model.Group
	masks  map[*model.Piece]value // where a view's piece counts, if pieces part the rows
	rows   Node                   // of the batch
	loaded map[loading]Node       // rows of streams
	want   *[]loading             // lists what is loaded when not nil
}

// forRows is an emitter for the rows with the given numbers: places in the product of the row set's axes, row-major
// from 0.
func (e *emitter) forRows(set *model.RowSet, rows Node) *emitter {
	m := float64(rows.Size())
	if set.Inside != nil && e.data.HasStreams() {
		set = set.Inside
	}
	batch := &model.Set{Name: "batch", Lo: &model.Num{Value: 1}, Hi: &model.Num{Value: m}, Key: "rows of the batch"}
	r := &rowReader{set: set, whole: e, index: &model.Index{Name: "row", Set: batch, ID: 1 << 28},
		at:   make([]value, len(set.Axes)),
		rows: rows, loaded: map[loading]Node{}, views: map[*model.Array]*model.Array{},
		of: map[*model.Array]*model.Array{}, groups: map[*model.Group]*model.Group{}, masks: map[*model.Piece]value{}}
	for k := len(set.Axes) - 1; k >= 0; k-- {
		b, n := e.box(set.Axes[k]), rows
		if k > 0 {
			size := e.g.Const(float64(b.size()))
			n = autodiff.Mod(rows, size)
			rows = autodiff.Floor(autodiff.Div(rows, size))
		}
		r.at[k] = value{autodiff.Add(n, e.g.Const(float64(b.lo))), []*model.Index{r.index}, nil}
	}
	out := newEmitter(e.g, e.data, e.steps, e.diags)
	out.rows, out.outer, out.enums, out.occurs = r, e, e.enums, e.occurs
	if e.mixed != nil {
		out.atRecords(*e.mixed)
	}
	return out
}

// coordinate is the number of a coordinate that an index stands for.
func (e *emitter) coordinate(i *model.Index) (int, bool) {
	if e.rows == nil {
		return 0, false
	}
	k, ok := e.rows.set.Index[i]
	return k, ok
}

// plates are indices with the batch's own in place of those that stand for coordinates.
func (e *emitter) plates(is []*model.Index) []*model.Index {
	rest := e.inRow(is)
	if len(rest) < len(is) {
		rest = append(rest, e.rows.index)
	}
	return rest
}

// inRow are the indices that stand for no coordinate.
func (e *emitter) inRow(is []*model.Index) []*model.Index {
	return slices.DeleteFunc(slices.Clone(is), func(i *model.Index) bool { _, ok := e.coordinate(i); return ok })
}

// along says at which coordinates an expression's axes are read; nil: it is whole.
func (e *emitter) along(x model.Expr) []int {
	if e.rows == nil {
		return nil
	}
	return e.rows.set.Along[x]
}

// axesOf are an expression's own axes without those that are read at the row.
func (e *emitter) axesOf(x model.Expr) []*model.Set { return kept(x.Info().Type.Axes, e.along(x)) }

// kept are the elements whose coordinate is −1.
func kept[T any](xs []T, at []int) []T {
	if at == nil {
		return xs
	}
	var out []T
	for k, x := range xs {
		if k >= len(at) || at[k] < 0 {
			out = append(out, x)
		}
	}
	return out
}

// aside reports what is evaluated whole, by the emitter beside: parameters, solutions, and what depends on data alone
// unless it is arithmetic that is cheaper done for some rows than kept for all.
func (e *emitter) aside(x model.Expr) bool {
	if e.rows == nil || e.rows.whole == nil || x.Info().Static && e.data.Streamed(x) {
		return false
	}
	switch y := x.(type) {
	case *model.StateAt:
		return true
	case *model.Ref:
		return e.along(x) != nil && (y.Static || y.Array.Role != model.Definition)
	case *model.Reduce, *model.Vector, *model.MatMul, *model.Concat, *model.LogProb, *model.Build:
		return x.Info().Static
	}
	return x.Info().Static && e.along(x) != nil
}

// gathered is an expression's value for all rows, taken at those of the batch.
func (e *emitter) gathered(x model.Expr) value {
	return e.gatheredFrom(func(w *emitter) value { return w.expr(x) }, e.along(x))
}

// gatheredFrom is what an emitter of all rows has, taken at the rows of the batch.
func (e *emitter) gatheredFrom(get func(whole *emitter) value, along []int) value {
	whole := e.rows.whole
	guards := whole.guards
	defer func() { whole.guards = guards }()
	if whole.guards = nil; len(e.guards) > 0 {
		whole.guards = []value{{}}
	}
	return e.atRows(get(whole), along)
}

// atRows takes the bound axes that stand for coordinates, and own axes at those given, at the rows of the batch.
func (e *emitter) atRows(v value, along []int) value {
	var index []Node
	var lead, rest []int
	take := func(axis, coord int, s *model.Set) {
		n := autodiff.Sub(e.rows.at[coord].node, e.g.Const(float64(e.box(s).lo)))
		index, lead = append(index, e.clamped(n, pick{size: e.box(s).size()})), append(lead, axis)
	}
	bound := []*model.Index{e.rows.index}
	for k, i := range v.bound {
		if coord, ok := e.coordinate(i); ok {
			take(k, coord, i.Set)
		} else {
			rest, bound = append(rest, k), append(bound, i)
		}
	}
	for k, s := range v.axes {
		if k < len(along) && along[k] >= 0 {
			take(len(v.bound)+k, along[k], s)
		} else {
			rest = append(rest, len(v.bound)+k)
		}
	}
	if len(index) == 0 {
		return v
	}
	n := autodiff.Gather(autodiff.Permute(v.node, slices.Concat(lead, rest)...), index...)
	return value{n, bound, kept(v.axes, along)}.sorted()
}

// view is an array without the axes that are read at the row: a definition as one row sees it. Any other array is its
// own view.
func (e *emitter) view(a *model.Array) *model.Array {
	if e.rows == nil || !e.rows.splits(a) {
		return a
	}
	if v := e.rows.views[a]; v != nil {
		return v
	}
	at := e.rows.set.Arrays[a]
	v := *a
	v.Type.Axes, v.Pieces = kept(a.Type.Axes, at), nil
	e.rows.views[a], e.rows.of[&v] = &v, a
	for _, p := range a.Pieces {
		v.Pieces = append(v.Pieces, e.viewPiece(a, p, at))
	}
	return &v
}

// splits reports whether some axis of a definition is read at the row.
func (r *rowReader) splits(a *model.Array) bool {
	return slices.ContainsFunc(r.set.Arrays[a], func(c int) bool { return c >= 0 })
}

// viewGroup is a group of arrays that read each other's past, as one row sees them.
func (e *emitter) viewGroup(g *model.Group) *model.Group {
	if v := e.rows.groups[g]; v != nil {
		return v
	}
	v := &model.Group{Back: g.Back, DataOrdered: g.DataOrdered}
	e.rows.groups[g] = v
	for _, m := range g.Members {
		m.Axis = keptBefore(e.rows.set.Arrays[m.Array], m.Axis)
		m.Array = e.view(m.Array)
		v.Members = append(v.Members, m)
	}
	return v
}

// keptBefore is the number of an axis when those that are read at the row are left out.
func keptBefore(at []int, axis int) int {
	if at == nil {
		return axis
	}
	return len(kept(at[:axis], at))
}

func (e *emitter) viewPiece(a *model.Array, p *model.Piece, at []int) *model.Piece {
	q := *p
	q.Slots, q.Plates = kept(p.Slots, at), e.inRow(p.Plates)
	if p.Recurrence != nil {
		q.Recurrence = &model.Recurrence{Axis: keptBefore(at, p.Recurrence.Axis),
			Group: e.viewGroup(p.Recurrence.Group)}
	}
	for k, s := range p.Slots {
		if at[k] < 0 || s.Index != nil && s.Index.Set.Same(a.Type.Axes[k]) {
			continue
		}
		mask := e.covers(s, e.rows.at[at[k]])
		if old, ok := e.rows.masks[&q]; ok {
			mask = e.both(old, mask)
		}
		e.rows.masks[&q] = mask
	}
	return &q
}

// covers is 1 where a slot has a place.
func (e *emitter) covers(s model.Slot, at value) value {
	lo, hi := s.At, s.At
	if s.Index != nil {
		lo, hi = s.Index.Set.Lo, s.Index.Set.Hi
	}
	l, h := e.expr(lo), e.expr(hi)
	bound := union(l, h, at)
	n := e.align(at, bound, nil)
	return value{autodiff.Mul(autodiff.Le(e.loose(l, bound, nil), n), autodiff.Le(n, e.loose(h, bound, nil))),
		bound, nil}
}

func (e *emitter) both(a, b value) value {
	bound := union(a, b)
	return e.full(autodiff.Mul(e.loose(a, bound, nil), e.loose(b, bound, nil)), bound, nil)
}

// rowsParted reports whether the pieces of a view part the rows.
func (e *emitter) rowsParted(v *model.Array) bool {
	return e.rows != nil && slices.ContainsFunc(v.Pieces, func(p *model.Piece) bool {
		_, ok := e.rows.masks[p]
		return ok
	}) && len(v.Pieces) > 1
}

// chosen is a view whose pieces part the rows: each row takes the piece it is in.
func (e *emitter) chosen(v *model.Array) value {
	last := len(v.Pieces) - 1
	out := e.whole(v, v.Pieces[last])
	for k := last - 1; k >= 0; k-- {
		p := v.Pieces[k]
		mask, ok := e.rows.masks[p]
		if !ok {
			bug("pieces that overlap")
		}
		leave := e.under(mask)
		x := e.whole(v, p)
		leave()
		bound := union(mask, x, out)
		n := autodiff.Where(e.align(mask, bound, v.Type.Axes), e.align(x, bound, v.Type.Axes),
			e.align(out, bound, v.Type.Axes))
		out = value{n, bound, v.Type.Axes}
	}
	return out
}

// asRead is a subscript without the axes that are read at the row.
func (e *emitter) asRead(s *model.Subscript) *model.Subscript {
	if e.rows == nil {
		return s
	}
	at := *s
	at.Subs, at.Type.Axes = kept(s.Subs, e.along(s.X)), e.axesOf(s)
	return &at
}

// inStep goes with the emitter of a step of a scan or a solver, whose inputs are there already.
func (r *rowReader) inStep() *rowReader {
	if r == nil {
		return nil
	}
	return &rowReader{set: r.set}
}

// shown is the array that a view shows.
func (e *emitter) shown(v *model.Array) *model.Array {
	if e.rows != nil && e.rows.of[v] != nil {
		return e.rows.of[v]
	}
	return v
}

// Rows is the number of rows of the row set, 0 where the model has none.
func (p *Plan) Rows() int { return p.rowCount }

// RowSet is the model's row set with these data: of those that the checker found, the one with the most rows; nil if it
// found none.
func (p *Plan) RowSet() *model.RowSet { return p.rowSet }

// chooseRows picks the row set with the most rows.
func (p *Plan) chooseRows(e *emitter) {
	for _, s := range p.Data.Model.RowSets {
		if n := product(e.shape(nil, s.Axes)); n > p.rowCount {
			p.rowSet, p.rowCount = s, n
		}
	}
}

// Split emits the density for some rows of the row set: log ρ with its log-Jacobian, the observations that belong to no
// row, and log ℓ of each row asked for, shape [m].
func (p *Plan) Split(theta, rows Node) (prior, whole, terms Node) {
	e := newEmitter(theta.Graph(), p.Data, p.steps, &diag.List{})
	e.fromTheta(p, theta)
	e.mixed = p.mixed
	prior, whole, terms = e.split(p, rows, e.z(p))
	return autodiff.Add(prior, e.jacobian(p)), whole, terms
}

// OwnScaleSplit is Split with log ρ of the parameters on their own scale.
func (p *Plan) OwnScaleSplit(theta, rows Node) (prior, whole, terms Node) {
	e := newEmitter(theta.Graph(), p.Data, p.steps, &diag.List{})
	e.fromTheta(p, theta)
	e.mixed = p.mixed
	return e.split(p, rows, nil)
}

func (e *emitter) split(p *Plan, rows Node, z map[*model.Term]Node) (prior, whole, terms Node) {
	zero := e.g.Const(0)
	prior, whole, terms = zero, zero, e.g.Full(0, rows.Size())
	var byRow, rest []*model.Term
	for _, t := range p.Data.Model.Terms {
		if p.rowSet.Terms[t] {
			byRow = append(byRow, t)
		} else {
			rest = append(rest, t)
		}
	}
	for _, f := range e.factors(rest, z) {
		if n := autodiff.SumAll(f.v.node); f.lik {
			whole = autodiff.Add(whole, n)
		} else {
			prior = autodiff.Add(prior, n)
		}
	}
	prior = autodiff.Add(prior, e.holePriors(byRow, z))
	b := e.forRows(p.rowSet, rows)
	b.rows.want = e.want
	for _, f := range b.factors(byRow, nil) {
		if f.lik {
			terms = autodiff.Add(terms, b.rowSum(f.v))
		}
	}
	return prior, whole, terms
}

// holePriors are the laws of missing entries, which are parameters, in observations that are split into rows.
func (e *emitter) holePriors(ts []*model.Term, z map[*model.Term]Node) Node {
	sum := e.g.Const(0)
	for _, t := range ts {
		if t.Array.Role == model.Imputed {
			_, hole := e.splitMissing(t, e.term(t, z[t]))
			sum = autodiff.Add(sum, autodiff.SumAll(hole.node))
		}
	}
	return sum
}

// rowSum is a term summed within each row.
func (e *emitter) rowSum(v value) Node {
	v = sumBound(v, slices.DeleteFunc(slices.Clone(v.bound), func(i *model.Index) bool { return i == e.rows.index })...)
	return e.align(v, []*model.Index{e.rows.index}, nil)
}
