package analyze

import (
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// BeforeStart reports an error for a recurrence without a first or last value, that is, one that reads an element
// outside its array,
//
//	m[t in 2..T] = phi * m[t-1]    reads m[1]
//
// It decides from the form of the subscripts. It skips reads in a branch of a condition, because the condition may
// exclude the elements outside.
func BeforeStart(m *model.Model, diags *diag.List) {
	for _, a := range m.Arrays {
		for _, p := range a.Pieces {
			if p.Value != nil && p.Recurrence != nil {
				findOutsideRead(p, p.Value, diags)
			}
		}
	}
}

// findOutsideRead searches x for reads of arrays of the piece's group, reports an error for the first one that is
// outside its array, and returns whether there is one.
func findOutsideRead(p *model.Piece, x model.Expr, diags *diag.List) (found bool) {
	switch x := x.(type) {
	case *model.Cond:
		return findOutsideRead(p, x.If, diags)
	case *model.Apply:
		if x.Lazy() {
			return findOutsideRead(p, x.Args[0], diags)
		}
	case *model.Subscript:
		if ref, ok := x.X.(*model.Ref); ok && inGroup(p.Recurrence.Group, ref.Array) && outside(p, ref.Array, x,
			diags) {
			return true
		}
	}
	for _, y := range x.Children() {
		if findOutsideRead(p, y, diags) {
			return true
		}
	}
	return false
}

func inGroup(g *model.Group, a *model.Array) bool {
	for _, member := range g.Members {
		if member.Array == a {
			return true
		}
	}
	return false
}

// outside reports an error and returns true if sub reads before the first or after the last element of an array.
func outside(p *model.Piece, a *model.Array, sub *model.Subscript, diags *diag.List) bool {
	for k, s := range sub.Subs {
		if s.At == nil || k >= len(a.Type.Axes) {
			continue
		}
		for _, i := range p.Plates {
			gap, axis := model.Offset(s.At, i), a.Type.Axes[k]
			if !gap.IsConst() {
				continue
			}
			first := model.AffineOf(i.Set.Lo).Plus(gap).Minus(model.AffineOf(axis.Lo))
			last := model.AffineOf(i.Set.Hi).Plus(gap).Minus(model.AffineOf(axis.Hi))
			switch {
			case first.IsConst() && first.Const < 0:
				diags.Errorf(diag.Gap, sub.At, "`%s` reads `%s` before its first element: `%s` is defined for %s",
					p.At.Text(),
					a.Name, a.Name, axis.Name).Related(a.At, "`%s`", a.Name).
					Help("define its beginning, as in `%s[1] = …`", a.Name)
				return true
			case last.IsConst() && last.Const > 0:
				diags.Errorf(diag.Gap, sub.At, "`%s` reads `%s` after its last element: `%s` is defined for %s",
					p.At.Text(),
					a.Name, a.Name, axis.Name).Related(a.At, "`%s`", a.Name).
					Help("define its end, as in `%s[T] = …`", a.Name)
				return true
			}
		}
	}
	return false
}
