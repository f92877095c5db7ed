package check

import (
	"unicode"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// specials maps the names of functions that take a distribution, a function or a size as an argument to the methods
// that elaborate their calls.
func specials() map[string]func(*checker, *scope.Scope, *ast.Call) model.Expr {
	return map[string]func(*checker, *scope.Scope, *ast.Call) model.Expr{
		"fill":      (*checker).fill,
		"integrate": (*checker).integrate,
		"logpdf":    (*checker).logprob,
		"logcdf":    (*checker).logprob,
		"cdf":       (*checker).logprob,
		"quantile":  (*checker).logprob,
	}
}

// fill elaborates fill(v, N, M), an array with one repeated value.
func (c *checker) fill(s *scope.Scope, e *ast.Call) model.Expr {
	if len(e.Args) < 2 {
		c.Errorf(diag.Arguments, e.Span(), "`fill` needs a value and at least one size: `fill(1, K)`")
		return typing.Poison(e)
	}
	v := c.expr(s, e.Args[0].Value)
	if typing.IsPoison(v) {
		return v
	}
	t := v.Info().Type
	var axes []*model.Set
	for _, a := range e.Args[1:] {
		axes = append(axes, c.set(s, &ast.Set{Place: ast.Place{At: a.Span()}, Lo: a.Value}))
	}
	if len(t.Axes) > 0 {
		c.Errorf(diag.AxisCount, e.Args[0].Span(), "`fill` repeats one number, but `%s` has %s",
			e.Args[0].Span().Text(), model.HaveAxes(t.Axes))
		return typing.Poison(e)
	}
	t.Axes = axes
	return &model.Fill{Value: v, Fact: model.Fact{At: e.Span(), Type: t, Static: v.Info().Static}}
}

// logprob elaborates logpdf(D(args), x), cdf, logcdf, and quantile(D(args), p).
func (c *checker) logprob(s *scope.Scope, e *ast.Call) model.Expr {
	name := e.Fun.(*ast.Name).Name
	if len(e.Args) != 2 {
		said := c.Errorf(diag.Arguments, e.Span(), "`%s` needs a distribution and a value: `%s(Normal(0, 1), x)`", name,
			name)
		if name == "quantile" {
			said.Help("for a quantile of the elements of an array write `quantile(x, 0.5)`")
		}
		return typing.Poison(e)
	}
	if name == "quantile" && !c.looksLikeDist(s, e.Args[0].Value) {
		return c.inline(s, s.Lookup("sample_quantile").Fn, e)
	}
	dist, form, args, ok := c.distribution(s, e.Args[0].Value)
	x := c.expr(s, e.Args[1].Value)
	if !ok || typing.IsPoison(x) || dist == nil {
		return typing.Poison(e)
	}
	if name != "logpdf" && form.LogCDF == nil {
		c.Errorf(diag.NoCDF, e.Args[0].Span(), "`%s` needs the cumulative distribution function of `%s`, which ppl "+
			"does not have yet", name, dist.Name)
		return typing.Poison(e)
	}
	l := &model.LogProb{Name: name, Dist: dist, Form: form, Args: args, X: x}
	return c.Density(e, l)
}

// looksLikeDist reports whether an expression names a distribution. A call of an unknown capitalised name counts as a
// misspelled distribution.
func (c *checker) looksLikeDist(s *scope.Scope, e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	if !ok || c.isDist(s, e) {
		return c.isDist(s, e)
	}
	n, ok := call.Fun.(*ast.Name)
	return ok && s.Lookup(n.Name) == nil && unicode.IsUpper([]rune(n.Name)[0])
}
