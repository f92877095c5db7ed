package check

import (
	"sort"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

func sorted(names []string) []string {
	sort.Strings(names)
	return names
}

// pipe elaborates x -> f(a), which is f(x, a).
func (c *checker) pipe(s *scope, e *ast.Pipe) model.Expr {
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

func (c *checker) call(s *scope, e *ast.Call) model.Expr {
	if m, ok := e.Fun.(*ast.Member); ok {
		if ent := c.member(s, m); ent != nil && ent.fn != nil && ent.fn.stmt != nil {
			ent.used = true
			return c.inline(s, ent.fn, e)
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
		c.errorf(diag.WrongKind, e.Fun.Span(), "`%s` is not a function", e.Fun.Span().Text())
		return poison(e)
	}
	if ent := s.lookup(n.Name); ent != nil {
		ent.used = true
		if ent.ode != nil {
			return c.stateAt(s, ent.ode, e)
		}
		if ent.fn != nil && ent.fn.draw != nil {
			c.errorf(diag.WrongKind, n.Span(), "`%s` is a template; it stands after `~` or `->`",
				n.Name).Related(ent.at, "the template")
			return poison(e)
		}
		if ent.fn != nil {
			return c.inline(s, ent.fn, e)
		}
		if ent.expr == nil || !isPoison(ent.expr) {
			c.errorf(diag.WrongKind, n.Span(), "`%s` is not a function (line %d)", n.Name,
				ent.at.Line()).Related(ent.at, "defined here")
		}
		return poison(e)
	}
	return c.library(s, e, n)
}

// stateElement is u[k](e): one element of a trajectory with plates.
func (c *checker) stateElement(s *scope, e *ast.Call) (model.Expr, bool) {
	index, ok := e.Fun.(*ast.Index)
	if !ok {
		return nil, false
	}
	n, ok := index.X.(*ast.Name)
	if !ok {
		return nil, false
	}
	u := s.lookup(n.Name)
	switch {
	case u != nil && u.expr != nil && isPoison(u.expr): // its statement could not be parsed
		return poison(e), true
	case u == nil || u.ode == nil:
		return nil, false
	}
	x := c.stateAt(s, u.ode, e)
	if isPoison(x) {
		return x, true
	}
	return c.subscripts(s, x, index.X, index.Subs, e), true
}

// library calls what the standard library has under a name.
func (c *checker) library(s *scope, e *ast.Call, n *ast.Name) model.Expr {
	if f, ok := specials()[n.Name]; ok {
		return f(c, s, e)
	}
	row, isReduction := stdlib.Reductions()[n.Name]
	fn, isFunc := stdlib.Funcs()[n.Name]
	scan, isScan := stdlib.Scans()[n.Name]
	matrix, isMatrix := stdlib.MatrixFuncs()[n.Name]
	switch {
	case isScan:
		return c.scan(s, e, scan)
	case isMatrix:
		return c.matrixFunc(s, e, matrix)
	case isReduction && len(e.Args) == 1:
		return c.reduce(s, e, row)
	case isFunc:
		return c.apply(s, e, fn)
	case isReduction:
		c.errorf(diag.Arguments, e.Span(), "`%s` wants one array: `%s(x)` or `%s(i in N: x[i])`", n.Name, n.Name,
			n.Name)
	case stdlib.Dists()[n.Name] != nil:
		c.errorf(diag.Arguments, n.Span(), "`%s` is a distribution; it stands after `~`, or inside `logpdf(%s(…), x)`",
			n.Name, n.Name).
			Help("for a parameter write `x ~ %s(…)`; to draw after inference, `generate x[i in N] ~ %s(…)`", n.Name,
				n.Name)
	case c.refuseLayer(n):
	case !c.dropped[n.Name] && !c.unknown[n.Name]:
		if c.unknown == nil {
			c.unknown = map[string]bool{}
		}
		c.unknown[n.Name] = true
		meant(c.errorf(diag.Undefined, n.Span(), "there is no function `%s`", n.Name), n.Name, stdlib.ForeignCall,
			c.functionNames(s))
	}
	return poison(e)
}

func (c *checker) functionNames(s *scope) (names []string) {
	for ; s != nil; s = s.parent {
		for n, e := range s.names {
			if e.fn != nil {
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
	return sorted(names)
}

// values elaborates positional arguments.
func (c *checker) values(s *scope, e *ast.Call) ([]model.Expr, bool) {
	var out []model.Expr
	ok := true
	for _, a := range e.Args {
		if a.Name != nil {
			c.errorf(diag.Arguments, a.Name.Span(), "`%s` has no argument `%s`", e.Fun.Span().Text(), a.Name.Name)
			ok = false
			continue
		}
		x := c.expr(s, a.Value)
		ok = ok && !isPoison(x)
		out = append(out, x)
	}
	return out, ok
}

func (c *checker) apply(s *scope, e *ast.Call, fn *stdlib.Func) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	if len(args) != len(fn.Args) {
		c.errorf(diag.Arguments, e.Span(), "`%s` takes %s: %s", fn.Name,
			diag.Count(len(fn.Args), "argument", "arguments"), fn.Signature())
		return poison(e)
	}
	axes, ok := c.unify(e, fn.Name, e.Span(), args...)
	if !ok {
		return poison(e)
	}
	ranges := make([]stdlib.Range, len(args))
	for i, a := range args {
		ranges[i] = a.Info().Type.Range
	}
	t := model.Type{Axes: axes, Range: fn.Range(ranges)}
	if t.Range.Int {
		t.Elem = types.Int
	}
	return &model.Apply{Name: fn.Name, Args: args, Build: fn.Build,
		Fact: model.Fact{At: e.Span(), Type: t, Static: allStatic(args...)}}
}

// reduce elaborates sum(i in N: e), over the binders, and sum(x), over every axis of x.
func (c *checker) reduce(s *scope, e *ast.Call, row *stdlib.Reduction) model.Expr {
	var over []*model.Index
	var x model.Expr
	if comp, ok := e.Args[0].Value.(*ast.Comprehension); ok && comp.Bare {
		inner, idx := c.bind(s, comp.Binders)
		over, x = idx, c.expr(inner, comp.Body)
	} else {
		x = c.expr(s, e.Args[0].Value)
	}
	if isPoison(x) {
		return x
	}
	t := model.Type{Elem: x.Info().Type.Elem, Range: row.Range(x.Info().Type.Range, -1)}
	if len(over) > 0 {
		t.Axes = x.Info().Type.Axes
	} else if len(x.Info().Type.Axes) == 0 {
		c.errorf(diag.AxisCount, e.Args[0].Span(), "`%s` folds an array, but `%s` is one number", row.Name,
			e.Args[0].Span().Text()).
			Help("write `%s(i in N: …)`", row.Name)
		return poison(e)
	}
	if t.Elem == types.Bool || t.Range.Int {
		t.Elem = types.Int
	}
	if !t.Range.Int && t.Elem == types.Int && (row.Name == "mean" || row.Name == "sd" || row.Name == "logsumexp") {
		t.Elem = types.Real
	}
	return &model.Reduce{Row: row, X: x, Over: over, Fact: model.Fact{At: e.Span(), Type: t, Static: x.Info().Static}}
}
