package emit

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// A series is a group of arrays that read their own or each other's past, on its way to scans. Time is cut where pieces begin and end, and each
// stretch is one scan over all members. What values read beside the group is evaluated outside, for all steps at once; a step of the scan sees slices
// of it. The carry holds for each member the last rows, newest last, or the whole array where a read may go back any distance.
type series struct {
	e       *emitter
	back    bool // time runs from the upper end to the lower
	told    []*model.Subscript
	members []*member
	outer   []*model.Index // bound axes that are no plates of the pieces
}

// A member is an array of a series.
type member struct {
	array *model.Array
	axis  int
	whole bool
	rows  int          // of the carry
	box   box          // of the axis
	rest  []*model.Set // the array's axes without the recurrence's
	moves []*move
	known []part
}

// A move is a piece that is worked out by a scan.
type move struct {
	piece  *model.Piece
	t      *model.Index // nil where the piece is one element
	steps  box
	roots  []model.Expr
	inputs []input
	body   func(step *emitter) value
	done   []part
}

// A part is what is known of an array: rows, with shape [outer…, rows, rest…].
type part struct {
	rows box
	node Node
	own  []*model.Index // its outer axes
}

// An input is an expression without reads of the group, evaluated outside.
type input struct {
	expr model.Expr
	v    value
	walk bool // has an axis along t
}

// recurrence is the value of a piece of a group. z gives pieces of parameters that are worked out from coordinates of their own.
func (e *emitter) recurrence(p *model.Piece, z map[*model.Piece]value) value {
	once := len(z) == 0 || e.coordinates != nil // else coordinates of one parameter at a time
	s := e.series[p.Recurrence.Group]
	if s == nil || !once {
		s = e.newSeries(p.Recurrence.Group, z)
		s.run()
	}
	if once {
		e.series[p.Recurrence.Group] = s
	}
	return s.bind(p, s.moveOf(p))
}

func (e *emitter) newSeries(g *model.Group, z map[*model.Piece]value) *series {
	s := &series{e: e, back: g.Back, told: g.Told}
	for _, of := range g.Members {
		m := &member{array: of.Array, axis: of.Axis, whole: of.Whole, rows: max(1, of.Lag), box: e.box(of.Array.Type.Axes[of.Axis])}
		if m.whole {
			m.rows = m.box.size()
		}
		for k, set := range of.Array.Type.Axes {
			if k != of.Axis {
				m.rest = append(m.rest, set)
			}
		}
		s.members = append(s.members, m)
	}
	for _, m := range s.members {
		for _, p := range m.array.Pieces {
			if moved := s.newMove(m, p, z); moved != nil {
				m.moves = append(m.moves, moved)
			}
		}
	}
	return s
}

// newMove is nil for a piece that is known without the series.
func (s *series) newMove(m *member, p *model.Piece, z map[*model.Piece]value) *move {
	if p.Recurrence == nil {
		return nil
	}
	v := &move{piece: p, t: p.Slots[m.axis].Index}
	switch at, noncentered := z[p]; {
	case p.Value != nil:
		v.roots, v.body = []model.Expr{p.Value}, func(step *emitter) value { return step.expr(p.Value) }
	case noncentered:
		coordinate := &known{v: at}
		v.roots, v.inputs = locationScaleOf(p.Term), []input{{coordinate, at, v.t != nil}}
		v.body = func(step *emitter) value { return step.shifted(p.Term, step.expr(coordinate)) }
	default:
		return nil
	}
	v.steps = s.e.box(slotSet(p.Slots[m.axis]))
	s.checkSlots(m, p)
	for _, x := range v.roots {
		s.collect(v, x, s.e.guards)
	}
	return v
}

// slotSet is the part of an axis that a slot covers.
func slotSet(s model.Slot) *model.Set {
	if s.Index != nil {
		return s.Index.Set
	}
	return &model.Set{Lo: s.At, Hi: s.At}
}

func (s *series) moveOf(p *model.Piece) *move {
	for _, m := range s.members {
		for _, v := range m.moves {
			if v.piece == p {
				return v
			}
		}
	}
	return nil
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
func (s *series) checkSlots(m *member, p *model.Piece) {
	for k, slot := range p.Slots {
		if k != m.axis && (slot.Index == nil || !slot.Index.Set.Same(m.array.Type.Axes[k])) {
			s.e.diags.Errorf("E99", p.At, "a recurrence over part of another axis: not compiled by this version of ppl yet")
			panic(stop{})
		}
	}
}

// collect finds the largest subexpressions without reads of the group.
func (s *series) collect(v *move, x model.Expr, guards []value) {
	if !s.readsSelf(x) {
		if !slices.ContainsFunc(v.inputs, func(in input) bool { return in.expr == x }) {
			out := s.outside(x, guards)
			v.inputs = append(v.inputs, input{x, out, v.t != nil && slices.Contains(out.bound, v.t)})
		}
		return
	}
	switch x := x.(type) {
	case *model.Ref:
		return
	case *model.Subscript:
		if slices.Contains(s.told, x) {
			s.e.inPast(x, s.memberOf(x.X.(*model.Ref).Array).axis, v.t, guards, s.back)
		}
	case *model.Cond:
		q := s.condition(x.If, guards)
		s.collect(v, x.If, guards)
		s.collect(v, x.Then, slices.Concat(guards, []value{q}))
		s.collect(v, x.Else, slices.Concat(guards, []value{not(q)}))
		return
	case *model.Apply:
		for i, y := range x.Args {
			if i > 0 && x.Lazy() {
				guards = slices.Concat(guards, []value{decides(x.Name, s.condition(x.Args[0], guards))})
			}
			s.collect(v, y, guards)
		}
		return
	case *model.Reduce:
		for _, i := range x.Over {
			s.collect(v, i.Set.Lo, guards)
			s.collect(v, i.Set.Hi, guards)
		}
		old := s.e.guards
		defer func() { s.e.guards = old }()
		s.e.guards = guards
		s.e.underRanges(x.Over)
		s.collect(v, x.X, s.e.guards)
		return
	}
	for _, y := range model.Children(x) {
		s.collect(v, y, guards)
	}
}

// outside is the value of an expression without reads of the group.
func (s *series) outside(x model.Expr, guards []value) value {
	old := s.e.guards
	defer func() { s.e.guards = old }()
	s.e.guards = guards
	return s.e.expr(x)
}

// condition is a guard; one that reads the group itself is not known.
func (s *series) condition(x model.Expr, guards []value) value {
	if s.readsSelf(x) {
		return value{}
	}
	return s.outside(x, guards)
}

func (s *series) readsSelf(x model.Expr) bool {
	return slices.ContainsFunc(model.Arrays(x), func(a *model.Array) bool { return s.memberOf(a) != nil })
}

func (s *series) memberOf(a *model.Array) *member {
	for _, m := range s.members {
		if s.e.shown(m.array) == a {
			return m
		}
	}
	return nil
}

func (s *series) memberWith(v *move) *member {
	return s.members[slices.IndexFunc(s.members, func(m *member) bool { return slices.Contains(m.moves, v) })]
}

// run works out the series, stretch by stretch.
func (s *series) run() {
	stretches := s.stretches()
	if len(stretches) == 0 {
		return
	}
	for _, m := range s.members {
		s.base(m, box{stretches[0].lo, stretches[len(stretches)-1].hi})
		if m.whole {
			s.e.tellPast(m)
		}
	}
	s.findOuter()
	if s.back {
		slices.Reverse(stretches)
	}
	for _, b := range stretches {
		s.stretch(b)
	}
}

// stretches cuts the time of all moves where one begins or ends.
func (s *series) stretches() (out []box) {
	var cuts []int
	for _, m := range s.members {
		for _, v := range m.moves {
			if v.steps.size() > 0 {
				cuts = append(cuts, v.steps.lo, v.steps.hi+1)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for k := 1; k < len(cuts); k++ {
		out = append(out, box{cuts[k-1], cuts[k] - 1})
	}
	return out
}

// base enters the pieces that are known without the series, as far as the series may read them.
func (s *series) base(m *member, times box) {
	first, last := times.lo-m.rows, times.hi+m.rows
	for _, q := range m.array.Pieces {
		if slices.ContainsFunc(m.moves, func(v *move) bool { return v.piece == q }) {
			continue
		}
		b := s.e.box(slotSet(q.Slots[m.axis]))
		if b.size() == 0 || !m.whole && (b.hi < first || b.lo > last) {
			continue
		}
		w := s.e.whole(m.array, q)
		m.known = append(m.known, part{b, frontAxis(w.node, len(w.bound), m.axis), w.bound})
	}
}

func (s *series) findOuter() {
	var all []value
	var inside []*model.Index
	for _, m := range s.members {
		for _, p := range m.known {
			all = append(all, value{bound: p.own})
		}
		for _, v := range m.moves {
			inside = slices.Concat(inside, v.piece.Plates, boundInside(v.roots))
			for _, in := range v.inputs {
				all = append(all, in.v)
			}
		}
	}
	s.outer = slices.DeleteFunc(union(all...), func(i *model.Index) bool { return slices.Contains(inside, i) })
}

// frontBound moves a bound axis to the front.
func frontBound(v value, i *model.Index) Node {
	at := slices.Index(v.bound, i)
	return autodiff.Permute(v.node, append([]int{at}, others(v.rank(), at)...)...)
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

// rowsOf are rows of a member with shape [outer…, rows, rest…], 0 where nothing is known.
func (s *series) rowsOf(m *member, rows box) Node {
	e, b := s.e, len(s.outer)
	sum := e.g.Full(0, slices.Concat(e.shape(s.outer, nil), []int{rows.size()}, e.shape(nil, m.rest))...)
	for _, p := range m.known {
		lo, hi := max(p.rows.lo, rows.lo), min(p.rows.hi, rows.hi)
		if hi < lo {
			continue
		}
		n := cutAxis(s.spread(p), b, lo-p.rows.lo, hi-p.rows.lo+1)
		if lo == rows.lo && hi == rows.hi {
			return n
		}
		before, after := make([]int, n.Rank()), make([]int, n.Rank())
		before[b], after[b] = lo-rows.lo, rows.hi-hi
		sum = autodiff.Add(sum, autodiff.Pad(n, before, after))
	}
	return sum
}

// spread gives a part all outer axes.
func (s *series) spread(p part) Node {
	if slices.Equal(p.own, s.outer) {
		return p.node
	}
	var to []int
	for _, i := range p.own {
		to = append(to, slices.Index(s.outer, i))
	}
	own := p.node.Shape()[len(p.own):]
	for k := range own {
		to = append(to, len(s.outer)+k)
	}
	return autodiff.Broadcast(p.node, slices.Concat(s.e.shape(s.outer, nil), own), to)
}

// before are the rows of a member that the first step of a stretch sees, the newest last.
func (s *series) before(m *member, stretch box) Node {
	switch {
	case m.whole:
		return s.rowsOf(m, m.box)
	case !s.back:
		return s.rowsOf(m, box{stretch.lo - m.rows, stretch.lo - 1})
	}
	ahead := s.rowsOf(m, box{stretch.hi + 1, stretch.hi + m.rows})
	rows := make([]Node, m.rows)
	for k := range rows {
		rows[k] = cutAxis(ahead, len(s.outer), m.rows-1-k, m.rows-k)
	}
	return autodiff.Concat(len(s.outer), rows...)
}

// active is the move that gives a member its values in a stretch; nil where they are known.
func (m *member) active(stretch box) *move {
	for _, v := range m.moves {
		if v.steps.lo <= stretch.lo && stretch.hi <= v.steps.hi {
			return v
		}
	}
	return nil
}

// stretch runs one scan.
func (s *series) stretch(b box) {
	var init []Node
	xs, shared := []Node{autodiff.Add(s.e.g.Iota(b.size()), s.e.g.Const(float64(b.lo)))}, []Node(nil)
	for _, m := range s.members {
		init = append(init, s.before(m, b))
		v := m.active(b)
		if v == nil { // [t, outer…, rest…]
			xs = append(xs, frontAxis(s.rowsOf(m, b), 0, len(s.outer)))
			continue
		}
		for _, in := range v.inputs {
			if in.walk {
				xs = append(xs, cutAxis(frontBound(in.v, v.t), 0, b.lo-v.steps.lo, b.hi-v.steps.lo+1))
			} else {
				shared = append(shared, in.v.node)
			}
		}
	}
	all := autodiff.Scan(s.pack(init), xs, shared, s.back, func(carry Node, x, sh []Node) Node {
		return s.step(b, carry, x, sh)
	})
	s.enter(b, all)
}

// pack lays the members' rows into one carry: as they are for one member, else one after the other.
func (s *series) pack(rows []Node) Node {
	if len(rows) == 1 {
		return rows[0]
	}
	flat := make([]Node, len(rows))
	for k, n := range rows {
		outer := n.Shape()[:len(s.outer)]
		flat[k] = autodiff.Reshape(n, append(slices.Clone(outer), product(n.Shape()[len(s.outer):]))...)
	}
	return autodiff.Concat(len(s.outer), flat...)
}

// unpack undoes pack; lead is the number of axes before the outer ones.
func (s *series) unpack(carry Node, lead int) (rows []Node) {
	if len(s.members) == 1 {
		return []Node{carry}
	}
	at, axis := 0, lead+len(s.outer)
	for _, m := range s.members {
		own := append([]int{m.rows}, s.e.shape(nil, m.rest)...)
		n := cutAxis(carry, axis, at, at+product(own))
		rows = append(rows, autodiff.Reshape(n, slices.Concat(carry.Shape()[:axis], own)...))
		at += product(own)
	}
	return rows
}

// step works out a row of each member, in their order, and puts it into the carry.
func (s *series) step(b box, carry Node, xs, shared []Node) Node {
	step := newEmitter(carry.Graph(), s.e.b, s.e.diags)
	step.outer, step.rows = s.e, s.e.rows.inStep()
	rows, t := s.unpack(carry, 0), xs[0]
	next := slices.Clone(rows)
	xs = xs[1:]
	for k, m := range s.members {
		v := m.active(b)
		if v == nil {
			rows[k], next[k] = s.push(m, rows[k], t, xs[0])
			xs = xs[1:]
			continue
		}
		for _, in := range v.inputs {
			w := in.v
			if in.walk {
				w = value{xs[0], slices.DeleteFunc(slices.Clone(w.bound), func(i *model.Index) bool { return i == v.t }), w.axes}
				xs = xs[1:]
			} else {
				w.node, shared = shared[0], shared[1:]
			}
			step.remember(in.expr, w)
		}
		for _, x := range v.roots {
			s.rememberReads(step, m, v, x, rows)
		}
		rows[k], next[k] = s.push(m, rows[k], t, s.row(step, m, v))
	}
	return s.pack(next)
}

// remember enters a value that is there already.
func (e *emitter) remember(x model.Expr, v value) {
	for _, memo := range e.exprs {
		memo[x] = v
	}
}

// rememberReads enters the reads of the group in an expression: rows of the carry, or of this step where they are there already.
func (s *series) rememberReads(step *emitter, m *member, v *move, x model.Expr, rows []Node) {
	if sub, ok := x.(*model.Subscript); ok {
		if ref, isRef := sub.X.(*model.Ref); isRef && s.memberOf(ref.Array) != nil {
			of := s.memberOf(ref.Array)
			for _, y := range model.Children(sub)[1:] {
				s.rememberReads(step, m, v, y, rows)
			}
			step.remember(sub, s.read(step, of, v.piece.Slots[m.axis], rows[slices.Index(s.members, of)], sub))
			return
		}
	}
	for _, y := range model.Children(x) {
		s.rememberReads(step, m, v, y, rows)
	}
}

// read is a row at a constant distance from the index that is being worked out, or any rows of the whole array.
func (s *series) read(step *emitter, m *member, here model.Slot, rows Node, sub *model.Subscript) value {
	b := len(s.outer)
	at := *sub
	at.Subs, at.Type.Axes = kept(sub.Subs, s.e.along(sub.X)), s.e.axesOf(sub)
	if !m.whole {
		row := m.rows - s.distance(at.Subs[m.axis].At, here)
		n := autodiff.Reshape(cutAxis(rows, b, row, row+1), slices.Delete(slices.Clone(rows.Shape()), b, b+1)...)
		at.X = &known{v: value{n, s.outer, m.rest}}
		at.Subs = slices.Delete(slices.Clone(at.Subs), m.axis, m.axis+1)
		return step.subscript(&at)
	}
	// The whole array with its axes in order.
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
	at.X = &known{v: value{autodiff.Permute(rows, perm...), s.outer, m.array.Type.Axes}}
	i, _, affine := s.e.affine(at.Subs[m.axis].At)
	if affine && i == here.Index || slices.Contains(s.told, sub) { // one place at this step, no axis
		at.Subs = slices.Clone(at.Subs)
		at.Subs[m.axis].At = &known{v: step.expr(at.Subs[m.axis].At)}
	}
	defer step.under(value{})() // the checker has proved the order
	return step.subscript(&at)
}

// distance is how many steps ago a row was worked out.
func (s *series) distance(x model.Expr, here model.Slot) int {
	d := 0
	if here.Index == nil {
		d = toInt(s.e.staticValues(here.At)[0]) - toInt(s.e.staticValues(x)[0])
	} else {
		i, c, ok := s.e.affine(x)
		if !ok || i != here.Index {
			bug("a lag that is not constant")
		}
		d = -c
	}
	if s.back {
		return -d
	}
	return d
}

func cutAxis(n Node, axis, lo, hi int) Node {
	from, to := make([]int, n.Rank()), slices.Clone(n.Shape())
	from[axis], to[axis] = lo, hi
	return autodiff.Slice(n, from, to)
}

// row is a member's value at this step, [outer…, rest…].
func (s *series) row(step *emitter, m *member, v *move) Node {
	w := v.body(step)
	w = step.unbind(w, slices.DeleteFunc(slices.Clone(v.piece.Plates), func(i *model.Index) bool { return i == v.t }), nil)
	w.axes = m.rest
	return step.align(w, s.outer, m.rest)
}

// push puts a row behind the others, or in its place: the rows that the rest of this step sees, and those of the next.
func (s *series) push(m *member, rows, t, row Node) (now, next Node) {
	b := len(s.outer)
	if !m.whole {
		row = autodiff.Reshape(row, slices.Insert(slices.Clone(row.Shape()), b, 1)...)
		return autodiff.Concat(b, rows, row), autodiff.Concat(b, cutAxis(rows, b, 1, m.rows), row)
	}
	here := autodiff.Eq(rows.Graph().Iota(m.rows), autodiff.Sub(t, rows.Graph().Const(float64(m.box.lo))))
	at := make([]int, rows.Rank())
	for i := range at {
		at[i] = i
	}
	now = autodiff.Where(autodiff.Broadcast(here, rows.Shape(), []int{b}), autodiff.Broadcast(row, rows.Shape(), slices.Delete(at, b, b+1)), rows)
	return now, now
}

// enter keeps what a stretch has worked out. Of all carries, those after each step have its row: the newest, or in its place.
func (s *series) enter(b box, all Node) {
	steps, axis := all.Shape()[0], len(s.outer)
	for k, m := range s.members {
		v := m.active(b)
		if v == nil {
			continue
		}
		var rows Node
		if m.whole {
			final := cutAxis(all, 0, steps-1, steps)
			if s.back {
				final = cutAxis(all, 0, 0, 1)
			}
			n := s.unpack(final, 1)[k]
			rows = cutAxis(autodiff.Reshape(n, n.Shape()[1:]...), axis, b.lo-m.box.lo, b.hi-m.box.lo+1)
		} else {
			after := cutAxis(all, 0, 1, steps)
			if s.back {
				after = cutAxis(all, 0, 0, steps-1)
			}
			n := cutAxis(s.unpack(after, 1)[k], 1+axis, m.rows-1, m.rows)
			n = autodiff.Reshape(n, slices.Delete(slices.Clone(n.Shape()), 1+axis, 2+axis)...)
			rows = backAxis(n, axis)
		}
		p := part{b, rows, s.outer}
		m.known, v.done = append(m.known, p), append(v.done, p)
	}
}

// backAxis moves the first axis behind the k next ones.
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

// bind is the value of a piece: its plates bound, axes beyond them own.
func (s *series) bind(p *model.Piece, v *move) value {
	m := s.memberWith(v)
	slices.SortFunc(v.done, func(a, b part) int { return a.rows.lo - b.rows.lo })
	var rows []Node
	for _, d := range v.done {
		rows = append(rows, d.node)
	}
	if len(rows) == 0 { // no step at all
		rows = append(rows, s.e.g.Full(0, slices.Concat(s.e.shape(s.outer, nil), []int{0}, s.e.shape(nil, m.rest))...))
	}
	n := autodiff.Concat(len(s.outer), rows...)
	order := slices.Clone(s.outer)
	if v.t == nil {
		n = autodiff.Reshape(n, slices.Delete(slices.Clone(n.Shape()), len(s.outer), len(s.outer)+1)...)
	} else {
		order = append(order, v.t)
	}
	for k, slot := range p.Slots {
		if k != m.axis {
			order = append(order, slot.Index)
		}
	}
	return value{n, order, m.rest[len(p.Slots)-1:]}.sorted()
}
