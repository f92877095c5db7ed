package typing

import (
	"math"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// Density types logpdf, logcdf, cdf and quantile of a distribution and a value.
func (c *Context) Density(e *ast.Call, l *model.LogProb) model.Expr {
	if l.OfVectors() {
		return c.vectorLogprob(e, l)
	}
	axes, fits := c.unify(e, l.Name, e.Span(), append(slices.Clone(l.Args), l.X)...)
	if !fits {
		return Poison(e)
	}
	t := model.Type{Axes: axes, Range: logprobRange(l.Name, l.Dist)}
	if t.Range.Int {
		t.Elem = types.Int
	}
	l.Fact = model.Fact{At: e.Span(), Type: t, Static: AllStatic(append(slices.Clone(l.Args), l.X)...)}
	return l
}

// vectorLogprob types a function of one vector or matrix, or of one number if an argument is a vector. Arrays of
// vectors need an index.
func (c *Context) vectorLogprob(e *ast.Call, l *model.LogProb) model.Expr {
	axes := l.X.Info().Type.Axes
	if len(axes) != l.Dist.Event {
		d := c.Errorf(diag.AxisCount, l.X.Info().At, "`%s` has %s; %s is a distribution of %s", l.X.Info().At.Text(),
			model.HaveAxes(axes), l.Dist.Name, EventText(l.Dist.Event))
		if len(axes) > l.Dist.Event {
			d.Help("evaluate `%[1]s` for each element: `[i in N: %[1]s(%[2]s(…), x[i])]`", l.Name, l.Dist.Name)
		}
		return Poison(e)
	}
	for i, a := range l.Args {
		info, rank := a.Info(), l.Form.Args[i].Rank
		if len(info.Type.Axes) == 0 && rank == len(axes) && rank > 0 { // repeat a scalar argument for every element
			l.Args[i] = &model.Fill{Value: a, Fact: *info}
			l.Args[i].Info().Type.Axes = axes
		} else if len(info.Type.Axes) != rank {
			c.Errorf(diag.AxisCount, info.At, "argument `%s` of `%s` is %s, but `%s` has %s", l.Form.Args[i].Name,
				l.Dist.Name, EventText(rank), info.At.Text(), model.HaveAxes(info.Type.Axes))
			return Poison(e)
		}
	}
	l.Fact = model.Fact{At: e.Span(), Type: model.Type{Range: logprobRange(l.Name, l.Dist)},
		Static: AllStatic(append(l.Args, l.X)...)}
	return c.fromFirstValue(e, l)
}

func logprobRange(name string, dist *stdlib.Dist) stdlib.Range {
	switch name {
	case "cdf":
		return stdlib.Range{Lo: 0, Hi: 1}
	case "logcdf":
		return stdlib.Range{Lo: math.Inf(-1)}
	case "quantile":
		return stdlib.Range{Lo: dist.Lo, Hi: dist.Hi, Int: dist.Discrete()}
	}
	return stdlib.Everything()
}

// EventText describes a value with the given number of axes.
func EventText(rank int) string {
	return [...]string{"one number", "a vector", "a matrix"}[min(rank, 2)]
}
