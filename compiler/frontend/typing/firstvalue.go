package typing

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// In the library, the values of distributions over an index start at 1. In a model the values of Categorical are the
// elements of its argument's axis. Values of data of type `index(a..b)` correspond in order to the elements of an axis
// of the same size:
//
//	data label[N]: index(0..9)
//	label[i in N] ~ Categorical(logits = eta[i])    # the value 0 has the first logit

// overIndex lists the distributions over an index.
var overIndex = map[string]bool{"Categorical": true, "OrderedLogistic": true, "OrderedProbit": true}

// SetOffset sets the offset of a term: the difference between the first value of its distribution and 1; of is the
// index set of the observed data, or nil. ok is false after an error.
func (c *Context) SetOffset(of *model.Set, t *model.Term) (ok bool) {
	if t.Dist == nil || !overIndex[t.Dist.Name] {
		return true
	}
	t.Offset, ok = c.offset(t.Dist.Name, t.Args, of, t.At)
	return ok
}

// fromFirstValue shifts the value of a density or distribution function, or the result of quantile, by the difference
// between the first value of the distribution and 1.
func (c *Context) fromFirstValue(e ast.Node, l *model.LogProb) model.Expr {
	if !overIndex[l.Dist.Name] {
		return l
	}
	var of *model.Set
	if a := DataOf(l.X); a != nil && l.Name != "quantile" {
		of = a.IndexOf
	}
	k, ok := c.offset(l.Dist.Name, l.Args, of, e.Span())
	switch {
	case !ok:
		return Poison(e)
	case k == nil:
		return l
	case l.Name == "quantile":
		return c.Operator(e, "+", e.Span(), l, k)
	}
	l.X = c.Operator(e, "-", e.Span(), l.X, k)
	return l
}

// offset returns the first value of a distribution over an index minus 1, or nil if this is 0. ok is false after an
// error.
func (c *Context) offset(dist string, args []model.Expr, of *model.Set, at source.Span) (k model.Expr, ok bool) {
	var axis *model.Set
	if dist == "Categorical" {
		axes := args[0].Info().Type.Axes
		axis = axes[len(axes)-1]
	}
	lo := firstValue(axis, of)
	form := model.AffineOf(lo)
	switch {
	case !form.IsConst():
		c.NotYet(at, "values of `"+dist+"` that begin at `"+lo.Info().At.Text()+"`, which is not a number")
		return nil, false
	case form.Const != 1:
		k := form.Const - 1
		return &model.Num{Value: k, Fact: model.Fact{At: at, Static: true,
			Type: model.Type{Elem: types.Int, Range: stdlib.Range{Lo: k, Hi: k, Int: true}}}}, true
	}
	return nil, true
}

// firstValue returns the first value of the data's index type, or else of the distribution's axis, or else 1. If both
// exist and begin at different values, they must have the same size, which is checked when sizes are known.
func firstValue(axis, of *model.Set) model.Expr {
	switch {
	case of != nil:
		return of.Lo
	case axis != nil:
		return axis.Lo
	}
	return &model.Num{Value: 1}
}
