// Package minibatch restricts evaluation to some rows of a row set, such as those of a minibatch.
//
//	y[i in N] ~ Normal(a[g[i]] * x[i], s)    rows [6, 1]: i = [7, 2], so x[i] and y[i] are gathered at 7 and 2
//
// Data that are too large for memory remain in their file: the requested rows are inputs of the graph, identified by a
// Load.
package minibatch

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// Inside a row, every index that represents one of its coordinates is a number that differs between the rows of the
// batch, so values that are read at it are gathered. Parameters, and expressions that do not depend on parameters, are
// evaluated once for all rows by another evaluator, and then gathered. An axis that is read only at the row is not an
// axis of a value any more: the bound axis of the batch represents it.

// A View is the RowView of the rows of a batch.
type View struct {
	set    *model.RowSet
	whole  *evaluate.Evaluator // evaluates all rows
	index  *model.Index        // index of the batch, bound in every value that depends on the row
	at     []evaluate.Value    // coordinates by number, numbered as in the model
	views  map[*model.Array]*model.Array
	of     map[*model.Array]*model.Array // maps an array of this view to that of the model
	groups map[*model.Group]*model.Group
	masks  map[*model.Piece]evaluate.Value // rows to which a view's piece applies, if the rows have different pieces
	rows   autodiff.Node                   // the numbers of the batch's rows
	loaded map[Load]autodiff.Node          // rows of streams
	Loads  []Load                          // the streams that are read, in order
	mixed  bool                            // row numbers are positions in the stream
}

// NewView returns an evaluator for the rows with the given numbers: row-major positions, from 0, in the product of the
// row set's axes. If mixed is not nil, the numbers are positions in that stream.
func NewView(e *evaluate.Evaluator, set *model.RowSet, rows autodiff.Node, mixed *Load) (*evaluate.Evaluator, *View) {
	m := float64(rows.Size())
	if set.Inside != nil && e.Data.HasStreams() {
		set = set.Inside
	}
	batch := &model.Set{Name: "batch", Lo: &model.Num{Value: 1}, Hi: &model.Num{Value: m}, Key: "rows of the batch"}
	r := &View{set: set, whole: e, index: &model.Index{Name: "row", Set: batch, ID: 1 << 28},
		at:   make([]evaluate.Value, len(set.Axes)),
		rows: rows, loaded: map[Load]autodiff.Node{}, views: map[*model.Array]*model.Array{},
		of: map[*model.Array]*model.Array{}, groups: map[*model.Group]*model.Group{},
		masks: map[*model.Piece]evaluate.Value{}}
	for k := len(set.Axes) - 1; k >= 0; k-- {
		b, n := e.Box(set.Axes[k]), rows
		if k > 0 {
			size := e.Graph.Const(float64(b.Size()))
			n = autodiff.Mod(rows, size)
			rows = autodiff.Floor(autodiff.Div(rows, size))
		}
		r.at[k] = evaluate.Value{Node: autodiff.Add(n, e.Graph.Const(float64(b.Lo))), Bound: []*model.Index{r.index}}
	}
	out := e.Inside(e.Graph, rowSource{e.Source, r})
	out.Rows = r
	r.mixed = mixed != nil
	if r.mixed {
		r.atRecords(*mixed)
	}
	return out, r
}

// Batch returns the index over the rows.
func (r *View) Batch() *model.Index { return r.index }

// IsCoordinate reports whether an index represents a coordinate of the row.
func (r *View) IsCoordinate(i *model.Index) bool {
	_, ok := r.set.Index[i]
	return ok
}

// Coordinate returns the value of each row for an index that represents a coordinate.
func (r *View) Coordinate(i *model.Index) evaluate.Value { return r.at[r.set.Index[i]] }

// Along returns, for each axis of x, the coordinate at which it is read, or −1.
func (r *View) Along(x model.Expr) []int { return r.set.Along[x] }

// Whole returns the evaluator of all rows.
func (r *View) Whole() *evaluate.Evaluator { return r.whole }

// InStep returns the view for a step of a scan.
func (r *View) InStep() evaluate.RowView { return inStep{r.set} }

// An inStep is the RowView inside a step of a scan. All values that depend on the row were evaluated outside the step.
type inStep struct{ set *model.RowSet }

// Batch must not be called in a step.
func (inStep) Batch() *model.Index { evaluate.InternalErrorf("the batch inside a step"); return nil }

// IsCoordinate reports whether an index represents a coordinate of the row.
func (s inStep) IsCoordinate(i *model.Index) bool {
	_, ok := s.set.Index[i]
	return ok
}

// Coordinate must not be called in a step.
func (inStep) Coordinate(i *model.Index) evaluate.Value {
	evaluate.InternalErrorf("the row's %s inside a step", i.Name)
	return evaluate.Value{}
}

// Along returns, for each axis of x, the coordinate at which it is read, or −1.
func (s inStep) Along(x model.Expr) []int { return s.set.Along[x] }

// View returns a unchanged: views exist only outside the step.
func (inStep) View(_ *evaluate.Evaluator, a *model.Array) *model.Array { return a }

// Of returns a unchanged.
func (inStep) Of(a *model.Array) *model.Array { return a }

// Chosen returns no value: views exist only outside the step.
func (inStep) Chosen(*evaluate.Evaluator, *model.Array) (evaluate.Value, bool) {
	return evaluate.Value{}, false
}

// Neighbour returns no value: data are read outside the step.
func (inStep) Neighbour(*evaluate.Evaluator, *model.Subscript) (*model.Subscript, evaluate.Value, bool) {
	return nil, evaluate.Value{}, false
}

// Whole must not be called in a step.
func (inStep) Whole() *evaluate.Evaluator {
	evaluate.InternalErrorf("all rows inside a step")
	return nil
}

// InStep returns s, for a step inside a step.
func (s inStep) InStep() evaluate.RowView { return s }

// A rowSource is the source of values that are evaluated once for all rows and then gathered.
type rowSource struct {
	evaluate.Source // the source of the evaluator of all rows
	view            *View
}

// Piece returns a parameter at the rows of the batch.
func (s rowSource) Piece(e *evaluate.Evaluator, p *model.Piece) (evaluate.Value, bool) {
	whole := s.view.whole
	return s.view.atRows(e, whole.Piece(p.Term.Array, p.Term.Piece), nil), true
}

// Array evaluates an array once for all rows if it does not depend on the row, or if it is a recurrence over data, of
// which it gathers the rows of the batch. For other arrays it asks the underlying source.
func (s rowSource) Array(e *evaluate.Evaluator, a *model.Array) (evaluate.Value, bool) {
	switch whole := a.Role != model.Latent && !s.view.splits(a); {
	case whole && !s.view.readsRow(e, a):
		return s.view.whole.Array(a), true
	case whole && onceForAll(e, a):
		return s.view.gathered(e, func(w *evaluate.Evaluator) evaluate.Value { return w.Array(a) }, nil), true
	}
	return s.Source.Array(e, a)
}

// Expr evaluates an expression once for all rows and gathers the rows of the batch, or reads data in a file at the rows
// of the batch. For other expressions it asks the underlying source.
func (s rowSource) Expr(e *evaluate.Evaluator, x model.Expr) (evaluate.Value, bool) {
	if s.view.evaluatedWhole(e, x) {
		return s.view.gathered(e, func(w *evaluate.Evaluator) evaluate.Value { return w.Expr(x) }, e.Along(x)), true
	}
	if r, ok := x.(*model.Ref); ok && e.Data.Arrays[r.Array].Stream != nil {
		return s.view.streamed(e, r), true
	}
	return s.Source.Expr(e, x)
}

// evaluatedWhole reports whether x is evaluated once for all rows and then gathered. This holds for parameters,
// solutions, and expressions that depend on data alone, except arithmetic that is cheaper to repeat for a batch than to
// store for all rows.
func (r *View) evaluatedWhole(e *evaluate.Evaluator, x model.Expr) bool {
	if x.Info().Static && e.Data.Streamed(x) {
		return false
	}
	switch y := x.(type) {
	case *model.StateAt:
		return true
	case *model.Ref:
		return e.Along(x) != nil && (y.Static || y.Array.Role != model.Definition)
	case *model.Reduce, *model.Vector, *model.MatMul, *model.Concat, *model.LogProb, *model.Build:
		return x.Info().Static
	}
	return x.Info().Static && e.Along(x) != nil
}

// gathered returns a value of the evaluator of all rows at the rows of the batch.
func (r *View) gathered(e *evaluate.Evaluator, get func(whole *evaluate.Evaluator) evaluate.Value,
	along []int) evaluate.Value {
	guards := r.whole.Guards
	defer func() { r.whole.Guards = guards }()
	r.whole.Guards = nil
	if len(e.Guards) > 0 {
		r.whole.Guards = []evaluate.Value{{}}
	}
	return r.atRows(e, get(r.whole), along)
}

// atRows returns a value at the rows of the batch: it gathers along the bound axes that represent coordinates, and
// along the own axes that `along` selects.
func (r *View) atRows(e *evaluate.Evaluator, v evaluate.Value, along []int) evaluate.Value {
	var index []autodiff.Node
	var lead, rest []int
	take := func(axis, coord int, s *model.Set) {
		n := autodiff.Sub(r.at[coord].Node, e.Graph.Const(float64(e.Box(s).Lo)))
		index, lead = append(index, e.Clamped(n, evaluate.Pick{Size: e.Box(s).Size()})), append(lead, axis)
	}
	bound := []*model.Index{r.index}
	for k, i := range v.Bound {
		if coord, ok := r.set.Index[i]; ok {
			take(k, coord, i.Set)
		} else {
			rest, bound = append(rest, k), append(bound, i)
		}
	}
	for k, s := range v.Axes {
		if k < len(along) && along[k] >= 0 {
			take(len(v.Bound)+k, along[k], s)
		} else {
			rest = append(rest, len(v.Bound)+k)
		}
	}
	if len(index) == 0 {
		return v
	}
	n := autodiff.Gather(autodiff.Permute(v.Node, slices.Concat(lead, rest)...), index...)
	return evaluate.Value{Node: n, Bound: bound, Axes: evaluate.WithoutRow(v.Axes, along)}.Sorted()
}

// View returns a definition as one row reads it, without the axes that are read at the row. Any other array is returned
// unchanged.
func (r *View) View(e *evaluate.Evaluator, a *model.Array) *model.Array {
	if !r.splits(a) {
		return a
	}
	if v := r.views[a]; v != nil {
		return v
	}
	at := r.set.Arrays[a]
	v := *a
	v.Type.Axes, v.Pieces = evaluate.WithoutRow(a.Type.Axes, at), nil
	r.views[a], r.of[&v] = &v, a
	for _, p := range a.Pieces {
		v.Pieces = append(v.Pieces, r.viewPiece(e, a, p, at))
	}
	return &v
}

// splits reports whether some axis of a definition is read at the row.
func (r *View) splits(a *model.Array) bool {
	return slices.ContainsFunc(r.set.Arrays[a], func(c int) bool { return c >= 0 })
}

// viewGroup returns a group of arrays that read each other's past, as one row reads them.
func (r *View) viewGroup(e *evaluate.Evaluator, g *model.Group) *model.Group {
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

// keptBefore returns the number of an axis after the axes that are read at the row have been removed.
func keptBefore(at []int, axis int) int {
	if at == nil {
		return axis
	}
	return len(evaluate.WithoutRow(at[:axis], at))
}

func (r *View) viewPiece(e *evaluate.Evaluator, a *model.Array, p *model.Piece, at []int) *model.Piece {
	q := *p
	q.Slots, q.Plates = evaluate.WithoutRow(p.Slots, at), e.InRow(p.Plates)
	q.Series = nil // with minibatches, series have the coordinates that the model declares
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

// covers returns a value that is 1 if a slot contains a place, and 0 otherwise.
func covers(e *evaluate.Evaluator, s model.Slot, at evaluate.Value) evaluate.Value {
	lo, hi := s.At, s.At
	if s.Index != nil {
		lo, hi = s.Index.Set.Lo, s.Index.Set.Hi
	}
	l, h := e.Expr(lo), e.Expr(hi)
	bound := evaluate.Union(l, h, at)
	n := e.Align(at, bound, nil)
	return evaluate.Value{Node: autodiff.Mul(autodiff.Le(e.AlignLoosely(l, bound, nil), n),
		autodiff.Le(n, e.AlignLoosely(h, bound, nil))),
		Bound: bound}
}

func both(e *evaluate.Evaluator, a, b evaluate.Value) evaluate.Value {
	bound := evaluate.Union(a, b)
	return e.Full(autodiff.Mul(e.AlignLoosely(a, bound, nil), e.AlignLoosely(b, bound, nil)), bound, nil)
}

// parted reports whether the pieces of a view divide the rows.
func (r *View) parted(v *model.Array) bool {
	return slices.ContainsFunc(v.Pieces, func(p *model.Piece) bool {
		_, ok := r.masks[p]
		return ok
	}) && len(v.Pieces) > 1
}

// Chosen returns the value of a view whose pieces divide the rows: for each row, that of the piece that contains it.
func (r *View) Chosen(e *evaluate.Evaluator, v *model.Array) (evaluate.Value, bool) {
	if !r.parted(v) {
		return evaluate.Value{}, false
	}
	last := len(v.Pieces) - 1
	out := e.PieceOverAxes(v, v.Pieces[last])
	for k := last - 1; k >= 0; k-- {
		p := v.Pieces[k]
		mask, ok := r.masks[p]
		if !ok {
			evaluate.InternalErrorf("pieces that overlap")
		}
		leave := e.Under(mask)
		x := e.PieceOverAxes(v, p)
		leave()
		bound := evaluate.Union(mask, x, out)
		n := autodiff.Where(e.Align(mask, bound, v.Type.Axes), e.Align(x, bound, v.Type.Axes),
			e.Align(out, bound, v.Type.Axes))
		out = evaluate.Value{Node: n, Bound: bound, Axes: v.Type.Axes}
	}
	return out, true
}

// Of returns the array of the model whose rows a view has. It returns other arrays unchanged.
func (r *View) Of(v *model.Array) *model.Array {
	if a := r.of[v]; a != nil {
		return a
	}
	return v
}

// RowSum returns a term summed within each row.
func RowSum(e *evaluate.Evaluator, v evaluate.Value) autodiff.Node {
	v = evaluate.SumBound(v, slices.DeleteFunc(slices.Clone(v.Bound),
		func(i *model.Index) bool { return i == e.Rows.Batch() })...)
	return e.Align(v, []*model.Index{e.Rows.Batch()}, nil)
}
