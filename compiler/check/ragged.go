package check

import (
	"slices"

	"ppl/compiler/model"
)

// wholeRagged refuses what reads the whole of an axis whose end depends on an index, such as `sum(w[i])` after
//
//	w[i in N, k in 1..n[i]] = x[i] * k
//
// Arrays are rectangles, in which such an axis goes on to its farthest end; a reduction over an index stops at its own.
func (c *checker) wholeRagged() {
	seen, read := map[model.Expr]bool{}, map[*model.Array]bool{}
	var visit func(x model.Expr)
	array := func(a *model.Array) {
		if !read[a] {
			read[a] = true
			for _, x := range a.Exprs() {
				visit(x)
			}
		}
	}
	visit = func(x model.Expr) {
		if x == nil || seen[x] {
			return
		}
		seen[x] = true
		if r, ok := x.(*model.Ref); ok {
			array(r.Array)
		}
		for _, y := range wholeOperands(x) {
			c.refuseRagged(x, y.Info().Type.Axes)
		}
		for _, y := range x.Children() {
			visit(y)
		}
	}
	for _, a := range c.model.Arrays {
		array(a)
		c.storedRagged(a)
	}
	for _, t := range c.model.Terms {
		for _, x := range t.Exprs() {
			visit(x)
		}
		for _, x := range append(slices.Clone(t.Args), t.Value) {
			if x != nil {
				c.refuseRagged(x, x.Info().Type.Axes)
			}
		}
	}
}

// storedRagged refuses arrays with an axis whose end depends on an index where each element counts or is saved: the
// rectangle around them has elements that do not exist.
func (c *checker) storedRagged(a *model.Array) {
	if a.Role == model.Data || a.Role == model.Definition && !a.Save {
		return
	}
	for _, s := range a.Type.Axes {
		if len(s.Ragged) > 0 {
			c.notYet(a.At, "the ragged array `"+a.Name+"`, whose axis "+s.Name+" ends elsewhere for each index").
				Help("number the elements in one axis, and give the group of each as data: `data group[N]: index(J)`, "+
					"then `%s[n in N] ~ …`, which may read `group[n]`", a.Name)
			return
		}
	}
}

// wholeOperands are the operands of which an expression reads every element.
func wholeOperands(x model.Expr) []model.Expr {
	switch x := x.(type) {
	case *model.Reduce:
		if len(x.Over) == 0 {
			return []model.Expr{x.X}
		}
	case *model.Vector, *model.MatMul, *model.Concat:
		return x.Children()
	case *model.LogProb:
		if x.Dist.Event > 0 {
			return x.Children()
		}
	}
	return nil
}

func (c *checker) refuseRagged(x model.Expr, axes []*model.Set) {
	for _, s := range axes {
		if len(s.Ragged) > 0 {
			c.notYet(x.Info().At, "a whole axis "+s.Name+", whose end depends on an index (ragged)").
				Help("run over it with an index: `sum(k in %s: …)`", s.Name)
			return
		}
	}
}
