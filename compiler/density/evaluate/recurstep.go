package evaluate

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
)

// Step computes a row of each member, in order, and returns the carry with these rows.
func (s *Series) Step(b Box, carry Node, xs, shared []Node) Node {
	step := s.e.Inside(carry.Graph(), NoSource{})
	if s.e.Rows != nil {
		step.Rows = s.e.Rows.InStep()
	}
	rows, t := s.unpack(carry, 0), xs[0]
	step.Noise = s.e.Noise.inside(shared, s.stepNumber(t))
	next := slices.Clone(rows)
	xs = xs[1:]
	for k, m := range s.members {
		var parts []Node
		if m.hasKnown(b) {
			parts, xs = append(parts, xs[0]), xs[1:]
		}
		for _, v := range m.active(b) {
			xs, shared = v.rememberInputs(step, xs, shared)
			for _, x := range v.roots {
				s.rememberReads(step, m, v, x, rows)
			}
			parts = append(parts, s.row(step, m, v))
		}
		row := parts[0]
		for _, p := range parts[1:] {
			row = autodiff.Add(row, p)
		}
		rows[k], next[k] = s.push(m, rows[k], t, row)
	}
	return s.pack(next)
}

// rememberInputs enters the values of the inputs of a piece into the evaluator of the step, and returns the remaining
// nodes.
func (v *scanned) rememberInputs(step *Evaluator, xs, shared []Node) (restX, restShared []Node) {
	for _, in := range v.inputs {
		w := in.v
		if in.walk {
			w = Value{xs[0], slices.DeleteFunc(slices.Clone(w.Bound), func(i *model.Index) bool { return i == v.t }),
				w.Axes}
			xs = xs[1:]
		} else {
			w.Node, shared = shared[0], shared[1:]
		}
		step.Remember(in.expr, w)
	}
	return xs, shared
}

// rememberReads enters the values of an expression's reads of the group: rows of the carry, or rows that this step has
// computed already.
func (s *Series) rememberReads(step *Evaluator, m *member, v *scanned, x model.Expr, rows []Node) {
	if sub, ok := x.(*model.Subscript); ok {
		if ref, isRef := sub.X.(*model.Ref); isRef && s.memberOf(ref.Array) != nil {
			of := s.memberOf(ref.Array)
			for _, y := range sub.Children()[1:] {
				s.rememberReads(step, m, v, y, rows)
			}
			step.Remember(sub, s.read(step, of, v.piece.Slots[m.axis], rows[slices.Index(s.members, of)], sub))
			return
		}
	}
	for _, y := range x.Children() {
		s.rememberReads(step, m, v, y, rows)
	}
}

// read returns the row at a constant distance from the current index, or any rows if the carry holds the entire array.
func (s *Series) read(step *Evaluator, m *member, here model.Slot, rows Node, sub *model.Subscript) Value {
	b := len(s.outer)
	at := *sub
	at.Subs, at.Type.Axes = WithoutRow(sub.Subs, s.e.Along(sub.X)), s.e.AxesOf(sub)
	if !m.inFull {
		row := m.rows - s.distance(at.Subs[m.axis].At, here)
		n := autodiff.Reshape(SliceAxis(rows, b, row, row+1), slices.Delete(slices.Clone(rows.Shape()), b, b+1)...)
		at.X = &Known{Value: Value{n, s.outer, m.rest}}
		at.Subs = slices.Delete(slices.Clone(at.Subs), m.axis, m.axis+1)
		return step.Subscript(&at)
	}
	// the entire array, with its axes in order
	perm := make([]int, 0, rows.Rank())
	for i := range b {
		perm = append(perm, i)
	}
	for i := range m.array.Type.Axes {
		switch {
		case i < m.axis:
			perm = append(perm, b+1+i)
		case i == m.axis:
			perm = append(perm, b)
		default:
			perm = append(perm, b+i)
		}
	}
	at.X = &Known{Value: Value{autodiff.Permute(rows, perm...), s.outer, m.array.Type.Axes}}
	i, _, affine := s.e.Affine(at.Subs[m.axis].At)
	if affine && i == here.Index || slices.Contains(s.ordered, sub) { // one place at this step, so no axis
		at.Subs = slices.Clone(at.Subs)
		at.Subs[m.axis].At = &Known{Value: step.Expr(at.Subs[m.axis].At)}
	}
	defer step.Under(Value{})() // the checker has proved the order
	return step.Subscript(&at)
}

// distance returns the number of steps since a row was computed.
func (s *Series) distance(x model.Expr, here model.Slot) int {
	d := 0
	if here.Index == nil {
		d = ToInt(s.e.StaticValues(here.At)[0]) - ToInt(s.e.StaticValues(x)[0])
	} else {
		i, c, ok := s.e.Affine(x)
		if !ok || i != here.Index {
			InternalErrorf("a lag that is not constant")
		}
		d = -c
	}
	if s.Back {
		return -d
	}
	return d
}

// SliceAxis returns the elements lo to hi−1 along one axis.
func SliceAxis(n Node, axis, lo, hi int) Node {
	from, to := make([]int, n.Rank()), slices.Clone(n.Shape())
	from[axis], to[axis] = lo, hi
	return autodiff.Slice(n, from, to)
}

// row returns the row of a member that a piece computes at this step, shape [outer…, rest…].
func (s *Series) row(step *Evaluator, m *member, v *scanned) Node {
	w := step.unbind(v.body(step), v.otherPlates(), nil)
	shape := w.Node.Shape()
	at := len(w.Bound)
	for k, slot := range v.piece.Slots {
		if k != m.axis {
			if slot.Index == nil {
				shape = slices.Insert(slices.Clone(shape), at, 1)
			}
			at++
		}
	}
	w.Node, w.Axes = s.widened(m, v.piece, autodiff.Reshape(w.Node, shape...), len(w.Bound)), m.rest
	return step.Align(w, s.outer, m.rest)
}

// otherPlates returns the plates of a piece that do not run along the recurrence.
func (v *scanned) otherPlates() []*model.Index {
	return slices.DeleteFunc(slices.Clone(v.piece.Plates), func(i *model.Index) bool { return i == v.t })
}

// push adds a row to the rows of a member: `now` holds the rows that later reads of this step use, `next` those for the
// next step. If the carry holds the entire array, the row replaces its position there.
func (s *Series) push(m *member, rows, t, row Node) (now, next Node) {
	b := len(s.outer)
	if !m.inFull {
		row = autodiff.Reshape(row, slices.Insert(slices.Clone(row.Shape()), b, 1)...)
		return autodiff.Concat(b, rows, row), autodiff.Concat(b, SliceAxis(rows, b, 1, m.rows), row)
	}
	here := autodiff.Eq(rows.Graph().Iota(m.rows), autodiff.Sub(t, rows.Graph().Const(float64(m.box.Lo))))
	at := make([]int, rows.Rank())
	for i := range at {
		at[i] = i
	}
	now = autodiff.Where(autodiff.Broadcast(here, rows.Shape(), []int{b}),
		autodiff.Broadcast(row, rows.Shape(), slices.Delete(at, b, b+1)), rows)
	return now, now
}

// storeRows stores the rows that a segment has computed, taken from the carries `all`. The carry after each step has
// the row of that step as its newest row, or in its position.
func (s *Series) storeRows(b Box, all Node) {
	steps, axis := all.Shape()[0], len(s.outer)
	for k, m := range s.members {
		moves := m.active(b)
		if len(moves) == 0 {
			continue
		}
		var rows Node
		if m.inFull {
			n := s.unpack(s.final(all), 1)[k]
			rows = SliceAxis(autodiff.Reshape(n, n.Shape()[1:]...), axis, b.Lo-m.box.Lo, b.Hi-m.box.Lo+1)
		} else {
			after := SliceAxis(all, 0, 1, steps)
			if s.Back {
				after = SliceAxis(all, 0, 0, steps-1)
			}
			n := SliceAxis(s.unpack(after, 1)[k], 1+axis, m.rows-1, m.rows)
			n = autodiff.Reshape(n, slices.Delete(slices.Clone(n.Shape()), 1+axis, 2+axis)...)
			rows = backAxis(n, axis)
		}
		for _, v := range moves {
			v.done = append(v.done, part{b, rows, s.outer})
		}
	}
}

// backAxis moves the first axis behind the next k axes.
func backAxis(n Node, k int) Node {
	perm := make([]int, 0, n.Rank())
	for i := range k {
		perm = append(perm, i+1)
	}
	perm = append(perm, 0)
	for i := k + 1; i < n.Rank(); i++ {
		perm = append(perm, i)
	}
	return autodiff.Permute(n, perm...)
}

// bind returns the value of a piece: its plates are bound axes, the others own axes.
func (s *Series) bind(p *model.Piece, v *scanned) Value {
	m := s.memberWith(v)
	slices.SortFunc(v.done, func(a, b part) int { return a.rows.Lo - b.rows.Lo })
	var rows []Node
	for _, d := range v.done {
		rows = append(rows, d.node)
	}
	if len(rows) == 0 { // there are no steps
		rows = append(rows, s.e.Graph.Full(0, slices.Concat(s.e.Shape(s.outer, nil), []int{0},
			s.e.Shape(nil, m.rest))...))
	}
	n := frontAxis(autodiff.Concat(len(s.outer), rows...), 0, len(s.outer)) // axes: rows, outer, rest
	shape, order := slices.Clone(n.Shape()[:1+len(s.outer)]), slices.Clone(s.outer)
	if v.t == nil {
		shape = shape[1:]
	} else {
		order = slices.Insert(order, 0, v.t)
	}
	at := 1 + len(s.outer)
	for k, slot := range p.Slots {
		if k == m.axis {
			continue
		}
		all, part := s.e.Box(m.array.Type.Axes[k]), s.e.Box(slot.Set())
		n = SliceAxis(n, at, part.Lo-all.Lo, part.Hi-all.Lo+1)
		if slot.Index != nil {
			order, shape = append(order, slot.Index), append(shape, part.Size())
		}
		at++
	}
	shape = append(shape, n.Shape()[at:]...)
	return Value{autodiff.Reshape(n, shape...), order, m.rest[len(p.Slots)-1:]}.Sorted()
}
