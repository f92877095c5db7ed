package scope

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/source"
)

// A Function is inlined at every call, a template at every draw.
type Function struct {
	Name  string
	At    source.Span
	Head  *ast.Head
	Stmt  *ast.Define // where a function is defined
	Draw  *ast.Draw   // where a template is defined
	Scope *Scope
	Busy  bool

	parsed func() ast.Stmt // gives the statement of a function of the library that was not read yet; else nil
}

// Statement returns the definition of a function, or the draw of a template.
func (f *Function) Statement() ast.Stmt {
	if f.Draw != nil {
		return f.Draw
	}
	return f.Stmt
}

// A PassedDist is a distribution that is an argument of a template: `dense(8, weight = Normal(0, s))`. A draw inside,
// `w[n, D] ~ weight`, has it for all of its elements.
type PassedDist struct {
	Name      string // the name of the parameter
	Expr      ast.Expr
	Scope     *Scope
	ByDefault bool
}

// A Trajectory is a name with an equation for its prime.
type Trajectory struct {
	State *model.State
	Prime []Define // several of different parts
	Init  []Define
	Scope *Scope
	Phase state
	Ok    bool // odeShape succeeded
}
