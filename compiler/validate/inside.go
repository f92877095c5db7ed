package validate

import (
	"fmt"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// CheckInside reports an error for reads of ragged arrays outside a group, such as x[1, 3] if group 1 has two elements:
// the flat array has an element of another group at this position. It does not check subscripts that depend on
// parameters.
func CheckInside(e *evaluate.Evaluator, m *model.Model) {
	if len(m.Ragged) == 0 {
		return
	}
	c := &insideChecker{e: e, seen: map[*model.Array]bool{}}
	for _, a := range m.Arrays {
		c.array(a)
	}
	for _, t := range m.Terms {
		c.under(t.Plates, append(t.Exprs(), t.Value)...)
	}
}

// CheckInsideOf is CheckInside for further expressions.
func CheckInsideOf(e *evaluate.Evaluator, m *model.Model, xs []model.Expr) {
	if len(m.Ragged) > 0 {
		c := &insideChecker{e: e, seen: map[*model.Array]bool{}}
		c.under(nil, xs...)
	}
}

type insideChecker struct {
	e    *evaluate.Evaluator
	seen map[*model.Array]bool
}

func (c *insideChecker) array(a *model.Array) {
	if c.seen[a] {
		return
	}
	c.seen[a] = true
	for _, p := range a.Pieces {
		if p.Value != nil {
			c.under(p.Plates, p.Value)
		}
	}
}

// under checks expressions over some plates.
func (c *insideChecker) under(plates []*model.Index, xs ...model.Expr) {
	defer c.e.UnderRanges(plates)()
	for _, x := range xs {
		if x != nil {
			c.visit(x)
		}
	}
}

func (c *insideChecker) visit(x model.Expr) {
	switch x := x.(type) {
	case *model.Subscript:
		if x.Inside != nil {
			c.check(x)
		}
	case *model.Ref: // definitions inside functions are not in the list of arrays
		if x.Array.Role == model.Definition {
			c.array(x.Array)
		}
	}
	c.e.EachChild(x, c.known, c.visit)
}

// known returns a condition's value if it depends on data only.
func (c *insideChecker) known(x model.Expr) evaluate.Value {
	if !x.Info().Static {
		return evaluate.Value{}
	}
	return c.e.Expr(x)
}

// check tests one read at all indices at which it is evaluated.
func (c *insideChecker) check(x *model.Subscript) {
	in := x.Inside
	for _, at := range []model.Expr{in.Group, in.Place} {
		if !at.Info().Static || c.e.Data.Streamed(at) {
			return
		}
	}
	holds, group, place := c.e.Expr(in.Holds), c.e.Expr(in.Group), c.e.Expr(in.Place)
	bound := evaluate.Union(holds, group, place)
	spread := func(v evaluate.Value) evaluate.Value {
		return evaluate.Value{Node: c.e.Align(v, bound, holds.Axes), Bound: bound, Axes: holds.Axes}
	}
	inside, counts, ok := c.e.Counted(spread(holds))
	if !ok {
		return
	}
	for k := range inside {
		if counts[k] == 0 || inside[k] != 0 {
			continue
		}
		groups, _, _ := c.e.Counted(spread(group))
		places, _, _ := c.e.Counted(spread(place))
		c.refuse(x, groups[k], places[k])
	}
}

func (c *insideChecker) refuse(x *model.Subscript, group, place float64) {
	in := x.Inside
	ends := autodiff.Eval(nil, c.e.Array(in.Of.Low).Node, c.e.Array(in.Of.High).Node)
	at := int(group) - c.e.Box(in.Of.Outer.Set).Lo
	if at < 0 || at >= len(ends[0]) {
		c.e.Fail(diag.OutOfRange, x, "`%s` reads group %g, which does not exist", x.At.Text(), group)
	}
	guard := "j <= m[i]"
	if place < ends[0][at] {
		guard = fmt.Sprintf("j >= %g", ends[0][at])
	}
	c.e.Stop(c.e.Diags.Errorf(diag.OutOfRange, x.At, "`%s` reads element %g of group %g, whose elements are %g..%g",
		x.At.Text(), place, group, ends[0][at], ends[1][at]).Help("guard it with a condition, "+
		"as in `%s ? … : …`", guard))
}
