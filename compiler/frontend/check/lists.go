package check

import (
	"slices"

	"math"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

func (c *checker) list(s *scope.Scope, e *ast.List) model.Expr {
	items := make([]model.Expr, len(e.Items))
	t := model.Type{Elem: types.Int, Range: stdlib.Range{Lo: math.Inf(1), Hi: math.Inf(-1), Int: true}}
	for i, it := range e.Items {
		if text, ok := it.(*ast.String); ok {
			c.Errorf(diag.WrongKind, text.Span(), "a list has numbers, not texts").
				Help("texts are read from files; in the model the elements of a set are numbers: " +
					"`data sex[N]: index(S) = [1, 2, 1]`")
			return typing.Poison(e)
		}
		items[i] = c.expr(s, it)
		if typing.IsPoison(items[i]) {
			return typing.Poison(e)
		}
		t.Range = stdlib.Union(t.Range, items[i].Info().Type.Range)
		if items[i].Info().Type.Elem == types.Real {
			t.Elem = types.Real
		}
		if i > 0 && !model.SameSets(items[i].Info().Type.Axes, items[0].Info().Type.Axes) {
			c.Errorf(diag.BranchAxesDiffer, it.Span(), "the elements of a list have different axes: %s and %s",
				model.AxesText(items[0].Info().Type.Axes), model.AxesText(items[i].Info().Type.Axes))
			return typing.Poison(e)
		}
	}
	set := model.NewSet("1.."+itoa(len(items)), typing.Number(1, e), typing.Number(float64(len(items)), e))
	t.Axes = []*model.Set{set}
	if len(items) > 0 {
		t.Axes = append(t.Axes, items[0].Info().Type.Axes...)
	}
	return &model.List{Items: items, Fact: model.Fact{At: e.Span(), Type: t, Static: typing.AllStatic(items...)}}
}

// bind returns a new scope in s with the indices of binders, and the indices.
func (c *checker) bind(s *scope.Scope, binders []*ast.Binder) (*scope.Scope, []*model.Index) {
	inner := scope.New(s)
	var over []*model.Index
	for _, b := range binders {
		over = append(over, c.bindIndex(inner, b.Index, c.set(inner, b.Set)))
	}
	return inner, over
}

func (c *checker) bindIndex(s *scope.Scope, id ast.Ident, set *model.Set) *model.Index {
	if old := s.Parent.Lookup(id.Name); old != nil && old.Index == nil && old.Set == nil && c.fileLevel(old) {
		c.Errorf(diag.IndexNamedAsValue, id.Span(), "index `%s` has the name of a value (line %d); rename the index",
			id.Name,
			old.At.Line()).
			Related(old.At, "the value")
	}
	i := c.NewIndex(id.Name, set)
	s.Add(&scope.Entity{Name: id.Name, At: id.Span(), Index: i})
	return i
}

func (c *checker) fileLevel(e *scope.Entity) bool {
	return c.global.Names[e.Name] == e && e.Expr == nil
}

func (c *checker) comprehension(s *scope.Scope, e *ast.Comprehension) model.Expr {
	inner, over := c.bind(s, e.Binders)
	body := c.expr(inner, e.Body)
	if typing.IsPoison(body) {
		return typing.Poison(e)
	}
	for _, i := range over {
		if slices.ContainsFunc(i.Set.Ragged, func(j *model.Index) bool { return slices.Contains(over, j) }) {
			c.NotYet(e.Span(), "an array whose size depends on an index (ragged), in an expression").
				Help("define it: `x[i in I, j in 1..m[i]] = …`; or make the array rectangular, with a value beyond " +
					"the bounds: `[i in I, j in 1..max(m): j <= m[i] ? … : 0]`")
			return typing.Poison(e)
		}
	}
	t := body.Info().Type
	t.Axes = nil
	for _, i := range over {
		t.Axes = append(t.Axes, i.Set)
	}
	t.Axes = append(t.Axes, body.Info().Type.Axes...)
	return &model.Build{Over: over, Body: body, Fact: model.Fact{At: e.Span(), Type: t, Static: body.Info().Static}}
}
