package check

import (
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/diag"
)

// observe determines the plates of an observation: its slots, or every axis of the data before the event axes. It
// returns false after an error.
func (c *checker) observe(a *scope.Array, d *scope.Draw) bool {
	d.Scope = scope.New(a.Scope)
	if a.Decl == nil && !c.isStatic(a) {
		c.Errorf(diag.ObservedDefinition, d.Head.Span(), "`%s` is defined on line %d from parameters; it cannot be "+
			"observed too", a.Name, a.At.Line()).
			Related(a.At, "the definition").Help("to add its log density, write `factor logpdf(D, %s)` with the "+
			"distribution D", a.Name)
		return false
	}
	axes := a.Type.Axes
	event := min(c.eventOf(d.Scope, d.Stmt.Dist), len(axes))
	switch {
	case isBroken(a): // its axes are not known; find other errors in the statement
		c.slots(d.Scope, d.Head, event)
		c.drawnFrom(d)
		return false
	case len(d.Head.Slots) > len(axes):
		c.Errorf(diag.AxisCount, d.Head.Span(), "`%s` has %s but is given %s", a.Name, model.HaveAxes(axes),
			diag.Count(len(d.Head.Slots), "subscript", "subscripts"))
		return false
	case len(d.Head.Slots) > 0:
		d.Slots, d.Bare, d.Event = c.slots(d.Scope, d.Head, event)
		d.Event = axes[len(d.Slots):]
	default:
		for _, s := range axes[:len(axes)-event] {
			i := c.plateOver(s, axes)
			d.Slots, d.Bare = append(d.Slots, model.Slot{Index: i}), append(d.Bare, i)
		}
		d.Event = axes[len(axes)-event:]
	}
	if typing.HasPoison(d.Slots) {
		return false
	}
	if a.Role == model.Imputed && len(a.Draws) == 1 && !coversAxes(d.Slots, axes) {
		c.NotYet(d.Head.Span(), "missing entries that other statements use, in an array observed in part").
			Help("give all elements of `%s` a distribution, or declare those without one as separate data", a.Name)
		return false
	}
	if _, ok := c.expand(a, d); !ok {
		return false
	}
	dist := c.distRow(d)
	if dist != nil && dist.Discrete() {
		a.NeedInt = true
	}
	if dist != nil && len(d.Event) != dist.Event {
		said := c.Errorf(diag.AxisCount, d.Head.Span(), "`%s` has %s, so `%s` leaves %s; %s is a distribution of %s",
			a.Name, model.HaveAxes(axes),
			d.Head.Span().Text(), model.HaveAxes(d.Event), dist.Name,
			typing.EventText(dist.Event))
		if dist.Event == 0 {
			said.Help("give every axis an index")
		}
		return false
	}
	return true
}

// plateOver returns an index over an axis. If the bounds of a ragged axis depend on an index over this axis, plateOver
// returns that index, otherwise a new one.
func (c *checker) plateOver(s *model.Set, axes []*model.Set) *model.Index {
	for _, t := range axes {
		for _, i := range t.Ragged {
			if i.Set == s {
				return i
			}
		}
	}
	return c.NewIndex("", s)
}

// coversAxes reports whether each slot is an index over its entire axis.
func coversAxes(slots []model.Slot, axes []*model.Set) bool {
	for k, s := range slots {
		if s.Index == nil || !s.Index.Set.Same(axes[k]) {
			return false
		}
	}
	return true
}
