package check

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/modifiers"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
)

// modifiers adds the modifiers of a statement to its term.
func (c *checker) modifiers(a *scope.Array, d *scope.Draw, t *model.Term) bool {
	return modifiers.Checker{Context: &c.Context, Expr: c.expr, Value: c.modifier}.Enter(a, d, t)
}

// modifier elaborates the expression of a modifier in the scope of its statement.
func (c *checker) modifier(d *scope.Draw, e ast.Expr, m scope.Modified, a *scope.Array) (model.Expr, bool) {
	x := c.expr(m.Scope, e)
	if typing.IsPoison(x) {
		return nil, false
	}
	bare := slices.Clone(d.Bare)
	for _, i := range m.Bare {
		if indexOver(i.Set, d.Bare) == nil {
			bare = append(bare, i)
		}
	}
	return c.absorb(x, 0, bare, a.Name)
}
