package advice

import (
	"fmt"
	"slices"

	"ppl/compiler/frontend/model"
)

// Axis returns advice for an expression x with an axis s that the left-hand side of the statement lacks. only is true
// if x has no other axes to match.
func (h Hints) Axis(x model.Expr, s *model.Set, only bool, bare []*model.Index, what string) string {
	index := h.indexOn(what, s)
	switch product := productOver(x, s); {
	case h.hasNoAxes(what):
		return fmt.Sprintf("give it this axis: `%s[%s] ~ …`; to draw it after inference, `generate %s[%s] ~ …`", what,
			s.Name, what, s.Name)
	case index != "":
		if whole := wholeOver(x, s); whole != "" {
			return fmt.Sprintf("`%s` without an index means the whole array over %s: write `%s[%s]`", whole, s.Name,
				whole, index)
		}
	case product != nil:
		return fmt.Sprintf("`*` is elementwise: write the matrix product `%s @ %s`", product.Args[0].Info().At.Text(),
			product.Args[1].Info().At.Text())
	}
	if _, isRef := x.(*model.Ref); !isRef || !only {
		return fmt.Sprintf("write `%s[i in %s]` on the left and `i` as the subscript of axis %s on the right, or sum "+
			"over it: `*` is elementwise, `@` is the matrix product", what, s.Name, s.Name)
	}
	if g := h.groupOfRows(s, bare, what); g != "" {
		return fmt.Sprintf("give it the group of each row: `%s[%s]`", x.Info().At.Text(), g)
	}
	return fmt.Sprintf("give it an index: `%s[i]`", x.Info().At.Text())
}

// hasNoAxes reports whether a name is drawn without any axis.
func (h Hints) hasNoAxes(name string) bool {
	e := h.Global.Names[name]
	return e != nil && e.Array != nil && e.Array.Decl == nil && len(e.Array.Draws) > 0 &&
		len(e.Array.Draws[0].Head.Slots) == 0
}

// slotsOf returns the slots of the statements of a name.
func (h Hints) slotsOf(name string) (slots []model.Slot) {
	e := h.Global.Names[name]
	if e == nil || e.Array == nil {
		return nil
	}
	for _, d := range e.Array.Draws {
		slots = append(slots, d.Slots...)
	}
	for _, left := range e.Array.Heads {
		slots = append(slots, left.Slots...)
	}
	return slots
}

// indexOn returns the name of the index over a set in the statements of a name, or "" if there is none.
func (h Hints) indexOn(name string, s *model.Set) string {
	for _, slot := range h.slotsOf(name) {
		if slot.Index != nil && slot.Index.Name != "" && slot.Index.Set.Same(s) {
			return slot.Index.Name
		}
	}
	return ""
}

// wholeOver returns the name of an array that an expression reads without a subscript and whose first axis is s, or "".
func wholeOver(x model.Expr, s *model.Set) (name string) {
	under := map[model.Expr]bool{}
	model.Walk(x, func(y model.Expr) {
		if sub, ok := y.(*model.Subscript); ok {
			under[sub.X] = true
		}
		if ref, ok := y.(*model.Ref); ok && !under[y] && name == "" && model.AxisOf(s, ref.Array.Type.Axes) == 0 {
			name = ref.Array.Name
		}
	})
	return name
}

// productOver returns an elementwise product of an array with several axes and a vector over its last axis, or nil. A
// matrix product would sum over that axis.
func productOver(x model.Expr, s *model.Set) (product *model.Apply) {
	model.Walk(x, func(y model.Expr) {
		p, ok := y.(*model.Apply)
		if !ok || p.Name != "*" || product != nil {
			return
		}
		a, b := p.Args[0].Info().Type.Axes, p.Args[1].Info().Type.Axes
		if len(a) > 0 && len(b) == 1 && a[len(a)-1].Same(s) && b[0].Same(s) {
			product = p
		}
	})
	return product
}

// groupOfRows returns the name of data that map the rows on the left-hand side to elements of set s, with a subscript
// if the statement has an index over the rows; "" if there are no such data.
func (h Hints) groupOfRows(s *model.Set, bare []*model.Index, what string) string {
	for _, g := range h.Model.Arrays {
		if g.IndexOf == nil || !g.IndexOf.Same(s) || len(g.Type.Axes) != 1 {
			continue
		}
		if slices.ContainsFunc(bare, func(i *model.Index) bool { return i.Set.Same(g.Type.Axes[0]) }) {
			return g.Name
		}
		if i := h.indexOn(what, g.Type.Axes[0]); i != "" {
			return g.Name + "[" + i + "]"
		}
	}
	return ""
}

// RepeatedAxis returns advice for an expression that has axis s more often than the left-hand side of the statement. If
// the expression is a definition, the usual cause is an array in the definition that is read without an index.
func RepeatedAxis(x model.Expr, s *model.Set, what string) string {
	if def := model.DefinitionOf(x); def != nil {
		for _, p := range def.Pieces {
			for _, slot := range p.Slots {
				if slot.Index == nil || !slot.Index.Set.Same(s) || slot.Index.Name == "" || p.Value == nil {
					continue
				}
				if whole := wholeOver(p.Value, s); whole != "" {
					return fmt.Sprintf("in line %d `%s` without an index means the whole array over %s: write `%s[%s]`",
						p.At.Line(), whole, s.Name, whole, slot.Index.Name)
				}
			}
		}
	}
	return fmt.Sprintf("write indices on both sides, such as `%s[i in %s]` and `[i]`", what, s.Name)
}
