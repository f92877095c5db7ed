package analyze

import (
	"math"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// drawn returns an observation as a term from which values can be drawn. If t has a distribution, drawn returns t. If t
// is a log density of an integer, drawn returns a categorical draw from the integers between the bounds of `in`. ok is
// false if the distribution is improper, or if the log density is not of one integer between bounds that are the same
// for all elements.
//
//	y[i in N] ~ Density(f(y[i])) in 0..5      y[i in N] ~ Categorical(logits = [k in 0..5: f(k)])
func drawn(t *model.Term) (draw *model.Term, ok bool) {
	switch {
	case t.Density == nil:
		return t, !t.Dist.Improper
	case !t.Array.NeedInt || len(t.Value.Info().Type.Axes) > 0 || t.In == nil || !fixedEnds(t.In):
		return nil, false
	}
	k := &model.Index{Name: "value", Set: model.NewSet("values", t.In.Lo, t.In.Hi), ID: math.MaxInt}
	at := putAt(model.Copy(t.Density), t.Value, model.IndexValue(k, t.At))
	if model.Reached(at)[t.Array] {
		return nil, false
	}
	logits := &model.Build{Over: []*model.Index{k}, Body: at, Fact: *at.Info()}
	logits.Type.Axes = []*model.Set{k.Set}
	d := *t
	d.Dist = stdlib.Dists()["Categorical"]
	d.Form = formWith(d.Dist, "logits")
	d.Args, d.Density, d.In, d.Offset = []model.Expr{logits}, nil, nil, nil
	if first := t.In.Lo.Info().Type.Range.Lo; first != 1 {
		d.Offset = number(t.In.Lo, first-1)
	}
	return &d, true
}

// fixedEnds reports whether the lower bound is a known integer, and the upper bound an integer that depends on data
// only and is the same for all elements.
func fixedEnds(b *model.Bounds) bool {
	lo, hi := b.Lo.Info().Type.Range, b.Hi.Info().Type.Range
	return lo.Lo == lo.Hi && lo.Lo == math.Trunc(lo.Lo) && !math.IsInf(lo.Lo, 0) &&
		b.Hi.Info().Static && hi.Int && hi.Lo < math.Inf(1) && len(model.Indices(b.Hi)) == 0
}

// putAt substitutes copies of x for every read of an array element in e, and returns the result. It changes e.
func putAt(e, element, x model.Expr) model.Expr {
	if sameElement(e, element) {
		return model.Copy(x)
	}
	model.Replace(e, func(y model.Expr) model.Expr { return putAt(y, element, x) })
	return e
}

func sameElement(x, y model.Expr) bool {
	switch x := x.(type) {
	case *model.Ref:
		r, ok := y.(*model.Ref)
		return ok && r.Array == x.Array
	case *model.Subscript:
		s, ok := y.(*model.Subscript)
		return ok && sameElement(x.X, s.X) && slices.EqualFunc(x.Subs, s.Subs, func(a, b model.Sub) bool {
			return a.At != nil && b.At != nil && model.SameForm(a.At, b.At)
		})
	}
	return false
}

func formWith(d *stdlib.Dist, arg string) *stdlib.Form {
	k := slices.IndexFunc(d.Forms, func(f stdlib.Form) bool { return f.Args[0].Name == arg })
	return &d.Forms[k]
}
