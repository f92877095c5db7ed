package check

import (
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
)

const maxInlineDepth = 100

// maxBodies limits how many bodies of functions and templates are inlined. If each of 30 functions calls the previous
// one twice, a call of the last means 2³⁰ calls of the first.
const maxBodies = 100_000

// countBody counts a body that is inlined for a call. It returns false if there are too many, and reports an error for
// the first above the limit.
func (c *checker) countBody(f *scope.Function, at source.Span) bool {
	c.written++
	if c.written == maxBodies+1 {
		c.Errorf(diag.TooManyElements, at, "the model's functions and templates call each other so often that their "+
			"bodies would be written out more than %d times; `%s` is the last", maxBodies, f.Name).
			Help("give a name to a value that is used several times: `z = f(x)`, then `z + z`")
	}
	return c.written <= maxBodies
}

// inline elaborates a function's body with its parameters bound to the arguments. For a family of functions, subs
// select the function.
func (c *checker) inline(s *scope.Scope, fn *scope.Function, e *ast.Call, subs ...*ast.Set) model.Expr {
	if len(fn.Head.Slots) > 0 || c.isNetwork(fn) {
		if !c.mayInline(fn, e) {
			return typing.Poison(e)
		}
		return c.instanceCall(s, fn, e, subs)
	}
	return c.inlineBound(fn, e, func(inner *scope.Scope) bool { return c.bindParams(s, inner, fn, e) })
}

// inlineBound elaborates a function's body; bind binds its parameters.
func (c *checker) inlineBound(fn *scope.Function, e *ast.Call, bind func(inner *scope.Scope) bool) model.Expr {
	if !c.mayInline(fn, e) {
		return typing.Poison(e)
	}
	inner := scope.New(fn.Scope)
	if !bind(inner) {
		return typing.Poison(e)
	}
	return c.body(inner, fn)
}

// mayInline reports whether a call can be inlined. It adds an error if the function calls itself or if too many bodies
// have been inlined.
func (c *checker) mayInline(fn *scope.Function, e *ast.Call) bool {
	if c.depth > maxInlineDepth && !fn.Busy {
		c.Errorf(diag.UsesItself, e.Fun.Span(), "function `%s` is called through more than %d other functions",
			fn.Name, maxInlineDepth).Related(fn.At, "the function").Help("write definitions instead of some of them")
		return false
	}
	if fn.Busy {
		c.Errorf(diag.UsesItself, e.Fun.Span(), "function `%s` calls itself", fn.Name).Related(fn.At, "the function").
			Help("write a recursion as a series: `x[t in 2..T] = … x[t-1] …`")
		return false
	}
	return c.countBody(fn, e.Span())
}

// body elaborates a function's body in a scope in which its parameters are bound.
func (c *checker) body(inner *scope.Scope, fn *scope.Function) model.Expr {
	fn.Busy = true
	c.depth++
	defer func() { fn.Busy = false; c.depth-- }()
	if fn.Stmt.Block != nil {
		return c.block(inner, fn.Stmt.Block)
	}
	return c.expr(inner, fn.Stmt.Value)
}

func (c *checker) block(s *scope.Scope, b *ast.Block) model.Expr {
	c.collect(b.Stmts, s)
	c.elaborate(s)
	return c.expr(s, b.Return)
}

// bindParams matches arguments to parameters: by position, by name, or by default.
func (c *checker) bindParams(s, inner *scope.Scope, fn *scope.Function, e *ast.Call) bool {
	params := fn.Head.Params
	given := make([]*ast.Arg, len(params))
	for k, a := range e.Args {
		at := k
		if a.Name != nil {
			at = paramNamed(params, a.Name.Name)
		}
		if at < 0 || at >= len(params) || given[at] != nil {
			c.Errorf(diag.Arguments, a.Span(), "`%s` takes %s: %s", fn.Name,
				diag.Count(len(params), "argument", "arguments"), fn.Head.Span().Text()).
				Related(fn.At, "the function")
			return false
		}
		given[at] = a
	}
	for k, p := range params {
		if !c.bindParam(s, inner, fn, p, given[k], e) {
			return false
		}
	}
	return true
}

func paramNamed(params []*ast.Param, name string) int {
	for i, p := range params {
		if p.Name != nil && p.Name.Name == name {
			return i
		}
	}
	return -1
}

func (c *checker) bindParam(s, inner *scope.Scope, fn *scope.Function, p *ast.Param, given *ast.Arg, e *ast.Call) bool {
	if p.Name == nil {
		c.Errorf(diag.NoInitialEquation, p.Span(), "an initial value needs an equation: add `%s'(t) = …`, or give the "+
			"function's argument a name", fn.Name)
		return false
	}
	var x model.Expr
	if dist, ok := c.passDist(s, inner, fn, p, given); ok {
		if dist != nil {
			inner.Add(&scope.Entity{Name: p.Name.Name, At: p.Span(), Dist: dist, Used: true})
		}
		return dist != nil
	}
	switch {
	case given != nil:
		x = c.expr(s, given.Value)
	case p.Default != nil:
		x = c.expr(inner, p.Default)
	default:
		c.Errorf(diag.Arguments, e.Span(), "`%s` needs an argument for `%s`", fn.Name, p.Name.Name).Related(p.Span(),
			"this one")
		return false
	}
	if typing.IsPoison(x) {
		return false
	}
	if len(p.Sets) > 0 && !c.bindShape(inner, fn, p, x, e) {
		return false
	}
	inner.Add(&scope.Entity{Name: p.Name.Name, At: p.Span(), Expr: x, Used: true})
	return true
}

// bindShape binds the sizes named in a parameter list, such as X[N, K], to the axes of the argument.
func (c *checker) bindShape(inner *scope.Scope, fn *scope.Function, p *ast.Param, x model.Expr, e *ast.Call) bool {
	axes := x.Info().Type.Axes
	if len(axes) != len(p.Sets) && fn.Draw != nil && fn.Draw.Block != nil && p == fn.Head.Params[0] {
		c.Errorf(diag.LayerInput, e.Fun.Span(), "`%s` needs an input with axes %s, but here its shape is %s", fn.Name,
			setsText(p.Sets), model.ShapeText(axes)).Related(x.Info().At, "the input")
		return false
	}
	if len(axes) != len(p.Sets) {
		c.Errorf(diag.AxisCount, x.Info().At, "`%s` of `%s` has %s, but the argument has %s", p.Name.Name, fn.Name,
			diag.Count(len(p.Sets), "axis", "axes"), model.HaveAxes(axes)).Related(p.Span(), "the parameter")
		return false
	}
	for k, set := range p.Sets {
		n, ok := set.Lo.(*ast.Name)
		if !ok || set.Hi != nil {
			continue // a literal size; checked when sizes are known
		}
		if old := inner.Names[n.Name]; old != nil {
			if old.Set != nil && !old.Set.Same(axes[k]) {
				c.Errorf(diag.AxesDiffer, x.Info().At, "`%s` needs an argument with axis %s, which is %s in this "+
					"call, but the axis of the argument is %s", fn.Name, n.Name, old.Set.Name, axes[k].Name).
					Related(p.Span(), "the parameter")
				return false
			}
			continue
		}
		inner.Add(&scope.Entity{Name: n.Name, At: n.Span(), Set: axes[k], Used: true})
	}
	return true
}

func setsText(sets []*ast.Set) string {
	text := make([]string, len(sets))
	for i, s := range sets {
		text[i] = s.Span().Text()
	}
	return "[" + strings.Join(text, ", ") + "]"
}
