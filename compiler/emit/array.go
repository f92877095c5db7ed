package emit

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/lang/source"
)

// array is a whole array with its own axes.
func (e *emitter) array(a *model.Array) value {
	// an array's own statements are not guarded by where it is read, but for those of the place where its function is
	// called
	if len(e.guards) > 0 && len(e.indicesOf(a)) == 0 {
		guards := e.guards
		e.guards = nil
		defer func() { e.guards = guards }()
	}
	known := e.arrays[min(len(e.guards), 1)]
	v, ok := known[a]
	if ok {
		return v
	}
	v, ok = e.source.Array(e, a)
	switch {
	case ok:
	case a.Role == model.Data:
		v = e.dataArray(a)
	case a.Role == model.Imputed:
		v = e.imputed(a)
	default:
		v = e.assemble(e.view(a))
		if a.Missing { // what was observed of it is read as it was
			v.node = autodiff.Where(e.observed(a).node, e.dataArray(a).node, v.node)
		}
	}
	known[a] = v
	return v
}

// dataArray is an array's observed values; missing entries are 0, and what they stand in is not counted.
func (e *emitter) dataArray(a *model.Array) value {
	d, ok := e.data.Arrays[a]
	if !ok {
		bug("no data for %s", a.Name)
	}
	if d.Stream != nil {
		e.needsAll(a, a.At)
	}
	values := d.Values
	if a.Missing {
		values = make([]float64, len(d.Values))
		for i, v := range d.Values {
			if !math.IsNaN(v) {
				values[i] = v
			}
		}
	}
	return value{e.g.Data(a.Name, values, d.Shape...), nil, a.Type.Axes}
}

// assemble lays an array's pieces side by side.
func (e *emitter) assemble(a *model.Array) value {
	if e.rows != nil {
		if v, ok := e.rows.Chosen(e, a); ok {
			return v
		}
	}
	parts := make([]value, len(a.Pieces))
	for i, p := range a.Pieces {
		parts[i] = e.whole(a, p)
	}
	if len(parts) == 1 {
		v := parts[0]
		if !model.SameSets(v.axes, a.Type.Axes) {
			bug("axes of %s", a.Name)
		}
		return v
	}
	return e.join(a, parts)
}

// whole is a piece with own axes only: its plates unbound, single elements as axes of size 1.
func (e *emitter) whole(a *model.Array, p *model.Piece) value {
	return e.laid(a, p, e.pieceValue(a, p))
}

func (e *emitter) laid(a *model.Array, p *model.Piece, v value) value {
	v = e.unbind(v, p.Plates, nil)
	if len(p.Plates) == len(p.Slots) {
		return v
	}
	shape := slices.Clone(v.node.Shape())
	axes := slices.Clone(v.axes)
	for k, s := range p.Slots {
		if s.Index == nil {
			shape = slices.Insert(shape, len(v.bound)+k, 1)
			axes = slices.Insert(axes, k, &model.Set{Lo: s.At, Hi: s.At, Key: "element"})
		}
	}
	if len(a.Pieces) == 1 && a.Replicates == nil {
		axes = a.Type.Axes
	}
	return value{autodiff.Reshape(v.node, shape...), v.bound, axes}
}

func (e *emitter) pieceValue(a *model.Array, p *model.Piece) value {
	switch {
	case p.Value != nil && p.Recurrence != nil:
		return e.recurrence(p)
	case p.Value != nil:
		return e.expr(p.Value)
	}
	v, ok := e.source.Piece(e, p)
	if !ok {
		bug("a piece of %s has no value here", a.Name)
	}
	return v
}

// join puts pieces that differ along one axis one after the other, or pads and adds where they form a box otherwise.
func (e *emitter) join(a *model.Array, parts []value) value {
	bound := union(parts...)
	var sum Node
	for i, p := range a.Pieces {
		n := e.padded(a, p, parts[i], bound)
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
	return value{sum, bound, a.Type.Axes}
}

// padded lays a piece in its place in the array, with zeros elsewhere.
func (e *emitter) padded(a *model.Array, p *model.Piece, part value, bound []*model.Index) Node {
	n := part.node
	if len(part.bound) != len(bound) {
		n = e.align(part, bound, part.axes)
	}
	before, after := make([]int, n.Rank()), make([]int, n.Rank())
	for k := range p.Slots {
		axis, own := e.box(a.Type.Axes[k]), e.box(part.axes[k])
		before[len(bound)+k] = own.lo - axis.lo
		after[len(bound)+k] = axis.hi - own.hi
		if own.lo < axis.lo || own.hi > axis.hi {
			e.stop(e.diags.Errorf("E12", p.At, "this piece of `%s` covers %d..%d, outside of %d..%d", a.Name, own.lo, own.hi,
				axis.lo, axis.hi))
		}
	}
	return autodiff.Pad(n, before, after)
}

// concat recognises pieces that follow one another along exactly one axis.
func (e *emitter) concat(a *model.Array, parts []value, bound []*model.Index) (value, bool) {
	axis := -1
	for k := range a.Type.Axes {
		b := e.box(a.Type.Axes[k])
		for i := range parts {
			if pb := e.box(parts[i].axes[k]); pb != b {
				if axis >= 0 && axis != k {
					return value{}, false
				}
				axis = k
			}
		}
	}
	if axis < 0 {
		return value{}, false
	}
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return e.box(parts[i].axes[axis]).lo - e.box(parts[j].axes[axis]).lo
	})
	at := e.box(a.Type.Axes[axis]).lo
	nodes := make([]Node, 0, len(parts))
	for _, i := range order {
		b := e.box(parts[i].axes[axis])
		if b.size() > 0 && b.lo != at {
			e.stop(e.diags.Errorf("E12", a.Pieces[i].At, "`%s` is not defined, or twice, between %d and %d", a.Name,
				min(at, b.lo), max(at, b.lo)-1))
		}
		at += b.size()
		nodes = append(nodes, e.align(parts[i], bound, parts[i].axes))
	}
	return value{autodiff.Concat(len(bound)+axis, nodes...), bound, a.Type.Axes}, true
}

// indicesOf are the indices that a definition's statements, or those of definitions that they read, use without binding
// them.
func (e *emitter) indicesOf(a *model.Array) []*model.Index {
	is, known := e.indices[a]
	if !known {
		is = a.Indices()
		e.indices[a] = is
	}
	return is
}

// needsAll refuses what needs all rows of a stream at once.
func (e *emitter) needsAll(a *model.Array, at source.Span) {
	d := e.data.Arrays[a]
	e.stop(e.diags.Errorf("E86", at, "`%s` has %d rows in %s, too many for memory, so that a few are read at a time; here "+
		"all are needed at once", a.Name, d.Stream.Rows, d.Stream.Name).
		Help("work it out beforehand and give it as data: a number, or a column of the file").Related(a.At, "the data"))
}
