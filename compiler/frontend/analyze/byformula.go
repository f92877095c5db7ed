package analyze

import (
	"math"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// drawn returns an observation as a term that can be drawn: itself, or, for integers whose log density is a formula,
// the choice of one between the ends that `in` gives. Not ok: the distribution is improper, or the formula is not that
// of one integer between ends that are the same for all elements.
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

// fixedEnds reports whether a range begins at a number and ends at a number or at one that data give.
func fixedEnds(b *model.Bounds) bool {
	lo, hi := b.Lo.Info().Type.Range, b.Hi.Info().Type.Range
	return lo.Lo == lo.Hi && lo.Lo == math.Trunc(lo.Lo) && !math.IsInf(lo.Lo, 0) &&
		b.Hi.Info().Static && hi.Int && hi.Lo < math.Inf(1) && len(model.Indices(b.Hi)) == 0
}

// putAt puts copies of x instead of an element that e reads; it changes e.
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
