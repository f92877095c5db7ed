package typing

import (
	"math"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// A randomRow describes a random change during training.
type randomRow struct {
	by    string // meaning of its numeric argument
	use   string // an example
	moves int    // number of axes along which it moves elements: 2 for images
	ends  func(x stdlib.Range) stdlib.Range
}

func randoms() map[string]randomRow {
	return map[string]randomRow{
		"dropout":     {"the share of values to drop", "x -> dropout(0.2)", 0, rangeOfDropped},
		"random_crop": {"the largest shift in pixels", "x -> random_crop(4)", 2, rangeWithZero},
		"random_flip": {"the probability of a reflection", "x -> random_flip(0.5)", 2, sameRange},
	}
}

func rangeOfDropped(x stdlib.Range) stdlib.Range {
	r := stdlib.Everything()
	if x.Lo >= 0 {
		r.Lo = 0
	}
	return r
}

func rangeWithZero(x stdlib.Range) stdlib.Range {
	return stdlib.Range{Lo: math.Min(x.Lo, 0), Hi: math.Max(x.Hi, 0), Int: x.Int}
}

func sameRange(x stdlib.Range) stdlib.Range { return x }

// random types dropout(x, p), random_crop(x, pixels) and random_flip(x, p). The result never counts as depending on
// data only, because it differs between evaluations while a network is trained.
func (c *Context) random(e *ast.Call, args []model.Expr) model.Expr {
	name := e.Fun.(*ast.Name).Name
	row := randoms()[name]
	if len(args) != 2 || len(args[1].Info().Type.Axes) > 0 || !args[1].Info().Static {
		what := "values"
		if row.moves > 0 {
			what = "an image"
		}
		c.Errorf(diag.Arguments, e.Fun.Span(), "`%s` takes %s, and %s: one number that does not depend on parameters",
			name, what, row.by).Help("write `%s`", row.use)
		return Poison(e)
	}
	t := args[0].Info().Type
	if row.moves > 0 && !c.isImage(e, args[0]) {
		return Poison(e)
	}
	x := &model.Random{How: name, X: args[0], By: args[1], Moves: row.moves, Number: len(c.Model.Randoms),
		Called: e.Fun.Span(), Fact: model.Fact{At: e.Span(), Type: model.Type{Axes: t.Axes, Range: row.ends(t.Range)}}}
	if x.Type.Range.Int {
		x.Type.Elem = t.Elem
	}
	c.Model.Randoms = append(c.Model.Randoms, x)
	return x
}

// isImage reports an error and returns false for an argument whose axes are not those of an image.
func (c *Context) isImage(e *ast.Call, x model.Expr) bool {
	axes := x.Info().Type.Axes
	if len(axes) == 2 || len(axes) == 3 {
		return true
	}
	c.Errorf(diag.LayerInput, e.Fun.Span(), "`%s` needs an image, with axes [H, W] or [H, W, C], but here "+
		"its shape is %s", e.Fun.Span().Text(), model.ShapeText(axes)).Related(x.Info().At, "the image")
	return false
}
