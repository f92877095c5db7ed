package lint

import (
	"math"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// RefuseCrossedEnds reports an error and returns false if the lower bound of a distribution exceeds the upper bound.
// For `in`, this must be so for all values of the parameters, because the density is 0 for values for which the bounds
// cross. For the arguments of a uniform distribution, such as Uniform(0, 1 - a) with a in 0..inf, it suffices that they
// cross for some values of one parameter. Arguments that read more than one parameter are not checked, since parameters
// may bound each other.
func RefuseCrossedEnds(t *model.Term, diags *diag.List) bool {
	if t.In != nil && alwaysCrossed(t.In, diags) {
		return false
	}
	var ends []*model.Bounds
	if t.Dist != nil && (t.Dist.Name == "Uniform" || t.Dist.Name == "DiscreteUniform") {
		ends = append(ends, &model.Bounds{Lo: t.Args[0], Hi: t.Args[1]})
	}
	for _, b := range ends {
		if b != nil && crossed(b, diags) {
			return false
		}
	}
	return true
}

// alwaysCrossed reports an error and returns true for bounds that cross for all values of the parameters.
func alwaysCrossed(b *model.Bounds, diags *diag.List) bool {
	lo, hi := b.Lo.Info(), b.Hi.Info()
	if lo.Static && hi.Static || !(hi.Type.Range.Hi < lo.Type.Range.Lo) {
		return false
	}
	diags.Errorf(diag.EmptyInterval, hi.At, "the upper end `%s` is at most %s, but the lower end `%s` is at least %s",
		hi.At.Text(), model.NumberText(hi.Type.Range.Hi), lo.At.Text(), model.NumberText(lo.Type.Range.Lo))
	return true
}

// crossed reports an error and returns true for bounds whose distance c + k·p is negative for some value of the
// parameter p.
func crossed(b *model.Bounds, diags *diag.List) bool {
	gap := model.AffineOf(b.Hi).Minus(model.AffineOf(b.Lo))
	if len(gap.Coefs) != 1 {
		return false
	}
	p, k := soleParameter(gap, b)
	if p == nil {
		return false
	}
	r, limit := p.Info().Type.Range, -gap.Const/k
	if !exactEnd(p, k < 0) || gap.Const+k*worst(r.Lo, r.Hi, k) >= 0 {
		return false
	}
	name, end, side := model.ParameterName(p), b.Hi, "the upper end `%s` may be below the lower end `%s`"
	if parameterIn(b.Lo, p) {
		end, side = b.Lo, "the lower end `%[2]s` may be above the upper end `%[1]s`"
	}
	d := diags.Errorf(diag.EmptyInterval, end.Info().At, side+": `%[3]s` has support %[4]s", b.Hi.Info().At.Text(),
		b.Lo.Info().At.Text(), name, model.NumberText(r.Lo)+".."+model.NumberText(r.Hi))
	if k < 0 {
		r.Hi = limit
	} else {
		r.Lo = limit
	}
	if r.Lo < r.Hi {
		d.Help("bound `%s`: `in %s..%s`", name, model.NumberText(r.Lo), model.NumberText(r.Hi))
	}
	return true
}

func worst(lo, hi, k float64) float64 {
	if k < 0 {
		return hi
	}
	return lo
}

// soleParameter returns the only variable in the affine distance of two bounds, if it is a parameter or an element of
// one, and its factor; otherwise nil.
func soleParameter(gap model.Affine, b *model.Bounds) (p model.Expr, k float64) {
	for _, end := range []model.Expr{b.Hi, b.Lo} {
		model.Walk(end, func(x model.Expr) {
			for atom, factor := range gap.Coefs {
				if l := model.AffineOf(x); p == nil && model.ParameterName(x) != "" && l.Const == 0 &&
					l.Coefs[atom] == 1 && len(l.Coefs) == 1 {
					p, k = x, factor
				}
			}
		})
	}
	return p, k
}

func parameterIn(end model.Expr, p model.Expr) (found bool) {
	model.Walk(end, func(x model.Expr) { found = found || x == p })
	return found
}

// exactEnd reports whether the upper (or lower) end of a parameter's range is the end of its support. It returns false
// if the end of the support depends on data or parameters, so that the range is only an outer bound.
func exactEnd(p model.Expr, upper bool) bool {
	if sub, ok := p.(*model.Subscript); ok {
		p = sub.X
	}
	for _, piece := range p.(*model.Ref).Array.Pieces {
		t := piece.Term
		if t == nil || t.Dist == nil || t.Ordered || t.ZeroSum || t.Dist.Event > 0 {
			return false
		}
		var ends []model.Expr
		if t.Form.Bounds != nil {
			ends = append(ends, t.Args...)
		}
		if t.In != nil && upper {
			ends = append(ends, t.In.Hi)
		} else if t.In != nil {
			ends = append(ends, t.In.Lo)
		}
		for _, x := range ends {
			if r := x.Info().Type.Range; r.Lo != r.Hi && !(math.IsInf(r.Lo, 0) && math.IsInf(r.Hi, 0)) {
				return false
			}
		}
	}
	return true
}
