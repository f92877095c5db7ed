package typing

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// This file types functions of arrays with any number of axes. Layers of networks use them.

// end types first(x) and last(x), the element at one end of the first axis.
func (c *Context) end(e *ast.Call, args []model.Expr) model.Expr {
	x := c.oneArray(e, args)
	if IsPoison(x) {
		return x
	}
	t := x.Info().Type
	at := t.Axes[0].Lo
	if e.Fun.(*ast.Name).Name == "last" {
		at = t.Axes[0].Hi
	}
	t.Axes = t.Axes[1:]
	return &model.Subscript{X: x, Subs: []model.Sub{{At: at}},
		Fact: model.Fact{At: e.Span(), Type: t, Static: x.Info().Static}}
}

// oneArray returns the argument of a function of one array, or poison after an error.
func (c *Context) oneArray(e *ast.Call, args []model.Expr) model.Expr {
	if len(args) != 1 || len(args[0].Info().Type.Axes) == 0 {
		c.Errorf(diag.Arguments, e.Span(), "`%s` takes one array", e.Fun.Span().Text())
		return Poison(e)
	}
	return args[0]
}

// flatten types the conversion of an array to a vector in row-major order: element p of x[H, W] is x[floor((p - 1) / W)
// + 1, (p - 1) % W + 1].
func (c *Context) flatten(e *ast.Call, args []model.Expr) model.Expr {
	x := c.oneArray(e, args)
	if IsPoison(x) || len(x.Info().Type.Axes) == 1 {
		return x
	}
	axes := x.Info().Type.Axes
	do := func(op string, y, z model.Expr) model.Expr { return c.Operator(e, op, e.Span(), y, z) }
	size, name := SetSize(axes[0], e), axes[0].SizeText()
	for _, a := range axes[1:] {
		size, name = do("*", size, SetSize(a, e)), name+"*"+a.SizeText()
	}
	i := c.NewIndex("", model.NewSet("1.."+name, Number(1, e), size))
	offset, sub := do("-", IndexVar(i, e), Number(1, e)), &model.Subscript{X: x, Fact: *x.Info()}
	sub.Subs = make([]model.Sub, len(axes))
	for k := len(axes) - 1; k >= 0; k-- {
		at := offset
		if k > 0 {
			at = do("%", offset, SetSize(axes[k], e))
			quotient := do("/", offset, SetSize(axes[k], e))
			floor := stdlib.Funcs()["floor"]
			offset = &model.Apply{Name: floor.Name, Args: []model.Expr{quotient}, Build: floor.Build,
				Fact: model.Fact{At: e.Span(), Static: true, Type: IndexVar(i, e).Info().Type}}
		}
		sub.Subs[k].At = do("+", at, axes[k].Lo)
	}
	sub.At, sub.Type.Axes = e.Span(), nil
	t := x.Info().Type
	t.Axes = []*model.Set{i.Set}
	return &model.Build{Over: []*model.Index{i}, Body: sub,
		Fact: model.Fact{At: e.Span(), Type: t, Static: x.Info().Static}}
}
