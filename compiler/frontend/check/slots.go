package check

import (
	"ppl/compiler/frontend/advice"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// slots elaborates the subscripts on a left-hand side. A set without an index is a plate that is matched by its set;
// bare lists these plates. At most event trailing sets of this kind become event axes (ev) instead.
func (c *checker) slots(inner *scope.Scope, h *ast.Head, event int) (slots []model.Slot, bare []*model.Index,
	ev []*model.Set) {
	n := len(h.Slots)
	for n > 0 && len(h.Slots)-n < event && isBare(h.Slots[n-1]) {
		n--
	}
	slots = make([]model.Slot, n)
	// First the slots that read no later index; then the others, such as i in `i in start[m]..N[m], m in M`.
	for _, late := range []bool{false, true} {
		for k, s := range h.Slots[:n] {
			if readsSlots(s, h.Slots[k+1:]) == late {
				slots[k] = c.slot(inner, s)
			}
		}
	}
	for k, slot := range slots {
		if slot.Index != nil && h.Slots[k].Index == nil {
			bare = append(bare, slot.Index)
		}
	}
	for _, s := range h.Slots[n:] { // after the slots, because ranges may read their indices
		ev = append(ev, c.set(inner, s.Set))
	}
	return slots, bare, ev
}

// readsSlots reports whether a slot's range reads the index of one of the other slots.
func readsSlots(s *ast.Slot, others []*ast.Slot) bool {
	found := false
	ast.SetNames(s.Set, func(n *ast.Name) {
		for _, o := range others {
			found = found || o.Index != nil && o.Index.Name == n.Name
		}
	})
	return found
}

// isBare reports whether a slot has no index name and is not a number.
func isBare(s *ast.Slot) bool {
	if s.Index != nil {
		return false
	}
	if _, lit := s.Set.Lo.(*ast.Number); lit && s.Set.Hi == nil {
		return false
	}
	return true
}

func (c *checker) slot(inner *scope.Scope, s *ast.Slot) model.Slot {
	if s.Index != nil {
		return model.Slot{Index: c.bindIndex(inner, *s.Index, c.set(inner, s.Set))}
	}
	if s.Set.Hi == nil {
		switch lo := s.Set.Lo.(type) {
		case *ast.Number:
			if !lo.IsInt {
				c.Errorf(diag.WrongKind, lo.Span(), "subscript must be an integer; `%s` is real", lo.Text)
			}
			return model.Slot{At: typing.Number(lo.Value, lo)}
		case *ast.Name:
			if inner.Lookup(lo.Name) == nil && c.sizes[lo.Name] == nil {
				return model.Slot{Index: c.NewIndex("", c.unknownSet(lo, "; for an index write `"+lo.Name+" in …`"))}
			}
		case *ast.String:
			c.Errorf(diag.BadSlot, lo.Span(), "an element cannot be defined by its name").
				Help("define all elements in one statement, and compare the index with the name: "+
					"`b[j in J] ~ Normal(0, j == %s ? 1 : 2)`", lo.Span().Text())
			return model.Slot{At: typing.Poison(s)}
		default:
			text := s.Set.Span().Text()
			d := c.Errorf(diag.BadSlot, s.Set.Span(), "`%s` on the left is neither an index nor a set", text)
			if _, ofData := lo.(*ast.Index); ofData {
				d.Help("to begin a series at `%s`, define it from 1 with a condition: `x[i in I, 1] ~ D`, "+
					"`x[i in I, t in 2..T] ~ (t <= %s ? … : … x[i, t-1] …)`; earlier elements without "+
					"observations do not change the posterior of the others", text, text)
			} else {
				d.Help("for an axis write `1..%s`, for a plate `i in 1..%s`", text, text)
			}
			return model.Slot{At: typing.Poison(s)}
		}
	}
	return model.Slot{Index: c.NewIndex("", c.set(inner, s.Set))}
}

// absorb subscripts all but the last rank axes of an expression by the plates in bare that have the same sets. what is
// the name of the array for messages. absorb returns false if an axis has no such plate, or if several fit.
func (c *checker) absorb(x model.Expr, rank int, bare []*model.Index, what string) (model.Expr, bool) {
	axes := x.Info().Type.Axes
	if len(axes) <= rank {
		return x, true
	}
	sub := &model.Subscript{X: x, Fact: *x.Info()}
	for k, s := range axes[:len(axes)-rank] {
		i, clear := indexFor(k, axes[:len(axes)-rank], bare)
		if !clear {
			c.Errorf(diag.RepeatedAxis, x.Info().At, "`%s` has axes %s, and `%s` %s: these cannot be matched",
				x.Info().At.Text(), model.AxesText(axes[:len(axes)-rank]), what, indicesText(bare)).
				Help("%s", advice.RepeatedAxis(x, s, what))
			return x, false
		}
		if i == nil {
			d := c.Errorf(diag.AxesDiffer, x.Info().At, "`%s` has axis %s, which `%s` does not have here",
				x.Info().At.Text(), s.Name, what)
			d.Help("%s", c.hints().Axis(x, s, len(axes) == rank+1, bare, what))
			return x, false
		}
		sub.Subs = append(sub.Subs,
			model.Sub{At: model.IndexValue(i, x.Info().At)})
	}
	sub.Type.Axes = axes[len(axes)-rank:]
	return sub, true
}

// indexFor returns the plate in bare that has the set of an axis, or nil if there is none. If several plates have this
// set, they are matched in order with the axes over this set. clear is false if their numbers differ.
func indexFor(axis int, axes []*model.Set, bare []*model.Index) (index *model.Index, clear bool) {
	var over []*model.Index
	for _, i := range bare {
		if i.Set.Same(axes[axis]) {
			over = append(over, i)
		}
	}
	before, all := 0, 0
	for k, s := range axes {
		if s.Same(axes[axis]) {
			all++
			if k < axis {
				before++
			}
		}
	}
	switch {
	case len(over) == 0:
		return nil, true
	case len(over) != all:
		return nil, false
	}
	return over[before], true
}

func indicesText(bare []*model.Index) string {
	sets := make([]*model.Set, len(bare))
	for k, i := range bare {
		sets[k] = i.Set
	}
	return model.AxesText(sets)
}

func indexOver(s *model.Set, among []*model.Index) *model.Index {
	for _, i := range among {
		if i.Set.Same(s) {
			return i
		}
	}
	return nil
}
