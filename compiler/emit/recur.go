package emit

import (
	"slices"

	"ppl/compiler/model"
)

// A series is a group of arrays that read their own or each other's past, on its way to scans. Time is cut where pieces
// begin and end, and each stretch is one scan over all members. What values read beside the group is evaluated outside,
// for all steps at once; a step of the scan sees slices of it. The carry holds for each member the last rows, newest
// last, or the whole array where a read may go back any distance. What is drawn after inference is known to a scan;
// where it is to be drawn (walk.go), a step is one of the walk.
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

// recurrence is the value of a piece of a group. z gives pieces of parameters that are worked out from coordinates of
// their own.
func (e *emitter) recurrence(p *model.Piece, z map[*model.Piece]value) value {
	once := len(z) == 0 || e.coordinates != nil // else coordinates of one parameter at a time
	known := e.series[min(len(e.guards), 1)]
	s := known[p.Recurrence.Group]
	if s == nil || !once {
		s = &series{e: e, back: p.Recurrence.Group.Back}
		s.enlist(p.Recurrence.Group, z)
		s.run()
	}
	if once {
		known[p.Recurrence.Group] = s
	}
	return s.bind(p, s.moveOf(p))
}

func (s *series) enlist(g *model.Group, z map[*model.Piece]value) {
	e := s.e
	s.told = g.DataOrdered
	for _, of := range g.Members {
		m := &member{array: of.Array, axis: of.Axis, whole: of.Whole, rows: max(1, of.Lag),
			box: e.box(of.Array.Type.Axes[of.Axis])}
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
	v.steps = s.e.box(p.Slots[m.axis].Set())
	for _, x := range v.roots {
		s.collect(v, x)
	}
	return v
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
func (s *series) collect(v *move, x model.Expr) {
	if !s.readsSelf(x) {
		if !slices.ContainsFunc(v.inputs, func(in input) bool { return in.expr == x }) {
			out := s.e.expr(x)
			v.inputs = append(v.inputs, input{x, out, v.t != nil && slices.Contains(out.bound, v.t)})
		}
		return
	}
	switch x := x.(type) {
	case *model.Ref:
		return
	case *model.Subscript:
		if slices.Contains(s.told, x) {
			s.e.inPast(x, s.memberOf(x.X.(*model.Ref).Array).axis, v.t, s.back)
		}
	}
	s.e.eachChild(x, s.condition, func(y model.Expr) { s.collect(v, y) })
}

// condition is a guard; one that reads the group itself is not known.
func (s *series) condition(x model.Expr) value {
	if s.readsSelf(x) {
		return value{}
	}
	return s.e.expr(x)
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
