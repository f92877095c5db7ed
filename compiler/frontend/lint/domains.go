package lint

import (
	"math"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// RefuseDomains reports an error for arguments of distributions that can leave their domain, as far as the supports of
// the parameters show it. In
//
//	a, b ~ Normal(0, 1)
//	y[i in N] ~ Poisson(a + b * x[i])
//
// the rate can be any real number, because `a` can be any real number and occurs only once, in a sum. If the range of
// an argument is only an outer bound, as for a - a / 2, there is no error.
func RefuseDomains(m *model.Model, diags *diag.List) {
	for _, t := range m.Terms {
		if t.Dist != nil {
			leaveDomains(t.Dist, t.Form, t.Args, diags)
		}
		for _, x := range t.Exprs() {
			domainsInside(x, diags)
		}
	}
	for _, a := range m.Arrays {
		for _, p := range a.Pieces {
			domainsInside(p.Value, diags)
		}
	}
}

// domainsInside checks the distributions in logpdf(D(args), x) and similar functions.
func domainsInside(x model.Expr, diags *diag.List) {
	model.Walk(x, func(y model.Expr) {
		if l, ok := y.(*model.LogProb); ok {
			leaveDomains(l.Dist, l.Form, l.Args, diags)
		}
	})
}

func leaveDomains(dist *stdlib.Dist, form *stdlib.Form, args []model.Expr, diags *diag.List) {
	for k, x := range args {
		a := form.Args[k]
		if p := model.ParameterOf(x); a.Domain.Kind == types.Ordered && p != nil && withoutOrder(p) {
			diags.Warnf(diag.PossibleDomain, x.Info().At, "`%s` of `%s` must increase, but nothing orders the "+
				"elements of `%s`", a.Name, dist.Name, p.Name).
				Related(p.At, "it is drawn here").
				Help("write `%s[…] ~ … ordered`; the density is 0 if they do not increase", p.Name)
		}
		if x.Info().Static || a.Domain.Kind != types.Interval && a.Domain.Kind != types.IntRange {
			continue
		}
		r := x.Info().Type.Range
		if below, above := exceeds(r, a.Domain); !below && !above || !takesAll(x) {
			continue
		}
		d := diags.Errorf(diag.ArgumentDomain, x.Info().At, "the %s argument of `%s` (%s) must be %s, but `%s` is %s",
			diag.Ordinal(k+1), dist.Name, a.Name, a.Domain, x.Info().At.Text(), model.RangeText(r))
		if def := model.DefinitionOf(x); def != nil {
			d.Related(def.At, "`%s` is defined here", def.Name)
		}
		help := domainHelp(dist, k, a, x)
		if swapped(form, args, k) {
			help = "are the arguments in the right order, " + model.SignaturesText(dist) + "? If they are, " + help
		}
		d.Help("%s", help)
	}
}

// swapped reports whether an argument outside its domain and another argument would fit if they changed places.
func swapped(form *stdlib.Form, args []model.Expr, k int) bool {
	fits := func(x model.Expr, in stdlib.Arg) bool {
		below, above := exceeds(x.Info().Type.Range, in.Domain)
		return in.Domain.Kind == types.RealLine || in.Domain.Kind == types.Interval && !below && !above
	}
	for j, x := range args {
		if j != k && model.ParameterOf(x) != nil && fits(x, form.Args[k]) && fits(args[k], form.Args[j]) {
			return true
		}
	}
	return false
}

// exceeds reports whether a range extends below a domain, and whether it extends above it. A domain open at 0 is
// treated as if it contained 0.
func exceeds(r stdlib.Range, d stdlib.Domain) (below, above bool) {
	lo := d.Lo
	if lo > 0 && lo < 1e-300 {
		lo = 0
	}
	return r.Lo < lo, r.Hi > d.Hi
}

// domainHelp advises how to bring an argument into its domain: by a parametrisation on the unbounded scale if the
// distribution has one, or else by a function with the right range.
func domainHelp(dist *stdlib.Dist, k int, a stdlib.Arg, x model.Expr) string {
	text, name := x.Info().At.Text(), model.ParameterName(x)
	link := "exp"
	if a.Domain.Hi == 1 {
		link = "sigmoid"
	}
	if name != "" && link == "sigmoid" && x.Info().Type.Range.Lo >= 0 {
		return "write `" + name + " ~ … in 0..1`, or give it a distribution on 0..1, such as Beta"
	}
	for _, f := range dist.Forms {
		for _, b := range f.Args {
			if b.Name == "log" && link == "exp" && f.Args[0].Name == "log" && k == 0 || b.Name == "logits" &&
				link == "sigmoid" {
				other := ""
				if len(f.Args) > 1 && f.Args[0].Name == b.Name {
					other = ", …"
				}
				before := ""
				if f.Args[0].Name != b.Name {
					before = "…, "
				}
				return "on the " + map[string]string{"log": "log", "logits": "logit"}[b.Name] +
					" scale it may be any " +
					"number: write `" + dist.Name + "(" + before + b.Name + " = " + text + other + ")`"
			}
		}
	}
	if name != "" && link == "exp" {
		return "write exp(" + name + "), or `" + name + " ~ … in 0..inf`"
	} else if name != "" {
		return "write sigmoid(" + name + "), or `" + name + " ~ … in 0..1`"
	}
	return "write `" + link + "(" + text + ")`"
}

// takesAll reports whether an expression is known to take every value of its range for some values of the parameters.
// This is so if it is a parameter, or an element of one, with an exact range, or if an unbounded parameter occurs in it
// only once, inside operations whose result can be any number if the parameter can.
func takesAll(x model.Expr) bool {
	if p := model.ParameterOf(x); p != nil {
		if isMatrix(p) {
			return false
		}
		r := p.Type.Range
		return math.IsInf(r.Lo, -1) && math.IsInf(r.Hi, 1) && unbounded(p) || exactEnd(x, true) && exactEnd(x, false)
	}
	f := lineFinder{seen: map[*model.Array]bool{}}
	return f.line(x, nil)
}

// A lineFinder searches an expression from the root down for an unbounded parameter.
type lineFinder struct {
	seen map[*model.Array]bool // definitions already visited
}

// line reports whether x takes every real number because a parameter in it does and the other expressions with which x
// is combined, rest, do not read this parameter.
func (f *lineFinder) line(x model.Expr, rest []model.Expr) bool {
	switch x := x.(type) {
	case *model.Ref:
		return f.array(x.Array, rest)
	case *model.Subscript:
		return f.line(x.X, rest)
	case *model.Build:
		return f.line(x.Body, rest)
	case *model.Fill:
		return f.line(x.Value, rest)
	case *model.MatMul:
		return f.oneOf([]model.Expr{x.X, x.Y}, rest)
	case *model.Reduce:
		return (x.Row.Name == "sum" || x.Row.Name == "mean") && f.line(x.X, rest)
	case *model.Apply:
		switch {
		case x.Name == "+" || x.Name == "-":
			return f.oneOf(x.Args, rest)
		case x.Name == "*" && !isValue(x.Args[0], 0) && !isValue(x.Args[1], 0):
			return f.oneOf(x.Args, rest)
		case x.Name == "/":
			return f.line(x.Args[0], append(slices.Clone(rest), x.Args[1]))
		}
	}
	return false
}

func (f *lineFinder) oneOf(xs, rest []model.Expr) bool {
	for i, x := range xs {
		others := slices.Clone(rest)
		others = append(append(others, xs[:i]...), xs[i+1:]...)
		if f.line(x, others) {
			return true
		}
	}
	return false
}

func (f *lineFinder) array(a *model.Array, rest []model.Expr) bool {
	switch a.Role {
	case model.Parameter:
		r := a.Type.Range
		return math.IsInf(r.Lo, -1) && math.IsInf(r.Hi, 1) && unbounded(a) && !isMatrix(a) && !reads(rest, a)
	case model.Definition:
		if f.seen[a] {
			return false
		}
		f.seen[a] = true
		return slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool {
			return p.Value != nil && p.Recurrence == nil && f.line(p.Value, rest)
		})
	}
	return false
}

// unbounded reports whether all pieces of a parameter are drawn without `in` and from distributions without bounds as
// arguments.
func unbounded(a *model.Array) bool {
	return !slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool {
		return p.Term == nil || p.Term.In != nil || p.Term.Form != nil && p.Term.Form.Bounds != nil
	})
}

// isMatrix reports whether a parameter is a covariance or similar matrix. Its diagonal is positive, although other
// elements are not.
func isMatrix(a *model.Array) bool {
	return slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool {
		if p.Term == nil || p.Term.Dist == nil {
			return false
		}
		switch p.Term.Dist.Support {
		case types.Correlation, types.Covariance, types.CholeskyCorr, types.CholeskyCov:
			return true
		}
		return false
	})
}

// reads reports whether expressions read an array, directly or through definitions.
func reads(xs []model.Expr, a *model.Array) bool {
	seen := map[*model.Array]bool{}
	var visit func(xs ...model.Expr) bool
	visit = func(xs ...model.Expr) bool {
		return slices.ContainsFunc(model.Arrays(xs...), func(b *model.Array) bool {
			if a == b || seen[b] {
				return a == b
			}
			seen[b] = true
			return b.Role == model.Definition && slices.ContainsFunc(b.Pieces, func(p *model.Piece) bool {
				return visit(p.Value)
			})
		})
	}
	return visit(xs...)
}

// withoutOrder reports whether some piece of a parameter draws scalar elements with an index and without `ordered`.
func withoutOrder(a *model.Array) bool {
	return slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool {
		return p.Term != nil && p.Term.Dist != nil && p.Term.Dist.Event == 0 && !p.Term.Ordered && len(p.Plates) > 0
	})
}
