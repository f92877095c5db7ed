package check

import (
	"slices"
	"strings"

	"ppl/compiler/frontend/advice"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// distribution finds the distribution D of D(args) and the first of its forms that the arguments fit, and elaborates
// the arguments in the order of the form. The last result is false after an error.
func (c *checker) distribution(s *scope.Scope, e ast.Expr) (*stdlib.Dist, *stdlib.Form, []model.Expr, bool) {
	n := scope.DistName(e)
	if n == nil {
		if module, name, ok := ofModule(e.Span().Text()); ok {
			c.Errorf(diag.Undefined, e.Span(), "there is no module `%s`", module).Help("write `%s(…)`", name)
			return nil, nil, nil, false
		}
		c.NotYet(e.Span(), "`"+e.Span().Text()+"` as a distribution")
		return nil, nil, nil, false
	}
	// A dropped name is a template with a syntax error.
	if build := compounds[n.Name]; build != nil && !c.dropped[n.Name] {
		return c.compound(s, e, n, build)
	}
	dist := stdlib.Dists()[n.Name]
	if dist == nil {
		c.unknownDist(s, n)
		return nil, nil, nil, false
	}
	var given []*ast.Arg
	if call, ok := e.(*ast.Call); ok {
		given = call.Args
	}
	form, order := c.pickForm(dist, given, e.Span())
	if form == nil {
		return nil, nil, nil, false
	}
	args := make([]model.Expr, len(form.Args))
	ok := true
	for i, a := range order {
		if a == nil {
			args[i] = typing.Number(*form.Args[i].Default, e)
			continue
		}
		args[i] = c.expr(s, a.Value)
		ok = ok && !typing.IsPoison(args[i]) && c.argDomain(dist, form.Args[i], i, args[i])
	}
	return dist, form, args, ok
}

func (c *checker) unknownDist(s *scope.Scope, n *ast.Name) {
	if c.dropped[n.Name] {
		return
	}
	if e := s.Lookup(n.Name); e != nil && e.Array != nil {
		e.Used = true
		c.Errorf(diag.Undefined, n.Span(), "`%s` is not a distribution, but %s", n.Name, roleText(e.Array)).
			Related(e.At, "defined here").
			Help("write a distribution after `~`, such as `Normal(%s, s)`; for a definition write `=` instead of `~`",
				n.Name)
		return
	}
	var names []string
	for d := range stdlib.Dists() {
		names = append(names, d)
	}
	advice.Meant(c.Errorf(diag.Undefined, n.Span(), "there is no distribution `%s`", n.Name), n.Name, stdlib.Foreign,
		append(sorted(names), "Density", "Hurdle", "Mixture", "ZeroInflated"))
}

func roleText(a *scope.Array) string {
	switch {
	case a.Decl != nil:
		return "data"
	case len(a.Draws) > 0:
		return "a parameter"
	}
	return "a definition"
}

// pickForm returns the first form that the arguments fit, and the arguments in its order; an argument that is not given
// is nil. If no form fits, pickForm reports an error and returns nil.
func (c *checker) pickForm(dist *stdlib.Dist, given []*ast.Arg, at source.Span) (*stdlib.Form, []*ast.Arg) {
	for i := range dist.Forms {
		if order, ok := fitForm(&dist.Forms[i], given); ok {
			return &dist.Forms[i], order
		}
	}
	known := map[string]bool{}
	var all []string
	for _, f := range dist.Forms {
		for _, a := range f.Args {
			if !known[a.Name] {
				known[a.Name] = true
				all = append(all, a.Name)
			}
		}
	}
	for _, a := range given {
		if a.Name != nil && !known[a.Name.Name] {
			d := c.Errorf(diag.Arguments, a.Name.Span(), "`%s` has no argument `%s`; its arguments are %s", dist.Name,
				a.Name.Name,
				diag.And(all))
			if own, ok := stdlib.ForeignArgument(dist, a.Name.Name); ok {
				d.Help("write `%s`", own).Replace(own)
			} else if near, ok := diag.Nearest(a.Name.Name, all); ok {
				d.Meant("`%s`", near).Replace(near)
			} else if help := argumentsElsewhere[a.Name.Name]; help != "" {
				d.Help("%s", help)
			}
			return nil, nil
		}
	}
	c.Errorf(diag.Arguments, at, "these arguments do not fit `%s`; write %s", dist.Name, model.SignaturesText(dist))
	return nil, nil
}

// ofModule splits the text pm.Normal(0, 1) into the module and the distribution. ok is false if the text has no module
// or no such distribution exists.
func ofModule(text string) (module, name string, ok bool) {
	call, _, _ := strings.Cut(text, "(")
	if module, name, ok = strings.Cut(call, "."); ok {
		ok = stdlib.Dists()[name] != nil
	}
	return module, name, ok
}

// argumentsElsewhere maps arguments of other languages to advice on how to write them here.
var argumentsElsewhere = map[string]string{
	"observed": "data on the left of `~` are observed",
	"shape":    "an axis is written on the left: `a[J] ~ …`", "dims": "an axis is written on the left: `a[J] ~ …`",
	"initval": "warm-up finds starting points by itself", "transform": "the transform follows from the support",
}

// fitForm returns the given arguments in the order of a form, with nil for those that take their default. It returns
// false if an argument is not in the form or is given twice, or if one without a default is missing.
func fitForm(f *stdlib.Form, given []*ast.Arg) ([]*ast.Arg, bool) {
	order := make([]*ast.Arg, len(f.Args))
	for k, a := range given {
		at := k
		if a.Name != nil {
			at = -1
			for i, fa := range f.Args {
				if fa.Name == a.Name.Name {
					at = i
				}
			}
		}
		if at < 0 || at >= len(order) || order[at] != nil {
			return nil, false
		}
		order[at] = a
	}
	for i, a := range order {
		if a == nil && f.Args[i].Default == nil {
			return nil, false
		}
	}
	return order, true
}

// argDomain reports an error and returns false if an argument is never in its domain, such as a negative constant
// scale. Package lint finds arguments that leave their domain only for some values of the parameters.
func (c *checker) argDomain(dist *stdlib.Dist, a stdlib.Arg, k int, x model.Expr) bool {
	if a.Domain.Kind == types.Simplex {
		return c.simplexArg(dist, x)
	}
	if a.Domain.Kind != types.Interval && a.Domain.Kind != types.IntRange {
		return true
	}
	r := x.Info().Type.Range
	if r.Hi >= a.Domain.Lo && r.Lo <= a.Domain.Hi {
		return true
	}
	c.Errorf(diag.ArgumentDomain, x.Info().At, "the %s argument of `%s` (%s) must be %s, but `%s` is %s",
		diag.Ordinal(k+1), dist.Name, a.Name,
		a.Domain, x.Info().At.Text(), model.RangeText(r)).Help("the arguments of the distribution are, in order, %s",
		model.SignaturesText(dist))
	return false
}

// simplexArg reports an error and returns false for a parameter that cannot be a simplex because it may be negative.
func (c *checker) simplexArg(dist *stdlib.Dist, x model.Expr) bool {
	r, name := x.Info().Type.Range, model.ParameterName(x)
	if name == "" || r.Lo >= 0 {
		return true
	}
	d := c.Errorf(diag.NotASimplex, x.Info().At, "the argument of `%s` must be a simplex, but `%s` is %s", dist.Name,
		x.Info().At.Text(), model.RangeText(r))
	if slices.ContainsFunc(dist.Forms, func(f stdlib.Form) bool { return f.Args[len(f.Args)-1].Name == "logits" }) {
		d.Help("if `%s` contains log probabilities, write `logits = %s`", name, x.Info().At.Text())
	} else {
		d.Help("draw it from a Dirichlet, or write `softmax(…)`")
	}
	return false
}
