package scope

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/source"
)

// A Function is a function, which is inlined at every call, or a template, which is inlined at every draw.
type Function struct {
	Name  string
	At    source.Span
	Head  *ast.Head
	Stmt  *ast.Define // definition of a function
	Draw  *ast.Draw   // definition of a template
	Scope *Scope
	Busy  bool // whether its body is being inlined

	parsed func() ast.Stmt // parses a library function on its first use; nil otherwise
}

// Statement returns the definition of a function, or the draw of a template.
func (f *Function) Statement() ast.Stmt {
	if f.Draw != nil {
		return f.Draw
	}
	return f.Stmt
}

// A PassedDist is a distribution passed to a template: `dense(8, weight = Normal(0, s))`. A draw in the template, `w[n,
// D] ~ weight`, uses it for all of its elements.
type PassedDist struct {
	Name      string // name of the parameter
	Expr      ast.Expr
	Scope     *Scope // the scope of Expr
	ByDefault bool   // whether it is the default of the parameter
}

// A Trajectory is a name with an equation for its derivative.
type Trajectory struct {
	State *model.State
	Prime []Define // equations for the derivative; several if each is for a part
	Init  []Define
	Scope *Scope
	Phase state
	Ok    bool // whether Equations.shape succeeded
}
