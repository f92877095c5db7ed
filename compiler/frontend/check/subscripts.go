package check

import (
	"math"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
)

func (c *checker) subscript(s *scope.Scope, e *ast.Index) model.Expr {
	x := c.expr(s, e.X)
	if typing.IsPoison(x) {
		return x
	}
	return c.subscripts(s, x, e.X, e.Subs, e)
}

// subscripts elaborates x[subs]; name is the syntax tree of x, for messages.
func (c *checker) subscripts(s *scope.Scope, x model.Expr, name ast.Expr, subs []*ast.Set, e ast.Node) model.Expr {
	axes := x.Info().Type.Axes
	if len(subs) > len(axes) {
		c.Errorf(diag.AxisCount, subs[len(axes)].Span(), "`%s` has %s but is given %s", name.Span().Text(),
			model.HaveAxes(axes), diag.Count(len(subs), "subscript", "subscripts"))
		return typing.Poison(e)
	}
	out := &model.Subscript{X: x, Fact: model.Fact{At: e.Span(), Static: x.Info().Static, Type: x.Info().Type}}
	out.Type.Axes = nil
	for k, sub := range subs {
		m, extra, ok := c.sub(s, sub, axes[k])
		if !ok {
			return typing.Poison(e)
		}
		if m.At != nil {
			out.Static = out.Static && m.At.Info().Static
			extra = newAxes(extra, out.Type.Axes)
			axes = ofGroup(axes, k, m.At)
		}
		out.Subs = append(out.Subs, m)
		out.Type.Axes = append(out.Type.Axes, extra...)
	}
	out.Type.Axes = append(out.Type.Axes, axes[len(subs):]...)
	return out
}

// ofGroup substitutes the scalar subscript at of axis k in the bounds of later axes that depend on the index of axis k.
// If at has axes, ofGroup returns the axes unchanged.
func ofGroup(axes []*model.Set, k int, at model.Expr) []*model.Set {
	if len(at.Info().Type.Axes) > 0 {
		return axes
	}
	axes = slices.Clone(axes)
	for n, s := range axes[k+1:] {
		if len(s.Ragged) == 1 && s.Ragged[0].Set.Same(axes[k]) && model.AxisOf(axes[k], axes[:k]) < 0 {
			axes[k+1+n] = s.At(s.Ragged[0], at)
		}
	}
	return axes
}

// newAxes drops the axes of a gather that an earlier gather of the same subscript list already has: x[a, b] with a[N],
// b[N] has the axes [N].
func newAxes(extra, have []*model.Set) (out []*model.Set) {
	for _, s := range extra {
		if model.AxisOf(s, have) < 0 {
			out = append(out, s)
		}
	}
	return out
}

func (c *checker) sub(s *scope.Scope, sub *ast.Set, axis *model.Set) (model.Sub, []*model.Set, bool) {
	if n, ok := sub.Lo.(*ast.Name); ok && n.Name == "_" && sub.Hi == nil {
		return model.Sub{}, []*model.Set{axis}, true
	}
	if sub.Hi != nil {
		r := c.set(s, sub)
		return model.Sub{Range: r}, []*model.Set{r}, true
	}
	if text, ok := sub.Lo.(*ast.String); ok {
		return model.Sub{At: typing.Label(axis, text)}, nil, true
	}
	at := c.expr(s, sub.Lo)
	if typing.IsPoison(at) {
		return model.Sub{}, nil, false
	}
	if at.Info().Type.Elem == types.Real {
		markInt(at)
		switch {
		case betweenIntegers(at):
			c.Errorf(diag.WrongKind, sub.Span(), "subscript must be an integer; `%s` never is one", sub.Span().Text())
			return model.Sub{}, nil, false
		case !readsData(at):
			c.Errorf(diag.WrongKind, sub.Span(), "subscript must be an integer; `%s` is real", sub.Span().Text()).
				Help("declare it as `index(…)` or `int`, or draw it from a discrete distribution, such as " +
					"Categorical")
			return model.Sub{}, nil, false
		}
	}
	if a := typing.DataOf(at); a != nil && a.IndexOf != nil && !a.IndexOf.Same(axis) {
		c.Diags.Warnf(diag.WrongIndexSet, sub.Span(), "`%s` ranges over %s, but this axis is %s", a.Name,
			a.IndexOf.Name, axis.Name).
			Related(a.At, "`%s` is declared here", a.Name).
			Help("if that is meant, values outside %s are refused when the data are loaded", axis.Name)
	}
	return model.Sub{At: at}, at.Info().Type.Axes, true
}

// betweenIntegers reports whether an expression is never an integer because it is a sum of integer multiples of indices
// and sizes plus a fraction, such as t-0.5.
func betweenIntegers(e model.Expr) bool {
	form := model.AffineOf(e)
	for _, k := range form.Coefs {
		if k != math.Trunc(k) {
			return false
		}
	}
	whole := true
	model.Walk(e, func(x model.Expr) {
		switch x := x.(type) {
		case *model.IndexVar, *model.SizeOf, *model.SetSize, *model.Num:
		case *model.Apply:
			whole = whole && (x.Name == "+" || x.Name == "-" || x.Name == "*")
		default:
			whole = false
		}
	})
	return whole && form.Const != math.Trunc(form.Const)
}

// readsData reports whether an expression is an element of data or computed from data only. Whether its values are
// integers is then checked when data are loaded.
func readsData(e model.Expr) bool { return typing.DataOf(e) != nil || e.Info().Static && !isNum(e) }

func isNum(e model.Expr) bool { _, ok := e.(*model.Num); return ok }
