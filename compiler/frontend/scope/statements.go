package scope

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/stdlib"
)

// An Array is an array with the statements that define it.
type Array struct {
	*model.Array
	Scope    *Scope
	Decl     *ast.Decl
	Defs     []Define
	Draws    []Draw
	State    state
	Heads    []HeadSlots // left-hand sides of Defs
	Recurs   bool        // whether it was read while it was being elaborated
	Observed bool
	Outer    []*model.Index // for an array inside a template, the plates of the use: its first axes
}

// RegionOf returns the set that a piece covers along each axis; without a slot it covers the entire axis.
func (a *Array) RegionOf(p *model.Piece) []*model.Set {
	return append(p.Region(), a.Type.Axes[min(len(p.Slots), len(a.Type.Axes)):]...)
}

// A state is the progress of the elaboration of a name.
type state uint8

const (
	Untouched state = iota
	Visiting
	Typed // axes and support are known; draws may not have terms yet
	Done
)

// A Define is one left-hand side of a statement with `=`.
type Define struct {
	Head *ast.Head
	Stmt *ast.Define
}

// Mentions reports whether a statement reads a name.
func (d Define) Mentions(name string) bool { return ast.Mentioned([]ast.Stmt{d.Stmt})[name] }

// HeadSlots holds the subscripts of a left-hand side, and the scope of its indices.
type HeadSlots struct {
	Scope *Scope
	Slots []model.Slot
	Bare  []*model.Index
}

// Piece returns the piece that a statement defines, without its value.
func (h HeadSlots) Piece(d Define) *model.Piece {
	return &model.Piece{At: d.Head.Span(), Slots: h.Slots, Plates: model.Plates(h.Slots)}
}

// A Draw is one left-hand side of a ~ statement during its elaboration.
type Draw struct {
	Head  *ast.Head
	Stmt  *ast.Draw
	Scope *Scope // contains the plate indices
	Slots []model.Slot
	Bare  []*model.Index // plates without a name, matched by their set
	Event []*model.Set
	Drawn *Drawn
	Uses  []Modified // uses of templates that led to the distribution and have modifiers, outermost first
	// Returned is the entity that a template's block returns, if it returns a name.
	Returned *Entity
}

// A Drawn is the elaborated distribution of a draw with its arguments.
type Drawn struct {
	Dist    *stdlib.Dist // nil for Density
	Form    *stdlib.Form
	Args    []model.Expr
	Density model.Expr
	Ok      bool
}

// A Modified is a distribution with modifiers, with the scope and plates of its statement.
type Modified struct {
	Dist  *ast.Distribution
	Scope *Scope
	Bare  []*model.Index
}

// Modifiers returns the modifiers of the distribution, and those at the uses of templates that led to it.
func (d *Draw) Modifiers() []Modified {
	return append(slices.Clone(d.Uses), Modified{d.Stmt.Dist, d.Scope, d.Bare})
}

// ModifiedBy returns the outermost distribution, among the uses of templates and the draw's distribution, for which has
// reports true, or the outermost of all if there is none.
func (d *Draw) ModifiedBy(has func(*ast.Distribution) bool) *ast.Distribution {
	all := d.Modifiers()
	return all[max(0, slices.IndexFunc(all, func(m Modified) bool { return has(m.Dist) }))].Dist
}

// DistName returns the name D of `D(args)` or `D`, or nil if the expression has another form.
func DistName(e ast.Expr) *ast.Name {
	if call, ok := e.(*ast.Call); ok {
		e = call.Fun
	}
	n, _ := e.(*ast.Name)
	return n
}
