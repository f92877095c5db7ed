package evaluate

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// Array returns the value of an entire array, with the array's own axes.
func (e *Evaluator) Array(a *model.Array) Value {
	// The guards around a read do not apply to the array's own statements, unless these are in a function that is
	// called there.
	if len(e.Guards) > 0 && len(e.IndicesOf(a)) == 0 {
		guards := e.Guards
		e.Guards = nil
		defer func() { e.Guards = guards }()
	}
	known := e.arrays[min(len(e.Guards), 1)]
	v, ok := known[a]
	if ok {
		return v
	}
	v, ok = e.Source.Array(e, a)
	switch {
	case ok:
	case a.Role == model.Data:
		v = e.DataArray(a)
	case a.Role == model.Imputed:
		v = e.imputed(a)
	default:
		v = e.assemble(e.view(a))
		if of := completedBy(a); of != nil {
			v.Node = autodiff.Where(e.Observed(of).Node, e.DataArray(of).Node, v.Node)
		}
	}
	known[a] = v
	return v
}

// completedBy returns the data array whose observed values an array contains; missing values have other values. It
// returns nil for other arrays.
func completedBy(a *model.Array) *model.Array {
	if a.Missing {
		return a
	}
	return a.Completes
}

// DataArray returns an array's observed values. Missing entries are 0; terms that read them are not counted.
func (e *Evaluator) DataArray(a *model.Array) Value {
	d, ok := e.Data.Arrays[a]
	if !ok {
		InternalErrorf("no data for %s", a.Name)
	}
	if d.Stream != nil {
		e.NeedsAll(a, a.At)
	}
	if d.Finite {
		return Value{e.Graph.FiniteData(a.Name, d.Values, d.Shape...), nil, a.Type.Axes}
	}
	values := d.Values.Doubles()
	if a.Missing {
		values = slices.Clone(values)
		for i, v := range values {
			if math.IsNaN(v) {
				values[i] = 0
			}
		}
	}
	return Value{e.Graph.Data(a.Name, values, d.Shape...), nil, a.Type.Axes}
}

// assemble joins the pieces of an array.
func (e *Evaluator) assemble(a *model.Array) Value {
	if e.Rows != nil {
		if v, ok := e.Rows.Chosen(e, a); ok {
			return v
		}
	}
	parts := make([]Value, len(a.Pieces))
	for i, p := range a.Pieces {
		parts[i] = e.PieceOverAxes(a, p)
	}
	if len(parts) == 1 {
		v := parts[0]
		if !model.SameSets(v.Axes, a.Type.Axes) {
			InternalErrorf("axes of %s", a.Name)
		}
		return v
	}
	return e.join(a, parts)
}

// PieceOverAxes returns the value of a piece with axes instead of plates; single elements have axes of size 1.
func (e *Evaluator) PieceOverAxes(a *model.Array, p *model.Piece) Value {
	return e.LayOut(a, p, e.Piece(a, p))
}

// LayOut replaces the plates of a piece's value by axes of its array, with axes of size 1 for single elements.
func (e *Evaluator) LayOut(a *model.Array, p *model.Piece, v Value) Value {
	v = e.unbind(v, p.Plates, nil)
	if len(p.Plates) == len(p.Slots) {
		return v
	}
	shape := slices.Clone(v.Node.Shape())
	axes := slices.Clone(v.Axes)
	for k, s := range p.Slots {
		if s.Index == nil {
			shape = slices.Insert(shape, len(v.Bound)+k, 1)
			axes = slices.Insert(axes, k, &model.Set{Lo: s.At, Hi: s.At, Key: "element"})
		}
	}
	if len(a.Pieces) == 1 && a.Replicates == nil {
		axes = a.Type.Axes
	}
	return Value{autodiff.Reshape(v.Node, shape...), v.Bound, axes}
}

// Piece returns the value of one piece of an array, over its plates.
func (e *Evaluator) Piece(a *model.Array, p *model.Piece) Value {
	switch {
	case p.Value != nil && p.Recurrence != nil:
		return e.Recurrence(p)
	case p.Value != nil:
		return e.Expr(p.Value)
	}
	v, ok := e.Source.Piece(e, p)
	if !ok {
		InternalErrorf("a piece of %s has no value here", a.Name)
	}
	return v
}

// join concatenates pieces that differ along one axis. Pieces that form a box in another way are padded with zeros and
// added.
func (e *Evaluator) join(a *model.Array, parts []Value) Value {
	bound := Union(parts...)
	var sum Node
	for i, p := range a.Pieces {
		n := e.Padded(a, p, parts[i], bound)
		if i == 0 {
			sum = n
		} else {
			sum = autodiff.Add(sum, n)
		}
	}
	if joined, ok := e.concat(a, parts, bound); ok {
		return joined
	}
	e.checkBox(a, parts)
	return Value{sum, bound, a.Type.Axes}
}

// Padded places a piece in its array, with zeros elsewhere.
func (e *Evaluator) Padded(a *model.Array, p *model.Piece, part Value, bound []*model.Index) Node {
	n := part.Node
	if len(part.Bound) != len(bound) {
		n = e.Align(part, bound, part.Axes)
	}
	before, after := make([]int, n.Rank()), make([]int, n.Rank())
	for k := range p.Slots {
		axis, own := e.Box(a.Type.Axes[k]), e.Box(part.Axes[k])
		before[len(bound)+k] = own.Lo - axis.Lo
		after[len(bound)+k] = axis.Hi - own.Hi
		if own.Lo < axis.Lo || own.Hi > axis.Hi {
			e.Stop(e.Diags.Errorf(diag.Gap, p.At, "this statement defines `%s` for %d..%d, but its axis is %d..%d",
				a.Name, own.Lo, own.Hi, axis.Lo, axis.Hi))
		}
	}
	return autodiff.Pad(n, before, after)
}

// concat concatenates pieces that follow one another along exactly one axis; ok is false for other pieces.
func (e *Evaluator) concat(a *model.Array, parts []Value, bound []*model.Index) (Value, bool) {
	axis := -1
	for k := range a.Type.Axes {
		b := e.Box(a.Type.Axes[k])
		for i := range parts {
			if pb := e.Box(parts[i].Axes[k]); pb != b {
				if axis >= 0 && axis != k {
					return Value{}, false
				}
				axis = k
			}
		}
	}
	if axis < 0 {
		return Value{}, false
	}
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return e.Box(parts[i].Axes[axis]).Lo - e.Box(parts[j].Axes[axis]).Lo
	})
	at := e.Box(a.Type.Axes[axis]).Lo
	nodes := make([]Node, 0, len(parts))
	for _, i := range order {
		b := e.Box(parts[i].Axes[axis])
		switch {
		case b.Size() > 0 && b.Lo > at:
			e.Stop(e.Diags.Errorf(diag.Gap, a.Pieces[i].At, "`%s` is not defined from %d to %d", a.Name, at, b.Lo-1))
		case b.Size() > 0 && b.Lo < at:
			e.Stop(e.Diags.Errorf(diag.Gap, a.Pieces[i].At, "`%s` is defined twice from %d to %d", a.Name, b.Lo,
				min(at, b.Lo+b.Size())-1))
		}
		at += b.Size()
		nodes = append(nodes, e.Align(parts[i], bound, parts[i].Axes))
	}
	return Value{autodiff.Concat(len(bound)+axis, nodes...), bound, a.Type.Axes}, true
}

// IndicesOf returns the free indices of a definition: those that its statements, or the definitions that they read, use
// without binding them.
func (e *Evaluator) IndicesOf(a *model.Array) []*model.Index {
	is, known := e.indices[a]
	if !known {
		is = a.Indices()
		e.indices[a] = is
	}
	return is
}

// NeedsAll reports an error for an expression that needs all rows of a stream at once.
func (e *Evaluator) NeedsAll(a *model.Array, at source.Span) {
	d := e.Data.Arrays[a]
	e.Stop(e.Diags.Errorf(diag.RowsAtOnce, at,
		"`%s` in %s is too large for memory and is read a few rows at a time, but this expression needs all rows at "+
			"once",
		a.Name, d.Stream.File).
		Help("compute it beforehand and give it as data: a number, or a column of the file").Related(a.At, "the data"))
}
