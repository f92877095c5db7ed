package emit

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// A series is a group of arrays that read their own or each other's past, on its way to scans. Time is cut where pieces begin and end, and each
// stretch is one scan over all members. What values read beside the group is evaluated outside, for all steps at once; a step of the scan sees slices
// of it. The carry holds for each member the last rows, newest last, or the whole array where a read may go back any distance. What is drawn after
// inference is known to a scan; where it is to be drawn (walk.go), a step is one of the walk.
type series struct {
	e       *emitter
	back    bool // time runs from the upper end to the lower
	told    []*model.Subscript
	members []*member
	outer   []*model.Index // bound axes that are no plates of the pieces
	walks   bool           // pieces drawn after inference are drawn, by rolls
	rolls   []roll         // of the step that is being emitted
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
		s = &series{e: e, back: p.Recurrence.Group.Back}
		s.enlist(p.Recurrence.Group, z)
		s.run()
	}
	if once {
		e.series[p.Recurrence.Group] = s
	}
	return s.bind(p, s.moveOf(p))
}

func (s *series) enlist(g *model.Group, z map[*model.Piece]value) {
	e := s.e
	s.told = g.Told
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
		v.roots, v.inputs = shiftedBy(p.Term), []input{{coordinate, at, v.t != nil}}
		v.body = func(step *emitter) value { return step.shifted(p.Term, step.expr(coordinate)) }
	case s.walks && p.Term.Kind == model.Generate:
		v.roots, v.body = lawOf(p.Term), func(step *emitter) value { return s.roll(step, v) }
	default:
		return nil
	}
	v.steps = s.e.box(slotSet(p.Slots[m.axis]))
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
		if m.whole {
			s.e.tellPast(m)
		}
	}
	carry := s.begin(stretches)
	for _, b := range stretches {
		carry = s.stretch(b, carry)
	}
}

// begin enters what is known and gives the carry before the first stretch.
func (s *series) begin(stretches []box) Node {
	first, last := stretches[0], stretches[len(stretches)-1]
	for _, m := range s.members {
		s.base(m, box{min(first.lo, last.lo), max(first.hi, last.hi)})
	}
	s.findOuter()
	var rows []Node
	for _, m := range s.members {
		rows = append(rows, s.before(m, first))
	}
	return s.pack(rows)
}

// stretches cuts the time of all moves where one begins or ends, in the order of the steps.
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
	if s.back {
		slices.Reverse(out)
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
		n := frontAxis(w.node, len(w.bound), m.axis)
		m.known = append(m.known, part{b, s.widened(m, q, n, len(w.bound)+1), w.bound})
	}
}

// widened lays what a piece says of a member along the member's other axes, which begin at axis lead: 0 where the piece is not.
func (s *series) widened(m *member, p *model.Piece, n Node, lead int) Node {
	before, after := make([]int, n.Rank()), make([]int, n.Rank())
	at := lead
	for k, slot := range p.Slots {
		if k != m.axis {
			all, part := s.e.box(m.array.Type.Axes[k]), s.e.box(slotSet(slot))
			before[at], after[at] = part.lo-all.lo, all.hi-part.hi
			at++
		}
	}
	if isZero(before) && isZero(after) {
		return n
	}
	return autodiff.Pad(n, before, after)
}

func isZero(n []int) bool { return !slices.ContainsFunc(n, func(k int) bool { return k != 0 }) }

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
	for _, p := range m.knownIn(rows) {
		lo, hi := max(p.rows.lo, rows.lo), min(p.rows.hi, rows.hi)
		n := cutAxis(s.spread(p), b, lo-p.rows.lo, hi-p.rows.lo+1)
		before, after := make([]int, n.Rank()), make([]int, n.Rank())
		before[b], after[b] = lo-rows.lo, rows.hi-hi
		sum = autodiff.Add(sum, autodiff.Pad(n, before, after))
	}
	return sum
}

// knownIn are the parts that say something of rows.
func (m *member) knownIn(rows box) (out []part) {
	for _, p := range m.known {
		if p.rows.lo <= rows.hi && rows.lo <= p.rows.hi {
			out = append(out, p)
		}
	}
	return out
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

// active are the moves that give a member its values in a stretch, beside what is known.
func (m *member) active(stretch box) (out []*move) {
	for _, v := range m.moves {
		if v.steps.lo <= stretch.lo && stretch.hi <= v.steps.hi {
			out = append(out, v)
		}
	}
	return out
}

// knows reports whether something of a member is known in a stretch; all of it where it does not move.
func (m *member) knows(stretch box) bool {
	return len(m.active(stretch)) == 0 || len(m.knownIn(stretch)) > 0
}

// stretch runs one scan, from the carry before it to that after it.
func (s *series) stretch(b box, carry Node) Node {
	xs, shared := s.feeds(b)
	all := autodiff.Scan(carry, xs, shared, s.back, func(carry Node, x, sh []Node) Node {
		return s.step(b, carry, x, sh)
	})
	s.enter(b, all)
	return autodiff.Reshape(s.final(all), carry.Shape()...)
}

// final is the carry after the last step.
func (s *series) final(all Node) Node {
	if s.back {
		return cutAxis(all, 0, 0, 1)
	}
	return cutAxis(all, 0, all.Shape()[0]-1, all.Shape()[0])
}

// feeds are what steps read beside the carry: slices along the first axis, the time itself first, and what is the same for all.
func (s *series) feeds(b box) (xs, shared []Node) {
	xs = []Node{autodiff.Add(s.e.g.Iota(b.size()), s.e.g.Const(float64(b.lo)))}
	for _, m := range s.members {
		if m.knows(b) { // [t, outer…, rest…]
			xs = append(xs, frontAxis(s.rowsOf(m, b), 0, len(s.outer)))
		}
		for _, v := range m.active(b) {
			for _, in := range v.inputs {
				if in.walk {
					xs = append(xs, cutAxis(frontBound(in.v, v.t), 0, b.lo-v.steps.lo, b.hi-v.steps.lo+1))
				} else {
					shared = append(shared, in.v.node)
				}
			}
		}
	}
	return xs, shared
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
		var parts []Node
		if m.knows(b) {
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

// rememberInputs enters what a move reads beside the group, and gives what is left for the others.
func (v *move) rememberInputs(step *emitter, xs, shared []Node) (restX, restShared []Node) {
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
	return xs, shared
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

// row is what a move says of a member at this step, [outer…, rest…].
func (s *series) row(step *emitter, m *member, v *move) Node {
	w := step.unbind(v.body(step), v.still(), nil)
	shape := w.node.Shape()
	at := len(w.bound)
	for k, slot := range v.piece.Slots {
		if k != m.axis {
			if slot.Index == nil {
				shape = slices.Insert(slices.Clone(shape), at, 1)
			}
			at++
		}
	}
	w.node, w.axes = s.widened(m, v.piece, autodiff.Reshape(w.node, shape...), len(w.bound)), m.rest
	return step.align(w, s.outer, m.rest)
}

// still are the plates of a move that do not run along the recurrence.
func (v *move) still() []*model.Index {
	return slices.DeleteFunc(slices.Clone(v.piece.Plates), func(i *model.Index) bool { return i == v.t })
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
		moves := m.active(b)
		if len(moves) == 0 {
			continue
		}
		var rows Node
		if m.whole {
			n := s.unpack(s.final(all), 1)[k]
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
		for _, v := range moves {
			v.done = append(v.done, part{b, rows, s.outer})
		}
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
	n := frontAxis(autodiff.Concat(len(s.outer), rows...), 0, len(s.outer)) // [rows, outer…, rest…]
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
		all, part := s.e.box(m.array.Type.Axes[k]), s.e.box(slotSet(slot))
		n = cutAxis(n, at, part.lo-all.lo, part.hi-all.lo+1)
		if slot.Index != nil {
			order, shape = append(order, slot.Index), append(shape, part.size())
		}
		at++
	}
	shape = append(shape, n.Shape()[at:]...)
	return value{autodiff.Reshape(n, shape...), order, m.rest[len(p.Slots)-1:]}.sorted()
}
