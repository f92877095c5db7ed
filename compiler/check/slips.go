package check

import (
	"slices"
	"strings"

	"ppl/compiler/model"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// someElements warns of data of which statements observe single elements, and nothing the others:
//
//	y[1] ~ Normal(mu, 1)    with y[N]: N - 1 values have no distribution
//
// A range that leaves a few elements out is meant: y[t in 2..T] ~ ….
func someElements(m *model.Model, diags *diag.List) {
	observed := map[*model.Array][]*model.Term{}
	var order []*model.Array
	for _, t := range m.Terms {
		if t.Kind == model.Likelihood {
			if observed[t.Array] == nil {
				order = append(order, t.Array)
			}
			observed[t.Array] = append(observed[t.Array], t)
		}
	}
	for _, a := range order {
		for k, axis := range a.Type.Axes {
			at, single := elementsAt(observed[a], k)
			n := model.AffineOf(axis.Hi).Minus(model.AffineOf(axis.Lo)).Plus(model.Affine{Const: 1})
			if !single || n.IsConst() && n.Const <= float64(len(at)) {
				continue
			}
			word, have := "element", "has"
			if len(at) > 1 {
				word, have = "elements", "have"
			}
			first := observed[a][0].At
			diags.Warnf("W14", first, "of `%s` over %s only %s %s %s a distribution: the others are ignored", a.Name,
				axis.Name, word, strings.Join(at, ", "), have).
				Help("for all of them write `%s ~ …`, or with an index `%s[i in %s] ~ …`", a.Name, a.Name, axis.Name)
			break
		}
	}
}

// elementsAt are the single elements that terms observe along an axis; single is false if some term has more of it.
func elementsAt(terms []*model.Term, axis int) (at []string, single bool) {
	for _, t := range terms {
		sub, ok := t.Value.(*model.Subscript)
		if !ok || axis >= len(sub.Subs) || sub.Subs[axis].At == nil {
			return nil, false
		}
		n, ok := sub.Subs[axis].At.(*model.Num)
		if !ok {
			return nil, false
		}
		if text := boundText(n.Value); !slices.Contains(at, text) {
			at = append(at, text)
		}
	}
	return at, true
}

// groupsAsNumbers warns where the numbers of groups are taken for quantities: in b * hospital with hospital: index(H)
// the slope is over the order of the names. Numbers of groups stand in subscripts and comparisons.
func groupsAsNumbers(m *model.Model, diags *diag.List) {
	seen := map[*model.Array]bool{}
	warn := func(x model.Expr, a *model.Array) {
		if !seen[a] {
			seen[a] = true
			diags.Warnf("W15", x.Info().At, "`%s` numbers groups, and here its numbers are taken for quantities",
				a.Name).
				Related(a.At, "declared as index(%s)", a.IndexOf.Name).
				Help("for an effect of each group write `b[%s]` with `b[%s] ~ …`; if the numbers are quantities "+
					"declare "+
					"`%s: int`", a.Name, a.IndexOf.Name, a.Name)
		}
	}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		switch x := x.(type) {
		case nil:
			return
		case *model.Subscript:
			visit(x.X)
			return
		case *model.Apply:
			if arithmetic[x.Name] && !x.Static {
				for _, y := range x.Args {
					if a := groupsOf(y); a != nil {
						warn(x, a)
					}
				}
			}
		}
		for _, y := range x.Children() {
			visit(y)
		}
	}
	for _, t := range m.Terms {
		for k, x := range t.Args {
			if a := groupsOf(x); a != nil && t.Form.Args[k].Domain.Kind != types.IntRange {
				warn(x, a)
			}
			visit(x)
		}
		visit(t.Density)
		if t.Kind == model.Likelihood && t.Array.IndexOf != nil && t.Dist != nil && !t.Dist.Discrete() {
			warn(t.Value, t.Array)
		}
	}
	for _, a := range m.Arrays {
		for _, p := range a.Pieces {
			visit(p.Value)
		}
	}
}

var arithmetic = map[string]bool{"+": true, "-": true, "*": true, "/": true, "^": true}

// groupsOf is the data array of group numbers that an expression is, or is an element of.
func groupsOf(x model.Expr) *model.Array {
	if sub, ok := x.(*model.Subscript); ok {
		x = sub.X
	}
	if ref, ok := x.(*model.Ref); ok && ref.Array.Role == model.Data && ref.Array.IndexOf != nil {
		return ref.Array
	}
	return nil
}
