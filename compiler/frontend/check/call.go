package check

import (
	"sort"

	"ppl/compiler/frontend/advice"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

func sorted(names []string) []string {
	sort.Strings(names)
	return names
}

// pipe elaborates x -> f(a): the call f(x, a), or a layer if f is a template.
func (c *checker) pipe(s *scope.Scope, e *ast.Pipe) model.Expr {
	call := &ast.Call{Place: e.Place, Fun: e.To}
	if to, ok := e.To.(*ast.Call); ok {
		call.Fun, call.Args = to.Fun, to.Args
	}
	first := &ast.Arg{Place: ast.Place{At: e.X.Span()}, Value: e.X}
	call.Args = append([]*ast.Arg{first}, call.Args...)
	if f := c.template(s, call); f != nil {
		return c.layer(s, e, f, call)
	}
	return c.call(s, call)
}

func (c *checker) call(s *scope.Scope, e *ast.Call) model.Expr {
	if m, ok := e.Fun.(*ast.Member); ok {
		if ent := c.member(s, m); ent != nil && ent.Fn != nil && ent.Fn.Stmt != nil {
			ent.Used = true
			return c.inline(s, ent.Fn, e)
		}
		return c.notCallable(s, m)
	}
	if x, ok := c.stateElement(s, e); ok {
		return x
	}
	if x, ok := c.familyElement(s, e); ok {
		return x
	}
	n, ok := e.Fun.(*ast.Name)
	if !ok {
		c.Errorf(diag.WrongKind, e.Fun.Span(), "`%s` is not a function", e.Fun.Span().Text())
		return typing.Poison(e)
	}
	if ent := s.Lookup(n.Name); ent != nil {
		ent.Used = true
		if ent.Ode != nil {
			return c.equations.StateAt(s, ent.Ode, e)
		}
		if ent.Fn != nil && ent.Fn.Draw != nil {
			c.Errorf(diag.WrongKind, n.Span(), "`%s` is a template; write it after `~` or `->`",
				n.Name).Related(ent.At, "the template")
			return typing.Poison(e)
		}
		if ent.Fn != nil {
			return c.inline(s, ent.Fn, e)
		}
		if ent.Expr == nil || !typing.IsPoison(ent.Expr) {
			c.Errorf(diag.WrongKind, n.Span(), "`%s` is not a function (line %d)", n.Name,
				ent.At.Line()).Related(ent.At, "defined here")
		}
		return typing.Poison(e)
	}
	return c.library(s, e, n)
}

// stateElement elaborates u[k](e), one element of a trajectory with plates. ok is false for other expressions.
func (c *checker) stateElement(s *scope.Scope, e *ast.Call) (model.Expr, bool) {
	index, ok := e.Fun.(*ast.Index)
	if !ok {
		return nil, false
	}
	n, ok := index.X.(*ast.Name)
	if !ok {
		return nil, false
	}
	u := s.Lookup(n.Name)
	switch {
	case u != nil && u.Expr != nil && typing.IsPoison(u.Expr): // its statement could not be parsed
		return typing.Poison(e), true
	case u == nil || u.Ode == nil:
		return nil, false
	}
	x := c.equations.StateAt(s, u.Ode, e)
	if typing.IsPoison(x) {
		return x, true
	}
	return c.subscripts(s, x, index.X, index.Subs, e), true
}

// library elaborates a call of a function of the standard library.
func (c *checker) library(s *scope.Scope, e *ast.Call, n *ast.Name) model.Expr {
	if f, ok := specials()[n.Name]; ok {
		return f(c, s, e)
	}
	if f, ok := typing.OfValues()[n.Name]; ok {
		return c.ofArguments(s, e, func(args []model.Expr) model.Expr { return f(&c.Context, e, args) })
	}
	row, isReduction := stdlib.Reductions()[n.Name]
	fn, isFunc := stdlib.Funcs()[n.Name]
	scan, isScan := stdlib.Scans()[n.Name]
	matrix, isMatrix := stdlib.MatrixFuncs()[n.Name]
	switch {
	case isScan:
		return c.ofArguments(s, e, func(args []model.Expr) model.Expr { return c.Scan(e, args, scan) })
	case isMatrix:
		return c.ofArguments(s, e, func(args []model.Expr) model.Expr { return c.MatrixFunc(e, args, matrix) })
	case isReduction && len(e.Args) == 1:
		return c.reduce(s, e, row)
	case isFunc:
		return c.ofArguments(s, e, func(args []model.Expr) model.Expr { return c.Apply(e, args, fn) })
	case isReduction:
		c.Errorf(diag.Arguments, e.Span(), "`%s` takes one array: `%s(x)` or `%s(i in N: x[i])`", n.Name, n.Name,
			n.Name)
	case stdlib.Dists()[n.Name] != nil:
		c.Errorf(diag.Arguments, n.Span(), "`%s` is a distribution; write it after `~`, or inside `logpdf(%s(…), x)`",
			n.Name, n.Name).
			Help("for a parameter write `x ~ %s(…)`; to draw after inference, `generate x[i in N] ~ %s(…)`", n.Name,
				n.Name)
	case c.refuseLayer(n):
	case !c.dropped[n.Name] && !c.unknown[n.Name]:
		if c.unknown == nil {
			c.unknown = map[string]bool{}
		}
		c.unknown[n.Name] = true
		advice.Meant(c.Errorf(diag.Undefined, n.Span(), "there is no function `%s`", n.Name), n.Name,
			stdlib.ForeignCall, c.functionNames(s))
	}
	return typing.Poison(e)
}

func (c *checker) functionNames(s *scope.Scope) (names []string) {
	for ; s != nil; s = s.Parent {
		for n, e := range s.Names {
			if e.Fn != nil {
				names = append(names, n)
			}
		}
	}
	for n := range stdlib.Funcs() {
		names = append(names, n)
	}
	for n := range stdlib.Reductions() {
		names = append(names, n)
	}
	for n := range stdlib.Scans() {
		names = append(names, n)
	}
	for n := range stdlib.MatrixFuncs() {
		names = append(names, n)
	}
	for n := range specials() {
		names = append(names, n)
	}
	for n := range typing.OfValues() {
		names = append(names, n)
	}
	return sorted(names)
}

// ofArguments elaborates the arguments of a call and passes them to make, which builds the expression.
func (c *checker) ofArguments(s *scope.Scope, e *ast.Call, make func(args []model.Expr) model.Expr) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return typing.Poison(e)
	}
	return make(args)
}

// values elaborates positional arguments. It returns false if an argument has an error or a name.
func (c *checker) values(s *scope.Scope, e *ast.Call) ([]model.Expr, bool) {
	var out []model.Expr
	ok := true
	for _, a := range e.Args {
		if a.Name != nil {
			c.Errorf(diag.Arguments, a.Name.Span(), "the arguments of `%s` have no names; leave out `%s =`",
				e.Fun.Span().Text(), a.Name.Name)
			ok = false
			continue
		}
		x := c.expr(s, a.Value)
		ok = ok && !typing.IsPoison(x)
		out = append(out, x)
	}
	return out, ok
}

// reduce elaborates sum(i in N: e), a reduction over i, and sum(x), a reduction over all axes of x.
func (c *checker) reduce(s *scope.Scope, e *ast.Call, row *stdlib.Reduction) model.Expr {
	var over []*model.Index
	var x model.Expr
	if comp, ok := e.Args[0].Value.(*ast.Comprehension); ok && comp.Bare {
		inner, idx := c.bind(s, comp.Binders)
		over, x = idx, c.expr(inner, comp.Body)
	} else {
		x = c.expr(s, e.Args[0].Value)
	}
	return c.Fold(e, row, x, over)
}
