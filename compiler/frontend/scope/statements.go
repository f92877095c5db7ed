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
	Heads    []HeadSlots // the left side of each of defs
	Recurs   bool        // it was read while it was being elaborated
	Observed bool
	Outer    []*model.Index // plates of the template's use, before the array's own
}

// RegionOf returns the sets that a piece covers, one for each axis: all of an axis without a slot.
func (a *Array) RegionOf(p *model.Piece) []*model.Set {
	return append(p.Region(), a.Type.Axes[min(len(p.Slots), len(a.Type.Axes)):]...)
}

// A state shows how far the elaboration of a name is.
type state uint8

const (
	Untouched state = iota
	Visiting
	Typed // axes and support are known; bodies of draws may still wait
	Done
)

// A Define is one head of a statement with `=`.
type Define struct {
	Head *ast.Head
	Stmt *ast.Define
}

// Mentions reports whether a statement reads a name.
func (d Define) Mentions(name string) bool { return ast.Mentioned([]ast.Stmt{d.Stmt})[name] }

// HeadSlots are the subscripts of a left side, and the scope in which its indices are known.
type HeadSlots struct {
	Scope *Scope
	Slots []model.Slot
	Bare  []*model.Index
}

// Piece returns the piece that a statement defines, without its value.
func (h HeadSlots) Piece(d Define) *model.Piece {
	return &model.Piece{At: d.Head.Span(), Slots: h.Slots, Plates: model.Plates(h.Slots)}
}

// A Draw is one head of a ~ statement on its way to a term.
type Draw struct {
	Head  *ast.Head
	Stmt  *ast.Draw
	Scope *Scope // holds the plate indices
	Slots []model.Slot
	Bare  []*model.Index // plates without a name, matched by their set
	Event []*model.Set
	Drawn *Drawn
	Uses  []Modified // the uses of templates on the way to the distribution, outermost first, if they have modifiers
	// returned is what a template's block returns by its name
	Returned *Entity
}

// A Drawn is the distribution of a draw with its arguments, elaborated.
type Drawn struct {
	Dist    *stdlib.Dist // nil for Density
	Form    *stdlib.Form
	Args    []model.Expr
	Density model.Expr
	Ok      bool
}

// A Modified distribution is one with modifiers, and where the names and plates of its statement are known.
type Modified struct {
	Dist  *ast.Distribution
	Scope *Scope
	Bare  []*model.Index
}

// Modifiers returns the modifiers of the distribution, and of the templates' uses that led to it.
func (d *Draw) Modifiers() []Modified {
	return append(slices.Clone(d.Uses), Modified{d.Stmt.Dist, d.Scope, d.Bare})
}

// ModifiedBy returns the distribution that has a modifier: its own, or that of the use of a template that led to it.
func (d *Draw) ModifiedBy(has func(*ast.Distribution) bool) *ast.Distribution {
	all := d.Modifiers()
	return all[max(0, slices.IndexFunc(all, func(m Modified) bool { return has(m.Dist) }))].Dist
}

// DistName returns the name in `D(args)`, nil if the expression does not begin with one.
func DistName(e ast.Expr) *ast.Name {
	if call, ok := e.(*ast.Call); ok {
		e = call.Fun
	}
	n, _ := e.(*ast.Name)
	return n
}
