package emit

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// A series is a piece of an array that is defined by the array's own past, on its way to a scan. What its value reads beside the past is
// evaluated outside, for all steps at once; a step of the scan sees slices of it. The carry holds the last rows of the array,
// newest last, or the whole array where a read may go back any distance.
type series struct {
	e      *emitter
	array  *model.Array
	piece  *model.Piece
	t      *model.Index
	steps  box
	rest   []*model.Set   // the array's axes without the recurrence's
	outer  []*model.Index // bound axes that are not the piece's plates
	inputs []input
	rows   int // of the carry
}

// An input is an expression without self-reads, evaluated outside.
type input struct {
	expr model.Expr
	v    value
	walk bool // has an axis along t
}

// recurrence evaluates a piece by a scan. roots are the expressions its value is made of, extra values that are there already, and
// body puts them together inside a step.
func (e *emitter) recurrence(a *model.Array, p *model.Piece, roots []model.Expr, extra []input, body func(step *emitter) value) value {
	r := p.Recurrence
	s := &series{e: e, array: a, piece: p, t: p.Slots[r.Axis].Index, inputs: extra}
	s.steps = e.box(s.t.Set)
	for k, set := range a.Type.Axes {
		if k != r.Axis {
			s.rest = append(s.rest, set)
		}
	}
	s.checkSlots()
	for _, x := range roots {
		s.collect(x, e.guards)
	}
	s.rows = r.Lag
	if r.Whole {
		s.rows = e.box(a.Type.Axes[r.Axis]).size()
		e.tellPast(s)
	}
	base := s.base()
	s.outer = union(append(s.inputValues(), base)...)
	inside := slices.Concat(p.Plates, boundInside(roots))
	s.outer = slices.DeleteFunc(s.outer, func(i *model.Index) bool { return slices.Contains(inside, i) })
	return s.scan(base, body)
}

// boundInside lists the indices that reductions and comprehensions bind.
func boundInside(roots []model.Expr) (out []*model.Index) {
	for _, x := range roots {
		model.Walk(x, func(y model.Expr) {
			switch y := y.(type) {
			case *model.Reduce:
				out = append(out, y.Over...)
			case *model.Build:
				out = append(out, y.Over...)
			}
		})
	}
	return out
}

// checkSlots: along the other axes the piece covers the array.
func (s *series) checkSlots() {
	for k, slot := range s.piece.Slots {
		if k == s.piece.Recurrence.Axis {
			continue
		}
		if slot.Index == nil || !slot.Index.Set.Same(s.array.Type.Axes[k]) {
			s.e.diags.Errorf("E99", s.piece.At, "a recurrence over part of another axis: not compiled by this version of ppl yet")
			panic(stop{})
		}
	}
}

// collect finds the largest subexpressions without self-reads.
func (s *series) collect(x model.Expr, guards []value) {
	if !s.readsSelf(x) {
		if !slices.ContainsFunc(s.inputs, func(in input) bool { return in.expr == x }) {
			v := s.outside(x, guards)
			s.inputs = append(s.inputs, input{x, v, slices.Contains(v.bound, s.t)})
		}
		return
	}
	switch x := x.(type) {
	case *model.Ref:
		return
	case *model.Cond:
		q := s.condition(x.If, guards)
		s.collect(x.If, guards)
		s.collect(x.Then, slices.Concat(guards, []value{q}))
		s.collect(x.Else, slices.Concat(guards, []value{not(q)}))
		return
	case *model.Apply:
		for i, y := range x.Args {
			if i > 0 && x.Lazy() {
				guards = slices.Concat(guards, []value{decides(x.Name, s.condition(x.Args[0], guards))})
			}
			s.collect(y, guards)
		}
		return
	case *model.Reduce:
		for _, i := range x.Over {
			s.collect(i.Set.Lo, guards)
			s.collect(i.Set.Hi, guards)
		}
		old := s.e.guards
		defer func() { s.e.guards = old }()
		s.e.guards = guards
		s.e.underRanges(x.Over)
		s.collect(x.X, s.e.guards)
		return
	}
	for _, y := range model.Children(x) {
		s.collect(y, guards)
	}
}

// outside is the value of an expression without self-reads.
func (s *series) outside(x model.Expr, guards []value) value {
	old := s.e.guards
	defer func() { s.e.guards = old }()
	s.e.guards = guards
	return s.e.expr(x)
}

// condition is a guard; one that reads the series itself is not known.
func (s *series) condition(x model.Expr, guards []value) value {
	if s.readsSelf(x) {
		return value{}
	}
	return s.outside(x, guards)
}

func (s *series) readsSelf(x model.Expr) bool {
	return slices.Contains(model.Arrays(x), s.e.shown(s.array))
}

func (s *series) inputValues() []value {
	vs := make([]value, len(s.inputs))
	for k, in := range s.inputs {
		vs[k] = in.v
	}
	return vs
}

// base is the array before the recurrence: rows [lo − lag, lo), or the whole array, 0 where nothing is defined. Own axes: rows
// first, then the rest.
func (s *series) base() value {
	e, k := s.e, s.piece.Recurrence.Axis
	first := s.steps.lo - s.rows
	if s.piece.Recurrence.Whole {
		first = e.box(s.array.Type.Axes[k]).lo
	}
	rowSet := &model.Set{Lo: &model.Num{Value: float64(first)}, Hi: &model.Num{Value: float64(first + s.rows - 1)}, Key: "rows"}
	axes := append([]*model.Set{rowSet}, s.rest...)
	sum := value{e.g.Full(0, e.shape(nil, axes)...), nil, axes}
	for _, q := range s.array.Pieces {
		if q == s.piece {
			continue
		}
		w := e.whole(s.array, q)
		part := e.box(w.axes[k])
		lo, hi := max(part.lo, first), min(part.hi, first+s.rows-1)
		if hi < lo {
			continue
		}
		b := len(w.bound)
		from, to := make([]int, w.rank()), slices.Clone(w.node.Shape())
		from[b+k], to[b+k] = lo-part.lo, hi-part.lo+1
		n := autodiff.Slice(w.node, from, to)
		before, after := make([]int, w.rank()), make([]int, w.rank())
		before[b+k], after[b+k] = lo-first, first+s.rows-1-hi
		n = frontAxis(autodiff.Pad(n, before, after), b, k)
		v := value{n, w.bound, axes}
		all := union(sum, v)
		sum = value{autodiff.Add(e.align(sum, all, axes), e.align(v, all, axes)), all, axes}
	}
	return sum
}

// frontAxis moves own axis k (after b bound ones) to the front of the own axes.
func frontAxis(n Node, b, k int) Node {
	perm := make([]int, 0, n.Rank())
	for i := range b {
		perm = append(perm, i)
	}
	perm = append(perm, b+k)
	for i := b; i < n.Rank(); i++ {
		if i != b+k {
			perm = append(perm, i)
		}
	}
	return autodiff.Permute(n, perm...)
}

// scan runs the recurrence. Carry: [outer…, rows, rest…].
func (s *series) scan(base value, body func(*emitter) value) value {
	e := s.e
	init := e.align(base, s.outer, base.axes)
	var xs, shared []Node
	xs = append(xs, autodiff.Add(e.g.Iota(s.steps.size()), e.g.Const(float64(s.steps.lo))))
	for _, in := range s.inputs {
		if in.walk {
			xs = append(xs, frontBound(in.v, s.t))
		} else {
			shared = append(shared, in.v.node)
		}
	}
	all := autodiff.Scan(init, xs, shared, false, func(carry Node, x, sh []Node) Node {
		step := s.stepEmitter(carry, x[1:], sh)
		return s.push(step, carry, x[0], body(step))
	})
	if s.piece.Recurrence.Whole {
		return s.bind(s.last(all))
	}
	return s.bind(s.newest(all))
}

// frontBound moves a bound axis to the front.
func frontBound(v value, i *model.Index) Node {
	at := slices.Index(v.bound, i)
	return autodiff.Permute(v.node, append([]int{at}, others(v.rank(), at)...)...)
}

// stepEmitter evaluates expressions inside a step: inputs are the step's slices, self-reads come from the carry.
func (s *series) stepEmitter(carry Node, xs, shared []Node) *emitter {
	step := newEmitter(carry.Graph(), s.e.b, s.e.diags)
	step.outer, step.rows = s.e, s.e.rows.inStep()
	for _, in := range s.inputs {
		v := in.v
		if in.walk {
			v = value{xs[0], slices.DeleteFunc(slices.Clone(v.bound), func(i *model.Index) bool { return i == s.t }), v.axes}
			xs = xs[1:]
		} else {
			v.node, shared = shared[0], shared[1:]
		}
		step.remember(in.expr, v)
	}
	for _, sub := range s.piece.Recurrence.Reads {
		step.remember(sub, s.read(step, carry, sub))
	}
	return step
}

// remember enters a value that is there already.
func (e *emitter) remember(x model.Expr, v value) {
	for _, memo := range e.exprs {
		memo[x] = v
	}
}

// read is a self-read: a row of the carry at a constant lag, or any rows of the whole array.
func (s *series) read(step *emitter, carry Node, sub *model.Subscript) value {
	k, b := s.piece.Recurrence.Axis, len(s.outer)
	at := *sub
	at.Subs, at.Type.Axes = kept(sub.Subs, s.e.along(sub.X)), s.e.axesOf(sub)
	if !s.piece.Recurrence.Whole {
		_, c, ok := s.e.affine(at.Subs[k].At)
		if !ok {
			bug("a lag that is not constant")
		}
		row := s.rows + c
		n := autodiff.Reshape(cutAxis(carry, b, row, row+1), slices.Delete(slices.Clone(carry.Shape()), b, b+1)...)
		at.X = &known{v: value{n, s.outer, s.rest}}
		at.Subs = slices.Delete(slices.Clone(at.Subs), k, k+1)
		return step.subscript(&at)
	}
	// The whole array with its axes in order.
	perm := make([]int, 0, carry.Rank())
	for i := range b {
		perm = append(perm, i)
	}
	for i := range s.array.Type.Axes {
		switch {
		case i < k:
			perm = append(perm, b+1+i)
		case i == k:
			perm = append(perm, b)
		default:
			perm = append(perm, b+i)
		}
	}
	at.X = &known{v: value{autodiff.Permute(carry, perm...), s.outer, s.array.Type.Axes}}
	defer step.under(value{})() // the checker has proved the order
	return step.subscript(&at)
}

func cutAxis(n Node, axis, lo, hi int) Node {
	from, to := make([]int, n.Rank()), slices.Clone(n.Shape())
	from[axis], to[axis] = lo, hi
	return autodiff.Slice(n, from, to)
}

// push puts a step's row into the carry: behind the others, or in its place.
func (s *series) push(step *emitter, carry, t Node, v value) Node {
	b := len(s.outer)
	plates := slices.DeleteFunc(slices.Clone(s.piece.Plates), func(i *model.Index) bool { return i == s.t })
	v = step.unbind(v, plates, nil)
	v.axes = s.rest
	n := step.align(v, s.outer, s.rest)
	row := autodiff.Reshape(n, slices.Insert(slices.Clone(n.Shape()), b, 1)...)
	if !s.piece.Recurrence.Whole {
		return autodiff.Concat(b, cutAxis(carry, b, 1, s.rows), row)
	}
	first := s.e.box(s.array.Type.Axes[s.piece.Recurrence.Axis]).lo
	here := autodiff.Eq(carry.Graph().Iota(s.rows), autodiff.Sub(t, carry.Graph().Const(float64(first))))
	at := make([]int, carry.Rank())
	for i := range at {
		at[i] = i
	}
	return autodiff.Where(autodiff.Broadcast(here, carry.Shape(), []int{b}),
		autodiff.Broadcast(autodiff.Reshape(row, n.Shape()...), carry.Shape(), slices.Delete(at, b, b+1)), carry)
}

// newest is the last row of each carry after its step, [t, outer…, rest…].
func (s *series) newest(all Node) Node {
	b := 1 + len(s.outer)
	n := cutAxis(cutAxis(all, 0, 1, all.Shape()[0]), b, s.rows-1, s.rows)
	return autodiff.Reshape(n, slices.Delete(slices.Clone(n.Shape()), b, b+1)...)
}

// last is the recurrence's rows of the final carry, [t, outer…, rest…].
func (s *series) last(all Node) Node {
	steps, b := all.Shape()[0], len(s.outer)
	n := cutAxis(all, 0, steps-1, steps)
	n = autodiff.Reshape(n, n.Shape()[1:]...)
	first := s.e.box(s.array.Type.Axes[s.piece.Recurrence.Axis]).lo
	n = cutAxis(n, b, s.steps.lo-first, s.steps.hi-first+1)
	return autodiff.Permute(n, append([]int{b}, others(n.Rank(), b)...)...)
}

// bind makes [t, outer…, rest…] the value of the piece: its plates bound, axes beyond them own.
func (s *series) bind(n Node) value {
	order := append([]*model.Index{s.t}, s.outer...)
	for k, slot := range s.piece.Slots {
		if k != s.piece.Recurrence.Axis {
			order = append(order, slot.Index)
		}
	}
	bound := union(value{bound: order})
	perm := make([]int, 0, n.Rank())
	for _, i := range bound {
		perm = append(perm, slices.Index(order, i))
	}
	for k := len(order); k < n.Rank(); k++ {
		perm = append(perm, k)
	}
	return value{autodiff.Permute(n, perm...), bound, s.rest[len(s.piece.Slots)-1:]}
}
