package check

import (
	"math"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// integrate elaborates integrate(f, a, b, …), the integral of f(x, …) over x from a to b, as a sum over fixed
// quadrature points:
//
//	integrate(f, a, b)    sum(k in 1..61: (b - a) * w[k] * f(a + (b - a) * x[k]))
//
// If a limit is infinite, the quadrature is one for a half-line or for the line.
func (c *checker) integrate(s *scope.Scope, e *ast.Call) model.Expr {
	fn := c.integrand(s, e)
	if fn == nil {
		return typing.Poison(e)
	}
	a, b := c.expr(s, e.Args[1].Value), c.expr(s, e.Args[2].Value)
	if typing.IsPoison(a) || typing.IsPoison(b) {
		return typing.Poison(e)
	}
	for i, end := range []model.Expr{a, b} {
		if axes := end.Info().Type.Axes; len(axes) > 0 {
			c.Errorf(diag.AxisCount, e.Args[1+i].Span(), "a limit of integration must be one number, but `%s` has %s",
				e.Args[1+i].Span().Text(), model.HaveAxes(axes))
			return typing.Poison(e)
		}
	}
	r := c.substitution(e, a, b)
	k := c.NewIndex("", model.NewSet("quadrature points", typing.Number(1, e), typing.Number(float64(len(r.rule.X)),
		e)))
	x := r.at(c.element(e, r.rule.X, k))
	x.Info().Type.Range = stdlib.Range{Lo: a.Info().Type.Range.Lo, Hi: b.Info().Type.Range.Hi}
	body := c.inlineBound(fn, e, func(inner *scope.Scope) bool { return c.bindIntegrand(s, inner, fn, e, x) })
	if typing.IsPoison(body) {
		return typing.Poison(e)
	}
	term := c.Operator(e, "*", e.Span(), c.element(e, r.rule.W, k), body)
	sum := stdlib.Reductions()["sum"]
	t := model.Type{Axes: term.Info().Type.Axes, Range: sum.Range(term.Info().Type.Range, -1)}
	total := &model.Reduce{Row: sum, X: term, Over: []*model.Index{k},
		Fact: model.Fact{At: e.Span(), Type: t, Static: term.Info().Static}}
	return c.Operator(e, "*", e.Span(), r.scale, total)
}

// A substitution maps quadrature points to the domain of the integral: x = at(point), dx = scale · weight.
type substitution struct {
	rule  stdlib.Quadrature
	at    func(point model.Expr) model.Expr
	scale model.Expr
}

func (c *checker) substitution(e *ast.Call, a, b model.Expr) substitution {
	op := func(name string, x, y model.Expr) model.Expr { return c.Operator(e, name, e.Span(), x, y) }
	below, above := isInfinite(a, -1), isInfinite(b, 1)
	switch {
	case below && above:
		return substitution{stdlib.LineQuadrature(), func(x model.Expr) model.Expr { return x }, typing.Number(1, e)}
	case below:
		return substitution{stdlib.HalfLineQuadrature(), func(x model.Expr) model.Expr { return op("-", b, x) },
			typing.Number(1, e)}
	case above:
		return substitution{stdlib.HalfLineQuadrature(), func(x model.Expr) model.Expr { return op("+", a, x) },
			typing.Number(1, e)}
	}
	width := op("-", b, a)
	return substitution{stdlib.UnitQuadrature(),
		func(x model.Expr) model.Expr { return op("+", a, op("*", width, x)) }, width}
}

func isInfinite(x model.Expr, sign int) bool {
	return typing.IsNumber(x) && math.IsInf(x.Info().Type.Range.Lo, sign)
}

// integrand returns the function to integrate, or nil after an error.
func (c *checker) integrand(s *scope.Scope, e *ast.Call) *scope.Function {
	const form = "`integrate(f, a, b)` takes a function that the model defines and two limits of integration; " +
		"further arguments are passed to the function after its first"
	if len(e.Args) < 3 {
		c.Errorf(diag.Arguments, e.Span(), form)
		return nil
	}
	n, ok := e.Args[0].Value.(*ast.Name)
	if !ok {
		c.Errorf(diag.Arguments, e.Args[0].Span(), form).Help("define it on a line of its own: `f(x) = %s`",
			e.Args[0].Span().Text())
		return nil
	}
	ent := s.Lookup(n.Name)
	if ent == nil || ent.Fn == nil || ent.Fn.Draw != nil || len(ent.Fn.Head.Slots) > 0 || c.isNetwork(ent.Fn) {
		c.Errorf(diag.Arguments, n.Span(), "`integrate` cannot integrate `%s`: it needs a function that the model "+
			"defines, without layers and without indices", n.Name).
			Help("define it on a line of its own: `f(x) = …`, and write `integrate(f, a, b)`")
		return nil
	}
	ent.Used = true
	if given, params := len(e.Args)-2, len(ent.Fn.Head.Params); given != params {
		c.Errorf(diag.Arguments, e.Span(), "`%s` takes %s, but `integrate` passes x and %d more", n.Name,
			diag.Count(params, "argument", "arguments"), given-1).Related(ent.Fn.At, "the function").
			Help("further arguments follow the limits: `integrate(f, a, b, y)` is the integral of f(x, y) over x")
		return nil
	}
	return ent.Fn
}

// bindIntegrand binds the first parameter of a function to the quadrature points, and the others to the arguments after
// the limits. It returns false after an error.
func (c *checker) bindIntegrand(s, inner *scope.Scope, fn *scope.Function, e *ast.Call, x model.Expr) bool {
	for i, p := range fn.Head.Params {
		if i > 0 {
			if !c.bindParam(s, inner, fn, p, e.Args[2+i], e) {
				return false
			}
			continue
		}
		if p.Name == nil || len(p.Sets) > 0 {
			c.Errorf(diag.Arguments, e.Args[0].Span(), "`integrate` needs a function whose first argument is "+
				"one number, but that of `%s` is an array", fn.Name).Related(p.Span(), "its argument")
			return false
		}
		inner.Add(&scope.Entity{Name: p.Name.Name, At: p.Span(), Expr: x, Used: true})
	}
	return true
}

// element returns the expression values[k].
func (c *checker) element(e ast.Node, values []float64, k *model.Index) model.Expr {
	list := &model.List{Fact: model.Fact{At: e.Span(), Static: true,
		Type: model.Type{Axes: []*model.Set{k.Set}, Range: stdlib.Everything()}}}
	for _, v := range values {
		list.Items = append(list.Items, typing.Number(v, e))
	}
	at := &model.IndexVar{Index: k, Fact: model.Fact{At: e.Span(), Static: true,
		Type: model.Type{Range: stdlib.Range{Lo: 1, Hi: float64(len(values)), Int: true}}}}
	return &model.Subscript{X: list, Subs: []model.Sub{{At: at}},
		Fact: model.Fact{At: e.Span(), Static: true, Type: model.Type{Range: stdlib.Everything()}}}
}
