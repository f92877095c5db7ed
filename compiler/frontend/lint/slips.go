package lint

import (
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// Warn warns about statements that compile but are usually mistakes. The model must have no errors.
func Warn(m *model.Model, diags *diag.List) {
	someElements(m, diags)
	groupsAsNumbers(m, diags)
	otherScales(m, diags)
	explainedByItself(m, diags)
}

// someElements warns about data of which only single elements are observed:
//
//	y[1] ~ Normal(mu, 1)    with y[N]: N - 1 values have no distribution
//
// A range that omits a few elements is intended: y[t in 2..T] ~ ….
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
			if !single || n.IsConst() && n.Const <= float64(len(at)) || listed(a.Value, k) == len(at) {
				continue
			}
			word, have := "element", "has"
			if len(at) > 1 {
				word, have = "elements", "have"
			}
			first := observed[a][0].At
			diags.Warnf(diag.SingleElements, first, "only %[3]s %[4]s of `%[1]s` over %[2]s %[5]s a "+
				"distribution; the others are ignored", a.Name, axis.Name, word, strings.Join(at, ", "), have).
				Help("for all elements write `%s ~ …`, or with an index `%s[i in %s] ~ …`", a.Name, a.Name, axis.Name)
			break
		}
	}
}

// listed returns the number of values that a list in the model has along an axis, or 0 for other data.
func listed(x model.Expr, axis int) int {
	l, ok := x.(*model.List)
	switch {
	case !ok || len(l.Items) == 0:
		return 0
	case axis == 0:
		return len(l.Items)
	default:
		return listed(l.Items[0], axis-1)
	}
}

// elementsAt returns the single elements that terms observe along an axis; single is false if a term observes more.
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
		if text := model.NumberText(n.Value); !slices.Contains(at, text) {
			at = append(at, text)
		}
	}
	return at, true
}

// groupsAsNumbers warns if group numbers are used as quantities: in b * hospital with hospital: index(H), the slope
// would follow the order of the names. Group numbers are meant for subscripts and comparisons.
func groupsAsNumbers(m *model.Model, diags *diag.List) {
	seen := map[*model.Array]bool{}
	warn := func(x model.Expr, a *model.Array) {
		if !seen[a] {
			seen[a] = true
			diags.Warnf(diag.GroupsAsQuantities, x.Info().At, "`%s` numbers groups, but here its numbers are used "+
				"as quantities", a.Name).
				Related(a.At, "declared as index(%s)", a.IndexOf.Name).
				Help("for an effect of each group write `b[%s]` with `b[%s] ~ …`; if the numbers are quantities, "+
					"declare `%s: int` in the `data` statement", a.Name, a.IndexOf.Name, a.Name)
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

// groupsOf returns the data array of group numbers if x is one or an element of one, or nil.
func groupsOf(x model.Expr) *model.Array {
	if sub, ok := x.(*model.Subscript); ok {
		x = sub.X
	}
	if ref, ok := x.(*model.Ref); ok && ref.Array.Role == model.Data && ref.Array.IndexOf != nil {
		return ref.Array
	}
	return nil
}

// explainedByItself warns about an observation whose distribution reads the same element:
//
//	y[i in N] ~ Normal(a + b * y[i], s)
//
// This is not a density of y. `Density(…)` may read the element, because it is a density by formula.
func explainedByItself(m *model.Model, diags *diag.List) {
	for _, t := range m.Terms {
		if t.Kind != model.Likelihood || t.Dist == nil {
			continue
		}
		for _, x := range t.Args {
			if x.Info().Static { // for example, a known total of which y is a part
				continue
			}
			if at := readOf(t, x); at != nil {
				diags.Warnf(diag.ExplainsItself, at.Info().At, "the distribution of `%s` depends on the same element "+
					"of `%s`, so each observation explains itself", t.Array.Name, t.Array.Name).
					Related(t.At, "it is drawn here").
					Help("leave `%s` out; for an earlier value write `%s[t-1]`, for a density by formula `%s ~ "+
						"Density(…)`", at.Info().At.Text(), t.Array.Name, t.Array.Name)
				break
			}
		}
	}
}

// readOf returns the subexpression of x, or of a definition that x reads, that reads the value of a term, or nil. It
// ignores reads in the conditions of `? :` and in operands of reductions, products and functions of vectors.
func readOf(t *model.Term, x model.Expr) model.Expr {
	r := selfRead{array: t.Array, seen: map[*model.Array]bool{}}
	switch v := t.Value.(type) {
	case *model.Ref:
		r.visit(x, nil)
	case *model.Subscript:
		r.visit(x, v.Subs)
	}
	return r.found
}

// A selfRead searches for a read of an element of an array.
type selfRead struct {
	array *model.Array
	seen  map[*model.Array]bool // definitions already visited
	found model.Expr
}

// visit searches x for a read of the element at subs, or of the entire array if subs is nil.
func (r *selfRead) visit(x model.Expr, subs []model.Sub) {
	if x == nil || r.found != nil {
		return
	}
	switch x := x.(type) {
	case *model.Reduce, *model.MatMul, *model.Vector, *model.Build:
		return
	case *model.Cond:
		r.visit(x.Then, subs)
		r.visit(x.Else, subs)
		return
	case *model.Ref:
		r.read(x, x.Array, subs == nil)
		return
	case *model.Subscript:
		if ref, ok := x.X.(*model.Ref); ok {
			r.read(x, ref.Array, sameSubs(x.Subs, subs))
		}
		return
	}
	for _, y := range x.Children() {
		r.visit(y, subs)
	}
}

// read handles a read of array a; same is true if it is of the same element as the term's value. If a is a definition,
// read searches its value for the element at the indices of its statement.
func (r *selfRead) read(x model.Expr, a *model.Array, same bool) {
	switch {
	case !same:
	case a == r.array:
		r.found = x
	case a.Role == model.Definition && len(a.Pieces) == 1 && a.Pieces[0].Recurrence == nil && !r.seen[a]:
		r.seen[a] = true
		var at []model.Sub
		for _, s := range a.Pieces[0].Slots {
			if s.Index == nil {
				return
			}
			at = append(at, model.Sub{At: &model.IndexVar{Index: s.Index}})
		}
		r.visit(a.Pieces[0].Value, at)
	}
}

func sameSubs(a, b []model.Sub) bool {
	return b != nil && slices.EqualFunc(a, b, func(x, y model.Sub) bool {
		return x.At != nil && y.At != nil && model.SameForm(x.At, y.At)
	})
}
