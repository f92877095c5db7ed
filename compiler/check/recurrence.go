package check

import (
	"ppl/compiler/model"
	"ppl/lang/ast"
)

// recursive reports whether a definition reads itself, as far as its text tells.
func (c *checker) recursive(a *arrayInfo) bool {
	if a.decl != nil || len(a.draws) > 0 {
		return false
	}
	for _, d := range a.defs {
		if len(d.head.Slots) > 0 && mentionedNames([]ast.Stmt{d.stmt})[a.Name] {
			return true
		}
	}
	return false
}

// resolveRecurrence elaborates an array that is defined by its own past: its axes are those of the left sides, so that bodies can
// read it before they are known.
func (c *checker) resolveRecurrence(a *arrayInfo) {
	scopes := make([]*scope, len(a.defs))
	bares := make([][]*model.Index, len(a.defs))
	for i, d := range a.defs {
		scopes[i] = newScope(a.scope)
		slots, bare, _ := c.slots(scopes[i], d.head, 0)
		if poisonSlot(slots) {
			a.Pieces = nil
			return
		}
		bares[i] = bare
		c.addPiece(a, &model.Piece{At: d.head.Span(), Slots: slots, Plates: plates(slots)}, nil, model.Type{Range: anyRange})
	}
	c.cover(a)
	a.state = typed
	for i, d := range a.defs {
		if !c.recurrenceBody(a, a.Pieces[i], scopes[i], bares[i], d) {
			a.Pieces = nil
			return
		}
	}
}

func (c *checker) recurrenceBody(a *arrayInfo, p *model.Piece, s *scope, bare []*model.Index, d define) bool {
	var x model.Expr
	if d.stmt.Block != nil {
		x = c.block(s, d.stmt.Block)
	} else {
		x = c.expr(s, d.stmt.Value)
	}
	if isPoison(x) {
		return false
	}
	x, ok := c.absorb(x, 0, bare, a.Name)
	if !ok {
		return false
	}
	p.Value = x
	p.Recurrence, ok = c.direction(a, p, []model.Expr{x})
	return ok && c.alone(a, x)
}

// alone refuses arrays that read each other, each its own past through the other.
func (c *checker) alone(a *arrayInfo, x model.Expr) bool {
	seen := map[*model.Array]bool{a.Array: true}
	var through *model.Array
	var visit func(e model.Expr, via *model.Array)
	visit = func(e model.Expr, via *model.Array) {
		model.Walk(e, func(y model.Expr) {
			r, ok := y.(*model.Ref)
			if !ok {
				return
			}
			if r.Array == a.Array && via != nil {
				through = via
			}
			if seen[r.Array] || r.Array.Role != model.Definition {
				return
			}
			seen[r.Array] = true
			for _, p := range r.Array.Pieces {
				if p.Value != nil {
					visit(p.Value, r.Array)
				}
			}
		})
	}
	visit(x, nil)
	if through != nil {
		c.notYet(x.Info().At, "`"+a.Name+"` and `"+through.Name+"` read each other; recurrences of several arrays")
		return false
	}
	return true
}

// A place says where a self-read lies along an axis, seen from the index that is being defined.
type place struct {
	kind placeKind
	lag  int
}

type placeKind uint8

const (
	unknown placeKind = iota
	before            // at t − lag
	past              // somewhere before t
	after
	same
)

// direction finds the axis along which every read of a, in the expressions that define piece p, is strictly before. It is nil
// when there is no such read.
func (c *checker) direction(a *arrayInfo, p *model.Piece, exprs []model.Expr) (*model.Recurrence, bool) {
	var reads []*model.Subscript
	whole := false
	var find func(x model.Expr)
	find = func(x model.Expr) {
		if sub, ok := x.(*model.Subscript); ok {
			if r, isRef := sub.X.(*model.Ref); isRef && r.Array == a.Array {
				reads = append(reads, sub)
				for _, s := range sub.Subs {
					if s.At != nil {
						find(s.At)
					}
				}
				return
			}
		}
		if r, ok := x.(*model.Ref); ok && r.Array == a.Array {
			whole = true
			c.errorf("E18", r.At, "cannot see that `%s` comes before what is being defined; read it at `t - 1` or over a range that ends at t-1", a.Name)
			return
		}
		for _, y := range model.Children(x) {
			find(y)
		}
	}
	for _, x := range exprs {
		find(x)
	}
	if whole {
		return nil, false
	}
	if len(reads) == 0 {
		return nil, true
	}
	for k, slot := range p.Slots {
		if slot.Index == nil {
			continue
		}
		if r := along(reads, k, slot.Index); r != nil {
			return r, true
		}
	}
	c.noDirection(a, p, reads)
	return nil, false
}

// along is the recurrence along axis k if every read is strictly before index t there.
func along(reads []*model.Subscript, k int, t *model.Index) *model.Recurrence {
	r := &model.Recurrence{Axis: k}
	for _, sub := range reads {
		if k >= len(sub.Subs) || sub.Subs[k].At == nil {
			return nil
		}
		switch at := placeOf(sub.Subs[k].At, t); at.kind {
		case before:
			r.Lag = max(r.Lag, at.lag)
		case past:
			r.Whole = true
		default:
			return nil
		}
		r.Reads = append(r.Reads, sub)
	}
	return r
}

// placeOf proves from its form where a subscript lies: t − c; a variable bound by a range that ends before t; t − k for a
// variable that starts at 1 or more.
func placeOf(x model.Expr, t *model.Index) place {
	gap := linearOf(x).plus(atom("index "+itoa(t.ID)), -1)
	switch {
	case gap.isConst() && gap.c < 0:
		return place{before, int(-gap.c)}
	case gap.isConst() && gap.c > 0:
		return place{kind: after}
	case gap.isConst():
		return place{kind: same}
	}
	for _, i := range indicesOf(x) {
		if i == t {
			continue
		}
		if v, ok := x.(*model.IndexVar); ok && v.Index == i {
			end := linearOf(i.Set.Hi).plus(atom("index "+itoa(t.ID)), -1)
			if end.isConst() && end.c < 0 {
				return place{kind: past}
			}
			continue
		}
		lag := gap.plus(atom("index "+itoa(i.ID)), 1) // x = t − i + const
		if lo := i.Set.Lo.Info().Type.Range.Lo; lag.isConst() && lag.c-lo < 0 {
			return place{kind: past}
		}
	}
	return place{}
}

func (c *checker) noDirection(a *arrayInfo, p *model.Piece, reads []*model.Subscript) {
	var back, forth *model.Subscript
	for _, sub := range reads {
		for k, slot := range p.Slots {
			if slot.Index == nil || k >= len(sub.Subs) || sub.Subs[k].At == nil {
				continue
			}
			switch placeOf(sub.Subs[k].At, slot.Index).kind {
			case before, past:
				back = sub
			case after:
				forth = sub
			}
		}
	}
	switch {
	case back != nil && forth != nil:
		c.errorf("E17", forth.At, "`%s` reads `%s` here and `%s` elsewhere; a recurrence has one direction", p.At.Text(), forth.At.Text(), back.At.Text()).
			Related(back.At, "the other read")
	case forth != nil:
		c.notYet(forth.At, "a recurrence that runs backwards")
	default:
		c.errorf("E18", reads[0].At, "cannot see that `%s` comes before `%s`; use t - c, or a range that ends at t-1", reads[0].At.Text(), p.At.Text()).
			Related(p.At, "being defined")
	}
}
