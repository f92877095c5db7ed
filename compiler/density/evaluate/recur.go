package evaluate

import (
	"slices"

	"ppl/compiler/frontend/model"
)

// A Series is a group of arrays that read their own or each other's past, prepared for computation by scans. Time is
// divided where pieces start and end, and each segment is one scan over all members. Expressions that do not read the
// group are evaluated outside, for all steps at once; a step of the scan reads slices of them. The carry holds, for
// each member, the last rows, newest last, or the entire array if reads may go back any distance. Pieces with a
// distribution are computed in the scan if the source has a rule for them; otherwise their values are known before the
// scan.
type Series struct {
	e       *Evaluator
	group   *model.Group
	Back    bool // time runs from the upper end to the lower
	ordered []*model.Subscript
	members []*member
	outer   []*model.Index // bound axes that are not plates of the pieces
}

// A member is an array of a series.
type member struct {
	array  *model.Array
	axis   int
	inFull bool         // the carry holds the entire array
	rows   int          // number of rows of the member in the carry
	box    Box          // range of the axis along which it recurs
	rest   []*model.Set // the array's other axes
	moves  []*scanned
	known  []part
}

// A scanned is a piece that is computed by a scan.
type scanned struct {
	piece  *model.Piece
	t      *model.Index // nil if the piece is one element
	steps  Box
	roots  []model.Expr
	inputs []input
	body   func(step *Evaluator) Value
	done   []part
}

// A part is a range of rows of an array whose values are known, with shape [outer…, rows, rest…].
type part struct {
	rows Box
	node Node
	own  []*model.Index // its outer axes
}

// An input is an expression that does not read the group, evaluated outside the scan.
type input struct {
	expr model.Expr
	v    Value
	walk bool // has an axis along t
}

// Recurrence returns the value of a piece of a group. The group is computed once.
func (e *Evaluator) Recurrence(p *model.Piece) Value {
	known, g := e.series[min(len(e.Guards), 1)], p.Scanned().Group
	s := known[g]
	if s == nil {
		s = e.scan(g, e.Source.Scanned)
		known[g] = s
	}
	return s.bind(p, s.moveOf(p))
}

// RecurrenceBy returns the value of a piece of a group, with separate rules for pieces that have a distribution.
func (e *Evaluator) RecurrenceBy(p *model.Piece, rules Rules) Value {
	s := e.scan(p.Scanned().Group, rules)
	return s.bind(p, s.moveOf(p))
}

// Rules returns the rule for a piece with a distribution; nil if its value is known without the scan.
type Rules func(e *Evaluator, p *model.Piece) *Rule

func (e *Evaluator) scan(g *model.Group, rules Rules) *Series {
	s := NewSeries(e, g, rules)
	s.run()
	return s
}

// NewSeries prepares the scan of a group of arrays that read each other's past.
func NewSeries(e *Evaluator, g *model.Group, rules Rules) *Series {
	s := &Series{e: e, group: g, Back: g.Back}
	s.enlist(g, rules)
	return s
}

func (s *Series) enlist(g *model.Group, rules Rules) {
	e := s.e
	s.ordered = g.DataOrdered
	for _, of := range g.Members {
		m := &member{array: of.Array, axis: of.Axis, inFull: of.Whole, rows: max(1, of.Lag),
			box: e.Box(of.Array.Type.Axes[of.Axis])}
		if m.inFull {
			m.rows = m.box.Size()
		}
		for k, set := range of.Array.Type.Axes {
			if k != of.Axis {
				m.rest = append(m.rest, set)
			}
		}
		s.members = append(s.members, m)
	}
	known := map[*model.Piece]*Rule{} // rules are obtained before anything else is evaluated
	for _, m := range s.members {
		for _, p := range m.array.Pieces {
			if p.In(g) != nil && p.Term != nil {
				known[p] = rules(e, p)
			}
		}
	}
	for _, m := range s.members {
		for _, p := range m.array.Pieces {
			if moved := s.newMove(m, p, known[p]); moved != nil {
				m.moves = append(m.moves, moved)
			}
		}
	}
}

// newMove returns the computation of a piece by a scan; nil if its value is known without the series.
func (s *Series) newMove(m *member, p *model.Piece, r *Rule) *scanned {
	if p.In(s.group) == nil {
		return nil
	}
	v := &scanned{piece: p, t: p.Slots[m.axis].Index}
	if p.Value != nil {
		v.roots, v.body = []model.Expr{p.Value}, func(step *Evaluator) Value { return step.Expr(p.Value) }
	} else {
		if r == nil {
			return nil
		}
		v.roots, v.body = r.Reads, r.Value
		if r.Given != nil {
			v.inputs = []input{{r.Given, r.Given.Value, v.t != nil}}
		}
	}
	v.steps = s.e.Box(p.Slots[m.axis].Set())
	for _, x := range v.roots {
		s.collect(v, x)
	}
	return v
}

func (s *Series) moveOf(p *model.Piece) *scanned {
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

// collect adds to the inputs the largest subexpressions of x that do not read the group.
func (s *Series) collect(v *scanned, x model.Expr) {
	if !s.readsSelf(x) {
		if !slices.ContainsFunc(v.inputs, func(in input) bool { return in.expr == x }) {
			out := s.e.Expr(x)
			v.inputs = append(v.inputs, input{x, out, v.t != nil && slices.Contains(out.Bound, v.t)})
		}
		return
	}
	switch x := x.(type) {
	case *model.Ref:
		return
	case *model.Subscript:
		if slices.Contains(s.ordered, x) {
			s.e.inPast(x, s.memberOf(x.X.(*model.Ref).Array).axis, v.t, s.Back)
		}
		if !s.readsSelf(x.X) {
			s.checkSubscripts(x)
		}
	}
	s.e.EachChild(x, s.condition, func(y model.Expr) { s.collect(v, y) })
}

// checkSubscripts reports an error for subscripts of an array outside the group that do not depend on the group and
// exceed the array. In a step of the series they could not be checked any more.
func (s *Series) checkSubscripts(x *model.Subscript) {
	for k, axis := range s.e.AxesOf(x.X)[:len(x.Subs)] {
		if at := x.Subs[k].At; at != nil && !s.readsSelf(at) {
			s.e.CheckGather(x, k, Pick{At: s.e.Expr(at)}, s.e.Box(axis))
		}
	}
}

// condition returns the value of a guard, or the zero value if the guard reads the group.
func (s *Series) condition(x model.Expr) Value {
	if s.readsSelf(x) {
		return Value{}
	}
	return s.e.Expr(x)
}

func (s *Series) readsSelf(x model.Expr) bool {
	return slices.ContainsFunc(model.Arrays(x), func(a *model.Array) bool { return s.memberOf(a) != nil })
}

func (s *Series) memberOf(a *model.Array) *member {
	for _, m := range s.members {
		if s.e.shown(m.array) == a {
			return m
		}
	}
	return nil
}

func (s *Series) memberWith(v *scanned) *member {
	return s.members[slices.IndexFunc(s.members, func(m *member) bool { return slices.Contains(m.moves, v) })]
}
