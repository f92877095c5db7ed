package flatten

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// This file builds integer expressions of data and indices for flat statements.

var infinity = math.Inf(1)

// fact returns the Fact of an integer expression that depends only on data.
func fact(at source.Span, axes []*model.Set, values stdlib.Range) model.Fact {
	return model.Fact{At: at, Static: true, Type: model.Type{Elem: types.Int, Axes: axes, Range: values}}
}

// read returns a[at] for an array with one axis.
func read(a *model.Array, at model.Expr) model.Expr {
	ref := &model.Ref{Array: a, Fact: fact(at.Info().At, a.Type.Axes, a.Type.Range)}
	return &model.Subscript{X: ref, Subs: []model.Sub{{At: at}},
		Fact: fact(at.Info().At, at.Info().Type.Axes, a.Type.Range)}
}

// apply returns an elementwise operator of x and y. The result has the axes of the operand with more axes, which must
// include those of the other.
func apply(name string, build func(x, y autodiff.Node) autodiff.Node, x, y model.Expr) model.Expr {
	axes := x.Info().Type.Axes
	if len(axes) < len(y.Info().Type.Axes) {
		axes = y.Info().Type.Axes
	}
	return &model.Apply{Name: name, Args: []model.Expr{x, y},
		Build: func(a []stdlib.Node) stdlib.Node { return build(a[0], a[1]) },
		Fact:  fact(y.Info().At, axes, stdlib.RangeOf(name, x.Info().Type.Range, y.Info().Type.Range))}
}

func plus(x, y model.Expr) model.Expr { return apply("+", autodiff.Add, x, y) }

// atMost returns the condition x <= y.
func atMost(x, y model.Expr) model.Expr { return apply("<=", autodiff.Le, x, y) }

// both returns the condition x && y.
func both(x, y model.Expr) model.Expr { return apply("&&", autodiff.Mul, x, y) }

func num(v float64, at source.Span) model.Expr {
	return &model.Num{Value: v, Fact: fact(at, nil, stdlib.Point(v))}
}
