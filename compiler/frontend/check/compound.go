package check

import (
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// A compound is a distribution built from a weight, its first argument, and one or more distributions. make builds it
// from these distributions; single is true if the weight is one number.
type compound struct {
	make    func(parts []stdlib.Part, single bool) (*stdlib.Dist, *stdlib.Form, error)
	most    int    // maximum number of distributions; 0 for any number
	example string // a valid call, for error messages
}

var compounds = map[string]*compound{
	"Mixture": {stdlib.Mixture, 0, "Mixture(w, [Normal(m1, s1), StudentT(4, m2, s2)])"},
	"ZeroInflated": {func(p []stdlib.Part, _ bool) (*stdlib.Dist, *stdlib.Form, error) {
		return stdlib.ZeroInflated(p[0])
	}, 1, "ZeroInflated(p, Poisson(rate))"},
	"Hurdle": {func(p []stdlib.Part, _ bool) (*stdlib.Dist, *stdlib.Form, error) { return stdlib.Hurdle(p[0]) }, 1,
		"Hurdle(p, Gamma(shape, rate))"},
}

// compound elaborates such a distribution. The arguments that it returns are the weight and those of the distributions.
// The last result is false after an error.
func (c *checker) compound(s *scope.Scope, e ast.Expr, name *ast.Name, k *compound) (*stdlib.Dist, *stdlib.Form,
	[]model.Expr, bool) {
	weight, given := partsOf(e)
	if weight == nil || len(given) == 0 || k.most > 0 && len(given) > k.most {
		c.Errorf(diag.Arguments, e.Span(), "these arguments do not fit `%s`", name.Name).Help("write `%s`", k.example)
		return nil, nil, nil, false
	}
	w := c.expr(s, weight)
	ok := !typing.IsPoison(w)
	args, parts := []model.Expr{w}, []stdlib.Part{}
	for _, g := range given {
		dist, form, own, fits := c.distribution(s, g)
		ok = ok && fits && dist != nil
		args, parts = append(args, own...), append(parts, stdlib.Part{Dist: dist, Form: form})
	}
	if !ok {
		return nil, nil, nil, false
	}
	single := len(w.Info().Type.Axes) == 0
	if single && name.Name == "Mixture" && len(parts) != 2 {
		said := c.Errorf(diag.Arguments, weight.Span(), "`%s` is one number, the probability of the first of two "+
			"distributions, but the mixture has %s", weight.Span().Text(),
			diag.Count(len(parts), "distribution", "distributions"))
		if len(parts) > 2 {
			said.Help("give the weights as a simplex: `w ~ Dirichlet(…)`")
		}
		return nil, nil, nil, false
	}
	dist, form, err := k.make(parts, single)
	if err != nil {
		c.Errorf(diag.Arguments, e.Span(), "`%s` cannot be built from these distributions: %v", name.Name, err)
		return nil, nil, nil, false
	}
	return dist, form, args, c.argDomain(dist, form.Args[0], 0, w)
}

// partsOf returns the first argument of a compound, and the distributions after it, as a list or as arguments.
func partsOf(e ast.Expr) (weight ast.Expr, parts []ast.Expr) {
	call, ok := e.(*ast.Call)
	if !ok || len(call.Args) < 2 {
		return nil, nil
	}
	for _, a := range call.Args {
		if a.Name != nil {
			return nil, nil
		}
	}
	if list, ok := call.Args[1].Value.(*ast.List); ok && len(call.Args) == 2 {
		return call.Args[0].Value, list.Items
	}
	for _, a := range call.Args[1:] {
		parts = append(parts, a.Value)
	}
	return call.Args[0].Value, parts
}
