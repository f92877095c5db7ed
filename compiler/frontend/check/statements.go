package check

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/stdlib"
)

// An arrayInfo is an array with the statements that define it.
type arrayInfo struct {
	*model.Array
	scope    *scope
	decl     *ast.Decl
	defs     []define
	draws    []draw
	state    state
	heads    []headSlots // the left side of each of defs
	recurs   bool        // it was read while it was being elaborated
	observed bool
	outer    []*model.Index // plates of the template's use, before the array's own
}

// regionOf is what a piece covers of an array: of axes without a slot everything.
func (a *arrayInfo) regionOf(p *model.Piece) []*model.Set {
	return append(p.Region(), a.Type.Axes[min(len(p.Slots), len(a.Type.Axes)):]...)
}

type state uint8

const (
	untouched state = iota
	visiting
	typed // axes and support are known; bodies of draws may still wait
	done
)

type define struct {
	head *ast.Head
	stmt *ast.Define
}

func (d define) mentions(name string) bool { return ast.Mentioned([]ast.Stmt{d.stmt})[name] }

// headSlots are the subscripts of a left side, and the scope in which its indices are known.
type headSlots struct {
	scope *scope
	slots []model.Slot
	bare  []*model.Index
}

// piece is what a statement defines, without its value.
func (h headSlots) piece(d define) *model.Piece {
	return &model.Piece{At: d.head.Span(), Slots: h.slots, Plates: model.Plates(h.slots)}
}

// A draw is one head of a ~ statement on its way to a term.
type draw struct {
	head  *ast.Head
	stmt  *ast.Draw
	scope *scope // holds the plate indices
	slots []model.Slot
	bare  []*model.Index // plates without a name, matched by their set
	event []*model.Set
	drawn *drawn
	uses  []modified // the uses of templates on the way to the distribution, outermost first, if they have modifiers
	// returned is what a template's block returns by its name
	returned *entity
}

// A drawn is the distribution of a draw with its arguments, elaborated.
type drawn struct {
	dist    *stdlib.Dist // nil for Density
	form    *stdlib.Form
	args    []model.Expr
	density model.Expr
	ok      bool
}

// A modified distribution is one with modifiers, and where the names and plates of its statement are known.
type modified struct {
	dist  *ast.Distribution
	scope *scope
	bare  []*model.Index
}

// modifiers are those of the distribution, and of the templates' uses that led to it.
func (d *draw) modifiers() []modified {
	return append(slices.Clone(d.uses), modified{d.stmt.Dist, d.scope, d.bare})
}

// modifiedBy is the distribution, or the use of a template that led to it, that has a modifier.
func (d *draw) modifiedBy(has func(*ast.Distribution) bool) *ast.Distribution {
	all := d.modifiers()
	return all[max(0, slices.IndexFunc(all, func(m modified) bool { return has(m.dist) }))].dist
}
