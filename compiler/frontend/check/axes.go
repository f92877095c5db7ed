package check

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// Functions of arrays with any number of axes, as a network's arrows need them.

// end is first(x) or last(x), the element at one end of the first axis.
func (c *checker) end(s *scope, e *ast.Call) model.Expr {
	x := c.oneArray(s, e)
	if isPoison(x) {
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

// oneArray is the argument of a function of one array.
func (c *checker) oneArray(s *scope, e *ast.Call) model.Expr {
	args, ok := c.values(s, e)
	if !ok {
		return poison(e)
	}
	if len(args) != 1 || len(args[0].Info().Type.Axes) == 0 {
		c.errorf(diag.Arguments, e.Span(), "`%s` takes one array", e.Fun.Span().Text())
		return poison(e)
	}
	return args[0]
}

// flatten is the elements of an array as a vector, the last axis running fastest: element p of x[H, W] is
// x[floor((p - 1) / W) + 1, (p - 1) % W + 1].
func (c *checker) flatten(s *scope, e *ast.Call) model.Expr {
	x := c.oneArray(s, e)
	if isPoison(x) || len(x.Info().Type.Axes) == 1 {
		return x
	}
	axes := x.Info().Type.Axes
	do := func(op string, y, z model.Expr) model.Expr { return c.operator(e, op, e.Span(), y, z) }
	size, name := setSize(axes[0], e), axes[0].SizeText()
	for _, a := range axes[1:] {
		size, name = do("*", size, setSize(a, e)), name+"*"+a.SizeText()
	}
	i := c.newIndex("", model.NewSet("1.."+name, num(1, e), size))
	rest, sub := do("-", indexVar(i, e), num(1, e)), &model.Subscript{X: x, Fact: *x.Info()}
	sub.Subs = make([]model.Sub, len(axes))
	for k := len(axes) - 1; k >= 0; k-- {
		at := rest
		if k > 0 {
			at = do("%", rest, setSize(axes[k], e))
			quotient := do("/", rest, setSize(axes[k], e))
			floor := stdlib.Funcs()["floor"]
			rest = &model.Apply{Name: floor.Name, Args: []model.Expr{quotient}, Build: floor.Build,
				Fact: model.Fact{At: e.Span(), Static: true, Type: indexVar(i, e).Info().Type}}
		}
		sub.Subs[k].At = do("+", at, axes[k].Lo)
	}
	sub.At, sub.Type.Axes = e.Span(), nil
	t := x.Info().Type
	t.Axes = []*model.Set{i.Set}
	return &model.Build{Over: []*model.Index{i}, Body: sub,
		Fact: model.Fact{At: e.Span(), Type: t, Static: x.Info().Static}}
}
