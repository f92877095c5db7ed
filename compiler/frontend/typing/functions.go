package typing

import (
	"math"
	"strings"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// OfValues maps names to functions of values that have their own rules for types and axes.
func OfValues() map[string]func(*Context, *ast.Call, []model.Expr) model.Expr {
	return map[string]func(*Context, *ast.Call, []model.Expr) model.Expr{
		"dropout":     (*Context).random,
		"random_crop": (*Context).random,
		"random_flip": (*Context).random,
		"first":       (*Context).end,
		"last":        (*Context).end,
		"flatten":     (*Context).flatten,
		"concat":      (*Context).concat,
		"probability": (*Context).probability,
		"mode":        (*Context).mode,
	}
}

// Scan types a function that maps a vector to a vector along its last axis.
func (c *Context) Scan(e *ast.Call, args []model.Expr, row *stdlib.Scan) model.Expr {
	if len(args) != 1 || len(args[0].Info().Type.Axes) == 0 {
		c.Errorf(diag.Arguments, e.Span(), "`%s` takes one vector", row.Name)
		return Poison(e)
	}
	build := func(x autodiff.Node) autodiff.Node { return row.Build(x, x.Rank()-1) }
	t := model.Type{Axes: args[0].Info().Type.Axes, Range: row.Range(args[0].Info().Type.Range, -1)}
	if t.Range.Int {
		t.Elem = types.Int
	}
	return &model.Vector{Name: row.Name, X: args[0], Build: build,
		Fact: model.Fact{At: e.Span(), Type: t, Static: args[0].Info().Static}}
}

// MatrixFunc types a function of a square matrix, whose rows and columns have the same index set.
func (c *Context) MatrixFunc(e *ast.Call, args []model.Expr, row *stdlib.MatrixFunc) model.Expr {
	if len(args) != 1 || len(args[0].Info().Type.Axes) != 2 {
		c.Errorf(diag.Arguments, e.Span(), "`%s` takes one matrix", row.Name)
		return Poison(e)
	}
	x := args[0]
	axes := x.Info().Type.Axes
	if !axes[0].Same(axes[1]) {
		c.Errorf(diag.NotSquare, e.Args[0].Span(), "`%s` needs a matrix with the same index set for rows and "+
			"columns, but the axes are %s", row.Name, model.AxesText(axes))
		return Poison(e)
	}
	t := model.Type{Axes: axes[:2-row.Drops], Range: stdlib.Everything()}
	return &model.Vector{Name: row.Name, X: x, Build: row.Build,
		Fact: model.Fact{At: e.Span(), Type: t, Static: x.Info().Static}}
}

// concat types the concatenation of arrays along their first axis; its elements are numbered from 1.
func (c *Context) concat(e *ast.Call, items []model.Expr) model.Expr {
	t := model.Type{Elem: types.Int, Range: stdlib.Range{Lo: math.Inf(1), Hi: math.Inf(-1), Int: true}}
	var n model.Expr
	var sizes []string
	for i, x := range items {
		axes := x.Info().Type.Axes
		if len(axes) == 0 {
			c.Errorf(diag.AxisCount, e.Args[i].Span(), "`concat` joins arrays, but `%s` is one number",
				e.Args[i].Span().Text())
			return Poison(e)
		}
		if first := items[0].Info().Type.Axes; !model.SameSets(axes[1:], first[1:]) {
			c.Errorf(diag.AxisCount, e.Args[i].Span(), "`concat` needs arrays that differ only in their first axis, "+
				"but `%s` has %s, and `%s` has %s", e.Args[0].Span().Text(), model.HaveAxes(first),
				e.Args[i].Span().Text(), model.HaveAxes(axes))
			return Poison(e)
		}
		t.Range = stdlib.Union(t.Range, x.Info().Type.Range)
		if x.Info().Type.Elem == types.Real {
			t.Elem = types.Real
		}
		size := SetSize(axes[0], e)
		sizes = append(sizes, sizeText(axes[0]))
		if n == nil {
			n = size
		} else {
			n = c.Operator(e, "+", e.Span(), n, size)
		}
	}
	if n == nil {
		c.Errorf(diag.Arguments, e.Span(), "`concat` needs at least one vector")
		return Poison(e)
	}
	joined := model.NewSet("1.."+strings.Join(sizes, " + "), Number(1, e), n)
	t.Axes = append([]*model.Set{joined}, items[0].Info().Type.Axes[1:]...)
	return &model.Concat{Items: items, Fact: model.Fact{At: e.Span(), Type: t, Static: AllStatic(items...)}}
}

// probability types probability(z[i] == k), which is exact and allowed in generate statements.
func (c *Context) probability(e *ast.Call, args []model.Expr) model.Expr {
	if len(args) != 1 {
		c.Errorf(diag.Arguments, e.Span(), "`probability` takes one condition: `probability(z[i] == k)`")
		return Poison(e)
	}
	p := &model.Probability{If: args[0], Fact: model.Fact{At: e.Span(),
		Type: model.Type{Axes: args[0].Info().Type.Axes, Range: stdlib.Range{Lo: 0, Hi: 1}}}}
	reads := 0
	var find func(x model.Expr)
	find = func(x model.Expr) {
		if sub, isSub := x.(*model.Subscript); isSub {
			if r, isRef := sub.X.(*model.Ref); isRef && r.Array.Role == model.Latent {
				p.Latent, p.Subs, p.Read, p.Axes = r.Array, sub.Subs, x, sub.Type.Axes
				reads++
				return
			}
		}
		if r, isRef := x.(*model.Ref); isRef && r.Array.Role == model.Latent {
			p.Latent, p.Read, p.Axes = r.Array, x, r.Type.Axes
			reads++
			return
		}
		for _, y := range x.Children() {
			find(y)
		}
	}
	find(args[0])
	switch {
	case reads == 0:
		c.Errorf(diag.NotDiscreteUnknown, e.Span(), "the condition of `probability` must contain a discrete latent, "+
			"as in `z[i] == k`")
		return Poison(e)
	case reads > 1:
		c.Errorf(diag.NotDiscreteUnknown, e.Span(), "the condition of `probability` must contain a discrete latent "+
			"once, not %d times", reads)
		return Poison(e)
	}
	if !model.SameSets(p.Axes, p.Type.Axes) { // (z + 1)[i] reads all of z
		c.Errorf(diag.NotDiscreteUnknown, e.Span(), "the condition of `probability` must have the axes of `%s` in "+
			"it, but `%s` has %s, and the condition has %s", p.Read.Info().At.Text(), p.Read.Info().At.Text(),
			model.HaveAxes(p.Axes), model.HaveAxes(p.Type.Axes)).
			Help("subscript the latent, not the expression computed from it: `probability(%s[i] == k)`", p.Latent.Name)
		return Poison(e)
	}
	return p
}

// mode types mode(z), the jointly most probable values of a discrete latent.
func (c *Context) mode(e *ast.Call, args []model.Expr) model.Expr {
	if len(args) == 1 {
		if r, isRef := args[0].(*model.Ref); isRef && r.Array.Role == model.Latent {
			return &model.Mode{Latent: r.Array, Fact: model.Fact{At: e.Span(), Type: r.Type}}
		}
	}
	c.Errorf(diag.NotDiscreteUnknown, e.Span(), "`mode` takes one discrete latent, without subscripts: `mode(z)`")
	return Poison(e)
}

// Apply types a call of an elementwise library function.
func (c *Context) Apply(e *ast.Call, args []model.Expr, fn *stdlib.Func) model.Expr {
	if len(args) != len(fn.Args) {
		c.Errorf(diag.Arguments, e.Span(), "`%s` takes %s: %s", fn.Name,
			diag.Count(len(fn.Args), "argument", "arguments"), fn.Signature())
		return Poison(e)
	}
	axes, ok := c.unify(e, fn.Name, e.Span(), args...)
	if !ok {
		return Poison(e)
	}
	ranges := make([]stdlib.Range, len(args))
	for i, a := range args {
		ranges[i] = a.Info().Type.Range
	}
	t := model.Type{Axes: axes, Range: fn.Range(ranges)}
	if t.Range.Int {
		t.Elem = types.Int
	}
	return &model.Apply{Name: fn.Name, Args: args, Build: fn.Build,
		Fact: model.Fact{At: e.Span(), Type: t, Static: AllStatic(args...)}}
}

// Fold types a reduction of x over indices, or over all of its axes if over is empty.
func (c *Context) Fold(e *ast.Call, row *stdlib.Reduction, x model.Expr, over []*model.Index) model.Expr {
	if IsPoison(x) {
		return x
	}
	t := model.Type{Elem: x.Info().Type.Elem, Range: row.Range(x.Info().Type.Range, -1)}
	if len(over) > 0 {
		t.Axes = x.Info().Type.Axes
	} else if len(x.Info().Type.Axes) == 0 {
		c.Errorf(diag.AxisCount, e.Args[0].Span(), "`%s` reduces an array, but `%s` is one number", row.Name,
			e.Args[0].Span().Text()).
			Help("write `%s(i in N: …)`", row.Name)
		return Poison(e)
	}
	if t.Elem == types.Bool || t.Range.Int {
		t.Elem = types.Int
	}
	if !t.Range.Int && t.Elem == types.Int && (row.Name == "mean" || row.Name == "sd" || row.Name == "logsumexp") {
		t.Elem = types.Real
	}
	return &model.Reduce{Row: row, X: x, Over: over, Fact: model.Fact{At: e.Span(), Type: t, Static: x.Info().Static}}
}
