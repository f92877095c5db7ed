package typing

import (
	"sync"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// An operatorRow has functions that build the graph of an operator and determine its element type.
type operatorRow struct {
	build func(a []stdlib.Node) stdlib.Node
	elem  func(a []model.Expr) types.Elem
}

func bin(f func(x, y autodiff.Node) autodiff.Node) func(a []stdlib.Node) stdlib.Node {
	return func(a []stdlib.Node) stdlib.Node { return f(a[0], a[1]) }
}

func not(f func(x, y autodiff.Node) autodiff.Node) func(x, y autodiff.Node) autodiff.Node {
	return func(x, y autodiff.Node) autodiff.Node { return autodiff.Not(f(x, y)) }
}

func swap(f func(x, y autodiff.Node) autodiff.Node) func(x, y autodiff.Node) autodiff.Node {
	return func(x, y autodiff.Node) autodiff.Node { return f(y, x) }
}

func truth(x autodiff.Node) autodiff.Node { return autodiff.Not(autodiff.Not(x)) }

var operators = sync.OnceValue(func() map[string]operatorRow {
	return map[string]operatorRow{
		"+":  {bin(autodiff.Add), intIfInts},
		"-":  {bin(autodiff.Sub), intIfInts},
		"*":  {bin(autodiff.Mul), intIfInts},
		"/":  {bin(autodiff.Div), always(types.Real)},
		"%":  {bin(autodiff.Mod), intIfInts},
		"^":  {bin(autodiff.Pow), always(types.Real)},
		"<":  {bin(autodiff.Lt), always(types.Bool)},
		"<=": {bin(autodiff.Le), always(types.Bool)},
		">":  {bin(swap(autodiff.Lt)), always(types.Bool)},
		">=": {bin(swap(autodiff.Le)), always(types.Bool)},
		"==": {bin(autodiff.Eq), always(types.Bool)},
		"!=": {bin(not(autodiff.Eq)), always(types.Bool)},
		"&&": {bin(func(x, y autodiff.Node) autodiff.Node { return autodiff.Mul(truth(x), truth(y)) }),
			always(types.Bool)},
		"||": {bin(func(x, y autodiff.Node) autodiff.Node { return autodiff.Maximum(truth(x), truth(y)) }),
			always(types.Bool)},
	}
})

var unaryOperators = sync.OnceValue(func() map[string]operatorRow {
	return map[string]operatorRow{
		"-": {func(a []stdlib.Node) stdlib.Node { return autodiff.Neg(a[0]) }, intIfInts},
		"!": {func(a []stdlib.Node) stdlib.Node { return autodiff.Not(a[0]) }, always(types.Bool)},
	}
})

func always(e types.Elem) func([]model.Expr) types.Elem {
	return func([]model.Expr) types.Elem { return e }
}

func intIfInts(a []model.Expr) types.Elem {
	for _, x := range a {
		if x.Info().Type.Elem == types.Real {
			return types.Real
		}
	}
	return types.Int
}

// Operator types an elementwise operator; at is the position of the operator.
func (c *Context) Operator(e ast.Node, op string, at source.Span, args ...model.Expr) model.Expr {
	if anyPoison(args...) {
		return Poison(e)
	}
	table := operators()
	if len(args) == 1 {
		table = unaryOperators()
	}
	row := table[op]
	axes, ok := c.unify(e, op, at, args...)
	if !ok {
		return Poison(e)
	}
	t := model.Type{Elem: row.elem(args), Axes: axes, Range: operatorRange(op, args)}
	t.Range.Int = t.Elem != types.Real
	return &model.Apply{Name: op, Args: args, Build: row.build,
		Fact: model.Fact{At: e.Span(), Type: t, Static: AllStatic(args...)}}
}

func operatorRange(op string, args []model.Expr) stdlib.Range {
	ranges := make([]stdlib.Range, len(args))
	for i, a := range args {
		ranges[i] = a.Info().Type.Range
	}
	if op == "*" && sameValue(args[0], args[1]) { // a square is not negative
		return stdlib.RangeOf("^", ranges[0], stdlib.Range{Lo: 2, Hi: 2, Int: true})
	}
	return stdlib.RangeOf(op, ranges...)
}

func sameValue(x, y model.Expr) bool {
	a, ok := x.(*model.Ref)
	b, ok2 := y.(*model.Ref)
	return ok && ok2 && a.Array == b.Array
}

// unify returns the axes of an elementwise result: those of the operand with most axes. The axes of every other operand
// must be among them.
func (c *Context) unify(e ast.Node, what string, at source.Span, args ...model.Expr) ([]*model.Set, bool) {
	var widest model.Expr
	for _, a := range args {
		if widest == nil || len(a.Info().Type.Axes) > len(widest.Info().Type.Axes) {
			widest = a
		}
	}
	axes := widest.Info().Type.Axes
	for _, a := range args {
		if a != widest && !c.fits(a, widest, what, at) {
			return nil, false
		}
	}
	return axes, true
}

func (c *Context) fits(a, widest model.Expr, what string, at source.Span) bool {
	small, large := a.Info().Type.Axes, widest.Info().Type.Axes
	if model.SameSets(small, large) {
		return true
	}
	if n := repeated(small); n != nil && len(small) > 0 {
		c.refuseRepeated(a, n)
		return false
	}
	if n := repeated(large); n != nil && len(small) > 0 {
		c.refuseRepeated(widest, n)
		return false
	}
	for _, s := range small {
		if model.AxisOf(s, large) < 0 {
			d := c.Errorf(diag.AxesDiffer, at, "axes %s and %s do not match in `%s`", model.AxesText(small),
				model.AxesText(large), what)
			if g := c.gatherFor(a, widest); g != "" {
				d.Meant("`%s`", g)
			} else {
				d.Help("axes are matched by their index set; write indices, as in `[i in %s: …]`", large[0].Name)
			}
			return false
		}
	}
	return true
}

// refuseRepeated reports an error for an operand that has an axis twice.
func (c *Context) refuseRepeated(x model.Expr, axis *model.Set) {
	c.Errorf(diag.RepeatedAxis, x.Info().At, "`%s` has axis %s twice", x.Info().At.Text(), axis.Name).
		Help("write indices, as in `[i in %[1]s, j in %[1]s: …]`", axis.Name)
}

func repeated(axes []*model.Set) *model.Set {
	for i, a := range axes {
		for _, b := range axes[:i] {
			if a.Same(b) {
				return a
			}
		}
	}
	return nil
}

// gatherFor returns the text a[county] if one operand is a vector a and data county map an axis of the other operand to
// the axis of a; otherwise "".
func (c *Context) gatherFor(a, b model.Expr) string {
	for _, pair := range [][2]model.Expr{{a, b}, {b, a}} {
		x, y := pair[0], pair[1]
		for _, g := range c.Model.Arrays {
			if g.IndexOf != nil && len(g.Type.Axes) == 1 && len(x.Info().Type.Axes) == 1 &&
				g.IndexOf.Same(x.Info().Type.Axes[0]) && model.AxisOf(g.Type.Axes[0], y.Info().Type.Axes) >= 0 {
				return x.Info().At.Text() + "[" + g.Name + "]"
			}
		}
	}
	return ""
}

// productHelp returns advice for a `@` with an operand that is not a vector or matrix.
func productHelp(x, y model.Expr) string {
	if len(x.Info().Type.Axes) > 0 && len(y.Info().Type.Axes) > 0 {
		return "write the product with indices: `[i in I: sum(j in J: …)]`"
	}
	matrix, p := x.Info().Type.Axes, model.ParameterOf(y)
	if p != nil && len(matrix) > 0 && len(y.Info().Type.Axes) == 0 {
		return "for one coefficient of each column give `" + p.Name + "` an axis: `" + p.Name + "[" +
			matrix[len(matrix)-1].Name + "] ~ …`; to multiply by one number write `*`"
	}
	return "to multiply by a number write `*`"
}

// Matmul types x @ y, which sums over the last axis of x and the first of y; these must have the same index set.
func (c *Context) Matmul(e *ast.Binary, x, y model.Expr) model.Expr {
	if anyPoison(x, y) {
		return Poison(e)
	}
	ax, ay := x.Info().Type.Axes, y.Info().Type.Axes
	if len(ax) == 0 || len(ay) == 0 || len(ax) > 2 || len(ay) > 2 {
		c.Errorf(diag.AxesDiffer, e.OpAt, "`@` multiplies vectors and matrices; here the axes are %s and %s",
			model.AxesText(ax), model.AxesText(ay)).
			Help("%s", productHelp(x, y))
		return Poison(e)
	}
	if !ax[len(ax)-1].Same(ay[0]) {
		d := c.Errorf(diag.AxesDiffer, e.OpAt, "axes %s and %s do not match in `@`: the last of the left must be the "+
			"first of the right", model.AxesText(ax), model.AxesText(ay))
		if p := model.ParameterOf(y); p != nil && len(ay) == 1 {
			d.Help("give `%s` this axis: `%s[%s] ~ …`", p.Name, p.Name, ax[len(ax)-1].Name)
		}
		return Poison(e)
	}
	axes := append(append([]*model.Set{}, ax[:len(ax)-1]...), ay[1:]...)
	return &model.MatMul{X: x, Y: y, Fact: model.Fact{At: e.Span(), Static: AllStatic(x, y),
		Type: model.Type{Axes: axes, Range: stdlib.Everything()}}}
}

// Choose types q ? a : b.
func (c *Context) Choose(e *ast.Cond, q, a, b model.Expr) model.Expr {
	if anyPoison(q, a, b) {
		return Poison(e)
	}
	x, y := a.Info().Type.Axes, b.Info().Type.Axes
	if len(x) > 0 && len(y) > 0 && !model.SameSets(x, y) {
		c.Errorf(diag.BranchAxesDiffer, e.Span(), "the branches of `? :` have different axes, %s and %s",
			model.AxesText(a.Info().Type.Axes), model.AxesText(b.Info().Type.Axes)).
			Related(a.Info().At, "this branch has axes %s", model.AxesText(a.Info().Type.Axes)).
			Related(b.Info().At, "this branch has axes %s", model.AxesText(b.Info().Type.Axes))
		return Poison(e)
	}
	axes, ok := c.unify(e, "? :", e.Span(), q, a, b)
	if !ok {
		return Poison(e)
	}
	t := model.Type{Elem: intIfInts([]model.Expr{a, b}), Axes: axes,
		Range: stdlib.Union(a.Info().Type.Range, b.Info().Type.Range)}
	return &model.Cond{If: q, Then: a, Else: b, Fact: model.Fact{At: e.Span(), Type: t, Static: AllStatic(q, a, b)}}
}
