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

// A rowView is the RowView of the rows of a batch.
type rowView struct {
	set    *model.RowSet
	whole  *emitter     // of all rows
	index  *model.Index // of the batch, bound in whatever depends on the row
	at     []value      // coordinates, by number, on the user's scale
	views  map[*model.Array]*model.Array
	of     map[*model.Array]*model.Array // the array that a view shows
	groups map[*model.Group]*model.Group
	masks  map[*model.Piece]value // where a view's piece counts, if pieces part the rows
	rows   Node                   // of the batch
	loaded map[loading]Node       // rows of streams
	loads  []loading              // the streams that are read, in order
	mixed  bool                   // rows are places of the files
}

// forRows is an evaluator for the rows with the given numbers: places in the product of the row set's axes, row-major
// from 0. If mixed is not nil, rows are places of that stream.
func (e *emitter) forRows(set *model.RowSet, rows Node, mixed *loading) (*emitter, *rowView) {
	m := float64(rows.Size())
	if set.Inside != nil && e.data.HasStreams() {
		set = set.Inside
	}
	batch := &model.Set{Name: "batch", Lo: &model.Num{Value: 1}, Hi: &model.Num{Value: m}, Key: "rows of the batch"}
	r := &rowView{set: set, whole: e, index: &model.Index{Name: "row", Set: batch, ID: 1 << 28},
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
	out := e.step(e.g, rowSource{e.source, r})
	out.rows = r
	if r.mixed = mixed != nil; r.mixed {
		r.atRecords(*mixed)
	}
	return out, r
}

// Batch is the index over the rows.
func (r *rowView) Batch() *model.Index { return r.index }

// IsCoordinate reports whether an index represents a coordinate of the row.
func (r *rowView) IsCoordinate(i *model.Index) bool {
	_, ok := r.set.Index[i]
	return ok
}

// Coordinate is the value of such an index for each row.
func (r *rowView) Coordinate(i *model.Index) value { return r.at[r.set.Index[i]] }

// Along says at which coordinates the axes of x are read.
func (r *rowView) Along(x model.Expr) []int { return r.set.Along[x] }

// Whole is the evaluator of all rows.
func (r *rowView) Whole() *emitter { return r.whole }

// InStep is the view inside a step of a scan, whose inputs are there already.
func (r *rowView) InStep() RowView { return inStep{r.set} }

// An inStep is the RowView inside a step of a scan: whatever belongs to the row was evaluated outside.
type inStep struct{ set *model.RowSet }

// Batch is outside of the step.
func (inStep) Batch() *model.Index { bug("the batch inside a step"); return nil }

// IsCoordinate reports whether an index represents a coordinate of the row.
func (s inStep) IsCoordinate(i *model.Index) bool {
	_, ok := s.set.Index[i]
	return ok
}

// Coordinate is outside of the step.
func (inStep) Coordinate(i *model.Index) value {
	bug("the row's %s inside a step", i.Name)
	return value{}
}

// Along says at which coordinates the axes of x are read.
func (s inStep) Along(x model.Expr) []int { return s.set.Along[x] }

// View is the array: views are outside of the step.
func (inStep) View(_ *emitter, a *model.Array) *model.Array { return a }

// Of is the array.
func (inStep) Of(a *model.Array) *model.Array { return a }

// Chosen is for views.
func (inStep) Chosen(*emitter, *model.Array) (value, bool) { return value{}, false }

// Neighbour is for data outside of the step.
func (inStep) Neighbour(*emitter, *model.Subscript) (*model.Subscript, value, bool) {
	return nil, value{}, false
}

// Whole is outside of the step.
func (inStep) Whole() *emitter { bug("all rows inside a step"); return nil }

// InStep is for steps in steps.
func (s inStep) InStep() RowView { return s }

// A rowSource is the source of what is evaluated once for all rows and then gathered.
type rowSource struct {
	Source // of all rows
	view   *rowView
}

// Piece is a parameter at the rows.
func (s rowSource) Piece(e *emitter, p *model.Piece) (value, bool) {
	whole := s.view.whole
	return s.view.atRows(e, whole.pieceValue(p.Term.Array, p.Term.Piece), nil), true
}

// Array is an array that does not depend on the row, or a recurrence over data.
func (s rowSource) Array(e *emitter, a *model.Array) (value, bool) {
	switch whole := a.Role != model.Latent && !s.view.splits(a); {
	case whole && !s.view.readsRow(e, a):
		return s.view.whole.array(a), true
	case whole && onceForAll(e, a):
		return s.view.gathered(e, func(w *emitter) value { return w.array(a) }, nil), true
	}
	return s.Source.Array(e, a)
}

// Expr is what is evaluated for all rows, or data in a file that are read at the row.
func (s rowSource) Expr(e *emitter, x model.Expr) (value, bool) {
	if s.view.evaluatedWhole(e, x) {
		return s.view.gathered(e, func(w *emitter) value { return w.expr(x) }, e.along(x)), true
	}
	if r, ok := x.(*model.Ref); ok && e.data.Arrays[r.Array].Stream != nil {
		return s.view.streamed(e, r), true
	}
	return s.Source.Expr(e, x)
}

// evaluatedWhole reports whether x is evaluated once for all rows and then gathered: parameters, solutions, and what
// depends on data alone unless it is arithmetic that is cheaper done for some rows than kept for all.
func (r *rowView) evaluatedWhole(e *emitter, x model.Expr) bool {
	if x.Info().Static && e.data.Streamed(x) {
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

// gathered is what the evaluator of all rows has, taken at the rows of the batch.
func (r *rowView) gathered(e *emitter, get func(whole *emitter) value, along []int) value {
	guards := r.whole.guards
	defer func() { r.whole.guards = guards }()
	if r.whole.guards = nil; len(e.guards) > 0 {
		r.whole.guards = []value{{}}
	}
	return r.atRows(e, get(r.whole), along)
}

// atRows takes the bound axes that stand for coordinates, and own axes at those given, at the rows of the batch.
func (r *rowView) atRows(e *emitter, v value, along []int) value {
	var index []Node
	var lead, rest []int
	take := func(axis, coord int, s *model.Set) {
		n := autodiff.Sub(r.at[coord].node, e.g.Const(float64(e.box(s).lo)))
		index, lead = append(index, e.clamped(n, pick{size: e.box(s).size()})), append(lead, axis)
	}
	bound := []*model.Index{r.index}
	for k, i := range v.bound {
		if coord, ok := r.set.Index[i]; ok {
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

// View is an array without the axes that are read at the row: a definition as one row sees it. Any other array is its
// own view.
func (r *rowView) View(e *emitter, a *model.Array) *model.Array {
	if !r.splits(a) {
		return a
	}
	if v := r.views[a]; v != nil {
		return v
	}
	at := r.set.Arrays[a]
	v := *a
	v.Type.Axes, v.Pieces = kept(a.Type.Axes, at), nil
	r.views[a], r.of[&v] = &v, a
	for _, p := range a.Pieces {
		v.Pieces = append(v.Pieces, r.viewPiece(e, a, p, at))
	}
	return &v
}

// splits reports whether some axis of a definition is read at the row.
func (r *rowView) splits(a *model.Array) bool {
	return slices.ContainsFunc(r.set.Arrays[a], func(c int) bool { return c >= 0 })
}

// viewGroup is a group of arrays that read each other's past, as one row sees them.
func (r *rowView) viewGroup(e *emitter, g *model.Group) *model.Group {
	if v := r.groups[g]; v != nil {
		return v
	}
	v := &model.Group{Back: g.Back, DataOrdered: g.DataOrdered}
	r.groups[g] = v
	for _, m := range g.Members {
		m.Axis = keptBefore(r.set.Arrays[m.Array], m.Axis)
		m.Array = r.View(e, m.Array)
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

func (r *rowView) viewPiece(e *emitter, a *model.Array, p *model.Piece, at []int) *model.Piece {
	q := *p
	q.Slots, q.Plates = kept(p.Slots, at), e.inRow(p.Plates)
	if p.Recurrence != nil {
		q.Recurrence = &model.Recurrence{Axis: keptBefore(at, p.Recurrence.Axis),
			Group: r.viewGroup(e, p.Recurrence.Group)}
	}
	for k, s := range p.Slots {
		if at[k] < 0 || s.Index != nil && s.Index.Set.Same(a.Type.Axes[k]) {
			continue
		}
		mask := covers(e, s, r.at[at[k]])
		if old, ok := r.masks[&q]; ok {
			mask = both(e, old, mask)
		}
		r.masks[&q] = mask
	}
	return &q
}

// covers is 1 where a slot has a place.
func covers(e *emitter, s model.Slot, at value) value {
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

func both(e *emitter, a, b value) value {
	bound := union(a, b)
	return e.full(autodiff.Mul(e.loose(a, bound, nil), e.loose(b, bound, nil)), bound, nil)
}

// parted reports whether the pieces of a view part the rows.
func (r *rowView) parted(v *model.Array) bool {
	return slices.ContainsFunc(v.Pieces, func(p *model.Piece) bool {
		_, ok := r.masks[p]
		return ok
	}) && len(v.Pieces) > 1
}

// Chosen is a view whose pieces part the rows: each row takes the piece it is in.
func (r *rowView) Chosen(e *emitter, v *model.Array) (value, bool) {
	if !r.parted(v) {
		return value{}, false
	}
	last := len(v.Pieces) - 1
	out := e.whole(v, v.Pieces[last])
	for k := last - 1; k >= 0; k-- {
		p := v.Pieces[k]
		mask, ok := r.masks[p]
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
	return out, true
}

// Of is the array that a view shows.
func (r *rowView) Of(v *model.Array) *model.Array {
	if a := r.of[v]; a != nil {
		return a
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
	th := p.theta(theta)
	latents := newLatents(th)
	e := newEmitter(theta.Graph(), p.Data, p.steps, latents, &diag.List{})
	prior, whole, terms, _ = e.split(p, rows, latents, th.noncentered(e))
	return autodiff.Add(prior, th.jacobian(e)), whole, terms
}

// OwnScaleSplit is Split with log ρ of the parameters on their own scale.
func (p *Plan) OwnScaleSplit(theta, rows Node) (prior, whole, terms Node) {
	latents := newLatents(p.theta(theta))
	e := newEmitter(theta.Graph(), p.Data, p.steps, latents, &diag.List{})
	prior, whole, terms, _ = e.split(p, rows, latents, nil)
	return prior, whole, terms
}

// split evaluates the density for some rows; loads are the streams that it reads.
func (e *emitter) split(p *Plan, rows Node, latents *latents, z map[*model.Term]Node) (prior, whole, terms Node,
	loads []loading) {
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
	fs, _ := e.factors(rest, z, latents, summed())
	for _, f := range fs {
		if n := autodiff.SumAll(f.v.node); f.lik {
			whole = autodiff.Add(whole, n)
		} else {
			prior = autodiff.Add(prior, n)
		}
	}
	prior = autodiff.Add(prior, e.holePriors(byRow, z))
	b, view := e.forRows(p.rowSet, rows, p.mixed)
	fs, _ = b.factors(byRow, nil, latents, summed())
	for _, f := range fs {
		if f.lik {
			terms = autodiff.Add(terms, b.rowSum(f.v))
		}
	}
	return prior, whole, terms, view.loads
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
	v = sumBound(v, slices.DeleteFunc(slices.Clone(v.bound), func(i *model.Index) bool { return i == e.rows.Batch() })...)
	return e.align(v, []*model.Index{e.rows.Batch()}, nil)
}
