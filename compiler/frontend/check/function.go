package check

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/source"
)

// A function is inlined at every call, a template at every draw.
type function struct {
	name  string
	at    source.Span
	head  *ast.Head
	stmt  *ast.Define // where a function is defined
	draw  *ast.Draw   // where a template is defined
	scope *scope
	busy  bool

	parsed func() ast.Stmt // gives the statement of a function of the library that was not read yet; else nil
}

// statement is the definition of a function, or the draw of a template.
func (f *function) statement() ast.Stmt {
	if f.draw != nil {
		return f.draw
	}
	return f.stmt
}

// A passedDist is a distribution that is an argument of a template: `dense(8, weight = Normal(0, s))`. A draw inside,
// `w[n, D] ~ weight`, has it for all of its elements.
type passedDist struct {
	name      string // the name of the parameter
	expr      ast.Expr
	scope     *scope
	byDefault bool
}

// A trajectory is a name with an equation for its prime.
type trajectory struct {
	state *model.State
	prime []define // several of different parts
	init  []define
	scope *scope
	phase state
	ok    bool // odeShape succeeded
}
