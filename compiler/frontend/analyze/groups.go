package analyze

import (
	"slices"

	"ppl/compiler/frontend/cycles"
	"ppl/compiler/frontend/model"
)

// A group is an array that reads itself, or several arrays that read each other, with these reads.
type group struct {
	arrays []*model.Array
	reads  []read
}

// A read is a read of array to, of a group, in a piece of array from, of the same group. at is the expression that
// reads. If it is a subscript, sub is the same expression; if it reads the entire array, sub is nil.
type read struct {
	from  *model.Array
	piece *model.Piece
	to    *model.Array
	sub   *model.Subscript
	at    model.Expr
}

// groups returns the strongly connected components of the graph in which an array points to the arrays that the
// expressions parts(p) of its pieces p read. It skips components with a refused array.
func groups(m *model.Model, refused []*model.Array, parts func(*model.Piece) []model.Expr) (out []group) {
	f := cycles.New(func(a *model.Array) (read []*model.Array) {
		for _, p := range a.Pieces {
			read = append(read, model.Arrays(parts(p)...)...)
		}
		return read
	})
	for _, a := range m.Arrays {
		f.Of(a)
	}
	for _, t := range m.Terms {
		f.Of(t.Array)
		for _, a := range model.Arrays(t.Exprs()...) {
			f.Of(a)
		}
	}
	for _, arrays := range f.Found() {
		if !slices.ContainsFunc(arrays, func(a *model.Array) bool { return slices.Contains(refused, a) }) {
			out = append(out, group{arrays, readsWithin(arrays, parts)})
		}
	}
	return out
}

// readsWithin lists the reads of the given arrays in the expressions parts(p) of the pieces p of these arrays.
func readsWithin(arrays []*model.Array, parts func(*model.Piece) []model.Expr) (reads []read) {
	for _, a := range arrays {
		for _, p := range a.Pieces {
			for _, x := range parts(p) {
				eachRead(x, arrays, func(ref *model.Ref, sub *model.Subscript) {
					reads = append(reads, newRead(a, p, ref, sub))
				})
			}
		}
	}
	return reads
}

func newRead(from *model.Array, p *model.Piece, ref *model.Ref, sub *model.Subscript) read {
	r := read{from, p, ref.Array, sub, ref}
	if sub != nil {
		r.at = sub
	}
	return r
}

// eachRead visits the reads of the given arrays in an expression. sub is nil for a read without a subscript.
func eachRead(x model.Expr, arrays []*model.Array, visit func(ref *model.Ref, sub *model.Subscript)) {
	inner := x.Children()
	switch x := x.(type) {
	case *model.Subscript:
		if ref, isRef := x.X.(*model.Ref); isRef && slices.Contains(arrays, ref.Array) {
			visit(ref, x)
			inner = inner[1:] // ref has been visited
		}
	case *model.Ref:
		if slices.Contains(arrays, x.Array) {
			visit(x, nil)
		}
	}
	for _, y := range inner {
		eachRead(y, arrays, visit)
	}
}

// axesLike chooses for each array the axis that corresponds to axis k of the first array: the axis over the same set,
// or else the only axis, or else axis k, or else the last.
func (g group) axesLike(k int) []int {
	axes := make([]int, len(g.arrays))
	for i, a := range g.arrays {
		axes[i] = model.AxisOf(g.arrays[0].Type.Axes[k], a.Type.Axes)
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

// position returns the position of a read relative to its piece. axes has the axis of each array of the group.
func (g group) position(r read, axes []int, back bool) position {
	return r.position(axes[slices.Index(g.arrays, r.from)], axes[slices.Index(g.arrays, r.to)], back)
}

// inOrder sorts arrays so that each follows the arrays it reads; ok is false if the reads have a cycle.
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
