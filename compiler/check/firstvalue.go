package check

import (
	"ppl/compiler/model"
	"ppl/lang/types"
	"ppl/stdlib"
)

// Distributions over an index count their values from 1 in the library. In a model the values of Categorical are those
// of its argument's axis, and data of the type `index(a..b)` take the elements of an axis of the same size in order:
//
//	data label[N]: index(0..9)
//	label[i in N] ~ Categorical(logits = eta[i])    # the value 0 has the first logit

// overIndex are the distributions over an index.
var overIndex = map[string]bool{"Categorical": true, "OrderedLogistic": true, "OrderedProbit": true}

// setOffset notes the difference between a term's first value and 1.
func (c *checker) setOffset(a *arrayInfo, t *model.Term) bool {
	if t.Dist == nil || !overIndex[t.Dist.Name] {
		return true
	}
	var axis *model.Set
	if t.Dist.Name == "Categorical" {
		axes := t.Args[0].Info().Type.Axes
		axis = axes[len(axes)-1]
	}
	lo := firstValue(axis, a.IndexOf)
	form := model.AffineOf(lo)
	switch {
	case !form.IsConst():
		c.notYet(t.At, "values of `"+t.Dist.Name+"` that begin at `"+lo.Info().At.Text()+"`, which is no number")
		return false
	case form.Const != 1:
		k := form.Const - 1
		t.Offset = &model.Num{Value: k, Fact: model.Fact{At: t.At, Static: true,
			Type: model.Type{Elem: types.Int, Range: stdlib.Range{Lo: k, Hi: k, Int: true}}}}
	}
	return true
}

// firstValue is the first value of a distribution over an axis, nil where it counts from 1, for data of an index type,
// nil where they have none. Where the two begin apart they must have as many elements, which is seen when sizes are
// known.
func firstValue(axis, of *model.Set) model.Expr {
	switch {
	case of != nil:
		return of.Lo
	case axis != nil:
		return axis.Lo
	}
	return &model.Num{Value: 1}
}
