package newdata

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// drawable reports an error if the new elements of an array cannot be drawn, either independently or given the known
// elements. v describes the array; known maps its elements to those of the run, with −1 for new ones.
func (c *Changes) drawable(a *model.Array, pieces []*model.Piece, v types.Variable, known []int) bool {
	for _, p := range pieces {
		if why := c.whyTogether(a, p.Term); why != "" {
			c.diags.Errorf("", a.At, "the run has no draws of %s, and new ones cannot be drawn separately: %s",
				c.nameNew(a, v, known), why).
				Help("write the prediction as `generate` in the model, and sample it")
			return false
		}
	}
	return true
}

// nameNew names the first new element of an array for a message. Rows of other data have the same numbers as rows of
// the run, so they are not named individually.
func (c *Changes) nameNew(a *model.Array, v types.Variable, known []int) string {
	if first := slices.Index(known, -1); first >= 0 && !slices.ContainsFunc(a.Type.Axes, c.isRowsAxis) {
		return "`" + v.Element(first) + "`"
	}
	return "the new elements of `" + a.Name + "`"
}

// whyTogether returns why new elements of an array cannot be drawn separately, or "" if they can.
func (c *Changes) whyTogether(a *model.Array, t *model.Term) string {
	switch {
	case t == nil:
		return "it has no distribution"
	case t.Density != nil:
		return "its distribution is given by a formula, from which ppl cannot draw"
	case t.Dist.Improper:
		return "`" + t.Dist.Name + "` is not a probability distribution"
	case t.ZeroSum:
		return "the elements of `" + a.Name + "` sum to zero, which a new one would change"
	case t.Ordered:
		return "the elements of `" + a.Name + "` are ordered"
	case slices.ContainsFunc(t.Event, c.changed) && (t.Form.Given == nil || slices.Contains(c.series, a)):
		return "the elements of `" + a.Name + "` have a joint distribution"
	}
	return ""
}

// isRowsAxis reports whether a set numbers rows, so that the rows of new data are not those of the run.
func (c *Changes) isRowsAxis(s *model.Set) bool { return slices.ContainsFunc(sizesIn(s), c.isRows) }

// refuse reports an error for quantities computed from all elements of a changed set: a mean of a predictor, or a
// series that is computed backward from its end.
func (c *Changes) refuse() {
	seen := map[*model.Array]bool{}
	var read func(xs []model.Expr)
	read = func(xs []model.Expr) {
		for _, x := range xs {
			model.Walk(x, c.refuseExpr)
			c.refuseCount(x)
			for _, a := range model.Arrays(x) {
				if seen[a] {
					continue
				}
				seen[a] = true
				for _, p := range a.Pieces {
					if p.Recurrence != nil && p.Recurrence.Group.Back && c.changed(a.Type.Axes[p.Recurrence.Axis]) {
						c.refused(p.Value, "the series `"+a.Name+"`")
					}
					if p.Value != nil {
						read([]model.Expr{p.Value})
					}
					if p.Term != nil && p.Term.Kind == model.Generate {
						read(p.Term.Exprs())
					}
				}
			}
		}
	}
	for _, a := range c.m.Arrays {
		if a.Replicates == nil {
			continue
		}
		for _, p := range a.Pieces {
			if p.Term != nil {
				read(p.Term.Exprs())
			} else {
				read([]model.Expr{p.Value})
			}
		}
	}
}

func (c *Changes) refuseExpr(x model.Expr) {
	if v, ok := x.(*model.Vector); ok && v.Name == "cumsum" {
		if !slices.ContainsFunc(v.X.Info().Type.Axes, c.isRowsAxis) {
			return // cumulative sums up to the times of the run are unchanged
		}
	}
	if len(c.changedIn(x)) > 0 {
		c.refused(x, "`"+x.Info().At.Text()+"`")
	}
}

// changedIn returns the sets that an expression runs over completely and whose elements differ from those in the run.
func (c *Changes) changedIn(x model.Expr) (sets []*model.Set) {
	switch x := x.(type) {
	case *model.Reduce:
		sets = x.X.Info().Type.Axes
		if len(x.Over) > 0 {
			sets = setsOf(x.Over)
		}
	case *model.Vector:
		if !c.isFactor(x) {
			sets = x.X.Info().Type.Axes
		}
	case *model.MatMul:
		if axes := x.X.Info().Type.Axes; !c.isFactor(x.X) {
			sets = axes[len(axes)-1:]
		}
	}
	return slices.DeleteFunc(slices.Clone(sets), func(s *model.Set) bool { return !c.changed(s) })
}

// refuseCount reports an error for the size of a changed set used as a value. As a bound of a set it is allowed.
func (c *Changes) refuseCount(x model.Expr) {
	ends := endsIn(x)
	model.Walk(x, func(x model.Expr) {
		switch x := x.(type) {
		case *model.SizeOf:
			if !ends[x] && c.sizeChanged(x.Size) {
				c.refused(x, "`"+x.Size.Name+"`")
			}
		case *model.SetSize:
			if !ends[x] && c.changed(x.Set) {
				c.refused(x, "the number of elements of "+x.Set.Name)
			}
		}
	})
}

// endsIn returns the bounds of the sets that an expression runs over, and all their subexpressions.
func endsIn(x model.Expr) map[model.Expr]bool {
	ends := map[model.Expr]bool{}
	end := func(sets ...*model.Set) {
		for _, s := range sets {
			for _, e := range []model.Expr{s.Lo, s.Hi} {
				model.Walk(e, func(x model.Expr) { ends[x] = true })
			}
		}
	}
	model.Walk(x, func(x model.Expr) {
		switch x := x.(type) {
		case *model.Reduce:
			end(setsOf(x.Over)...)
		case *model.Build:
			end(setsOf(x.Over)...)
		case *model.StateAt:
			if x.State.System != nil {
				for _, s := range x.State.System.States {
					for _, ev := range s.Events {
						end(setsOf(ev.Over)...)
					}
				}
			}
		case *model.Subscript:
			for _, s := range x.Subs {
				if s.Range != nil {
					end(s.Range)
				}
			}
		}
	})
	return ends
}

func setsOf(over []*model.Index) (sets []*model.Set) {
	for _, i := range over {
		sets = append(sets, i.Set)
	}
	return sets
}

// isFactor reports whether x is the Cholesky factor of a matrix, or a definition of one. The factor's rows for the run
// are unchanged, because no element of a factor depends on later rows.
func (c *Changes) isFactor(x model.Expr) bool {
	switch x := x.(type) {
	case *model.Vector:
		return x.Name == cholesky
	case *model.Ref:
		return x.Array.Role == model.Definition && len(x.Array.Pieces) == 1 && x.Array.Pieces[0].Value != nil &&
			len(x.Array.Pieces[0].Slots) == 0 && c.isFactor(x.Array.Pieces[0].Value)
	}
	return false
}

func (c *Changes) refused(x model.Expr, what string) {
	c.diags.Errorf("", x.Info().At, "%s would be computed from the new data, but the run computed it from its own data",
		what).
		Help("declare the value as data instead of computing it, or write the prediction as `generate` in the " +
			"model; in both cases sample again")
}
