package check

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// anyRange is what is known of a real nobody knows anything of.
var anyRange = stdlib.Range{Lo: math.Inf(-1), Hi: math.Inf(1)}

func diagNearest(name string, among []string) (string, bool) { return diag.Nearest(name, among) }

// poison stands for an expression that was already reported; whatever reads it stays silent.
func poison(at ast.Node) model.Expr {
	return &model.Num{Value: math.NaN(), Fact: model.Fact{At: at.Span(), Static: true, Type: model.Type{Range: anyRange}}}
}

func isPoison(e model.Expr) bool {
	n, ok := e.(*model.Num)
	return ok && math.IsNaN(n.Value)
}

func anyPoison(es ...model.Expr) bool {
	for _, e := range es {
		if isPoison(e) {
			return true
		}
	}
	return false
}

// expr gives an expression its type.
func (c *checker) expr(s *scope, e ast.Expr) model.Expr {
	switch e := e.(type) {
	case *ast.Number:
		n := num(e.Value, e).(*model.Num)
		if !e.IsInt {
			n.Type.Elem, n.Type.Range.Int = types.Real, false
		}
		return n
	case *ast.Paren:
		return c.expr(s, e.X)
	case *ast.Name:
		return c.name(s, e)
	case *ast.Unary:
		return c.operator(e, e.Op, e.Span(), c.expr(s, e.X))
	case *ast.Binary:
		return c.binary(s, e)
	case *ast.Cond:
		return c.cond(s, e)
	case *ast.Pipe:
		return c.pipe(s, e)
	case *ast.Call:
		return c.call(s, e)
	case *ast.Index:
		return c.subscript(s, e)
	case *ast.List:
		return c.list(s, e)
	case *ast.Comprehension:
		return c.comprehension(s, e)
	case *ast.Member:
		return c.dotted(s, e)
	case *ast.String:
		c.errorf("E44", e.Span(), "a text has no place in arithmetic")
	default:
		panic("internal error: unknown expression")
	}
	return poison(e)
}

// libraryConstants are values that need no definition.
var libraryConstants = map[string]struct {
	value float64
	elem  types.Elem
}{
	"pi": {math.Pi, types.Real}, "inf": {math.Inf(1), types.Real}, "true": {1, types.Bool}, "false": {0, types.Bool},
}

func (c *checker) name(s *scope, e *ast.Name) model.Expr {
	ent := s.lookup(e.Name)
	if ent == nil {
		if k, ok := libraryConstants[e.Name]; ok {
			n := num(k.value, e).(*model.Num)
			n.Type.Elem = k.elem
			return n
		}
		if size := c.sizes[e.Name]; size != nil {
			return c.sizeExpr(size, e)
		}
		c.undefined(s, e)
		return poison(e)
	}
	ent.used = true
	switch {
	case ent.index != nil:
		return indexVar(ent.index, e)
	case ent.expr != nil:
		return ent.expr
	case ent.set != nil:
		return setSize(ent.set, e)
	case ent.array != nil:
		return at(c.ref(ent.array, e), ent.outer, e)
	case ent.ode != nil:
		c.errorf("E44", e.Span(), "`%s` is a function of time; write `%s(t)`", e.Name, e.Name).Related(ent.at, "defined here")
	case ent.fn != nil:
		c.errorf("E44", e.Span(), "`%s` is a function; call it with arguments: `%s(…)`", e.Name, e.Name).Related(ent.at, "defined here")
	}
	return poison(e)
}

func indexVar(i *model.Index, at ast.Node) model.Expr {
	return &model.IndexVar{Index: i, Fact: model.Fact{At: at.Span(), Static: true,
		Type: model.Type{Elem: types.Int, Range: constRange(i.Set)}}}
}

// ref reads a whole array.
func (c *checker) ref(a *arrayInfo, e ast.Node) model.Expr {
	static := true
	if a.state == visiting {
		if !c.provisional(a) {
			c.cycle(a, e)
			return poison(e)
		}
		static = c.open[len(c.open)-1] == a // of what others are worked out from meanwhile nothing is known
	}
	c.resolve(a)
	if isBroken(a) {
		return poison(e)
	}
	return &model.Ref{Array: a.Array, Fact: model.Fact{At: e.Span(), Type: a.Type, Static: static && c.isStatic(a)}}
}

// isBroken tells an array whose own statements were refused.
func isBroken(a *arrayInfo) bool {
	return a.decl == nil && len(a.Pieces) == 0
}

func (c *checker) isStatic(a *arrayInfo) bool {
	if a.Role == model.Data {
		return true
	}
	if a.Role != model.Definition {
		return false
	}
	for _, p := range a.Pieces {
		if p.Value != nil && !p.Value.Info().Static {
			return false
		}
	}
	return true
}

func (c *checker) cycle(a *arrayInfo, e ast.Node) {
	path, from := "", slices.Index(c.open, a)
	for _, b := range c.open[from:] {
		path += b.Name + " → "
	}
	if len(c.open)-from == 1 {
		d := c.errorf("E16", e.Span(), "`%s` is defined by itself", a.Name).Related(a.At, "the definition")
		if len(a.draws) > 0 {
			d.Help("a series reads its past in the arguments of its law, and its law has all of its axes on the left: `%s[t in 2..T, 1..2] ~ …`", a.Name)
		}
		return
	}
	d := c.errorf("E16", e.Span(), "these define each other: %s%s", path, a.Name)
	for _, b := range c.open[from:] {
		d = d.Related(b.At, "`%s`", b.Name)
	}
}

func (c *checker) undefined(s *scope, e *ast.Name) {
	if c.lost[e.Name] {
		return
	}
	meant(c.errorf("E10", e.Span(), "`%s` is not defined", e.Name), e.Name, c.visible(s))
	s2 := c.global
	s2.names[e.Name] = &entity{name: e.Name, at: e.Span(), used: true, expr: poison(e)} // one report per name
}

// meant adds to a report of an unknown name what to write instead: how ppl says what Stan, PyMC or NumPyro call so, or the
// nearest name.
func meant(d diag.Entry, name string, among []string) {
	if code, ok := stdlib.Foreign(name); ok {
		if stdlib.Dists()[code] != nil {
			d.Help("did you mean `%s`?", code)
		} else {
			d.Help("write `%s`", code)
		}
	} else if near, ok := diagNearest(name, among); ok {
		d.Help("did you mean `%s`?", near)
	}
}

func (c *checker) visible(s *scope) (names []string) {
	for ; s != nil; s = s.parent {
		for n := range s.names {
			names = append(names, n)
		}
	}
	for n := range stdlib.Funcs() {
		names = append(names, n)
	}
	for n := range c.sizes {
		names = append(names, n)
	}
	return sorted(names)
}

// ---- operators ----

// An operatorRow says how an operator is built and what its element type is.
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

func operators() map[string]operatorRow {
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
		"&&": {bin(func(x, y autodiff.Node) autodiff.Node { return autodiff.Mul(truth(x), truth(y)) }), always(types.Bool)},
		"||": {bin(func(x, y autodiff.Node) autodiff.Node { return autodiff.Maximum(truth(x), truth(y)) }), always(types.Bool)},
	}
}

func unaryOperators() map[string]operatorRow {
	return map[string]operatorRow{
		"-": {func(a []stdlib.Node) stdlib.Node { return autodiff.Neg(a[0]) }, intIfInts},
		"!": {func(a []stdlib.Node) stdlib.Node { return autodiff.Not(a[0]) }, always(types.Bool)},
	}
}

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

func (c *checker) binary(s *scope, e *ast.Binary) model.Expr {
	x, y := c.expr(s, e.X), c.expr(s, e.Y)
	if e.Op == "@" {
		return c.matmul(e, x, y)
	}
	return c.operator(e, e.Op, e.OpAt, x, y)
}

func (c *checker) operator(e ast.Node, op string, at source.Span, args ...model.Expr) model.Expr {
	if anyPoison(args...) {
		return poison(e)
	}
	table := operators()
	if len(args) == 1 {
		table = unaryOperators()
	}
	row := table[op]
	axes, ok := c.unify(e, op, at, args...)
	if !ok {
		return poison(e)
	}
	t := model.Type{Elem: row.elem(args), Axes: axes, Range: operatorRange(op, args)}
	t.Range.Int = t.Elem != types.Real
	return &model.Apply{Name: op, Args: args, Build: row.build, Fact: model.Fact{At: e.Span(), Type: t, Static: allStatic(args...)}}
}

func operatorRange(op string, args []model.Expr) stdlib.Range {
	ranges := make([]stdlib.Range, len(args))
	for i, a := range args {
		ranges[i] = a.Info().Type.Range
	}
	if op == "*" && sameValue(args[0], args[1]) { // x * x is not negative, whatever x is
		return stdlib.RangeOf("^", ranges[0], stdlib.Range{Lo: 2, Hi: 2, Int: true})
	}
	return stdlib.RangeOf(op, ranges...)
}

func sameValue(x, y model.Expr) bool {
	a, ok := x.(*model.Ref)
	b, ok2 := y.(*model.Ref)
	return ok && ok2 && a.Array == b.Array
}

func allStatic(args ...model.Expr) bool {
	for _, a := range args {
		if !a.Info().Static {
			return false
		}
	}
	return true
}

// unify finds the axes of an elementwise result: those of the operand with most axes, among which every other operand's must be.
func (c *checker) unify(e ast.Node, what string, at source.Span, args ...model.Expr) ([]*model.Set, bool) {
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

func (c *checker) fits(a, widest model.Expr, what string, at source.Span) bool {
	small, large := a.Info().Type.Axes, widest.Info().Type.Axes
	if sameAxes(small, large) {
		return true
	}
	if n := repeated(small); n != nil && len(small) > 0 {
		c.errorf("E41", a.Info().At, "`%s` has axis %s twice; write indices", a.Info().At.Text(), n.Name)
		return false
	}
	if n := repeated(large); n != nil && len(small) > 0 {
		c.errorf("E41", widest.Info().At, "`%s` has axis %s twice; write indices", widest.Info().At.Text(), n.Name)
		return false
	}
	for _, s := range small {
		if axisOf(s, large) < 0 {
			d := c.errorf("E40", at, "axes %s and %s do not match in `%s`", axesText(small), axesText(large), what)
			if g := c.gatherFor(a, widest); g != "" {
				d.Help("did you mean `%s`?", g)
			} else {
				d.Help("axes are matched by their index set; write indices, as in `[i in %s: …]`", large[0].Name)
			}
			return false
		}
	}
	return true
}

func sameAxes(a, b []*model.Set) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Same(b[i]) {
			return false
		}
	}
	return true
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

func axisOf(s *model.Set, axes []*model.Set) int {
	for i, a := range axes {
		if a.Same(s) {
			return i
		}
	}
	return -1
}

// gatherFor proposes a[county] where data county maps the rows of one operand to the axis of the other.
func (c *checker) gatherFor(a, b model.Expr) string {
	for _, pair := range [][2]model.Expr{{a, b}, {b, a}} {
		x, y := pair[0], pair[1]
		for _, g := range c.model.Arrays {
			if g.IndexOf != nil && len(g.Type.Axes) == 1 && len(x.Info().Type.Axes) == 1 &&
				g.IndexOf.Same(x.Info().Type.Axes[0]) && axisOf(g.Type.Axes[0], y.Info().Type.Axes) >= 0 {
				return x.Info().At.Text() + "[" + g.Name + "]"
			}
		}
	}
	return ""
}

func (c *checker) cond(s *scope, e *ast.Cond) model.Expr {
	q, a, b := c.expr(s, e.If), c.expr(s, e.Then), c.expr(s, e.Else)
	if anyPoison(q, a, b) {
		return poison(e)
	}
	if len(a.Info().Type.Axes) > 0 && len(b.Info().Type.Axes) > 0 && !sameAxes(a.Info().Type.Axes, b.Info().Type.Axes) {
		c.errorf("E49", e.Span(), "the branches of `? :` have axes %s and %s", axesText(a.Info().Type.Axes), axesText(b.Info().Type.Axes)).
			Related(a.Info().At, "this branch has axes %s", axesText(a.Info().Type.Axes)).
			Related(b.Info().At, "this branch has axes %s", axesText(b.Info().Type.Axes))
		return poison(e)
	}
	axes, ok := c.unify(e, "? :", e.Span(), q, a, b)
	if !ok {
		return poison(e)
	}
	t := model.Type{Elem: intIfInts([]model.Expr{a, b}), Axes: axes, Range: stdlib.Union(a.Info().Type.Range, b.Info().Type.Range)}
	return &model.Cond{If: q, Then: a, Else: b, Fact: model.Fact{At: e.Span(), Type: t, Static: allStatic(q, a, b)}}
}

// matmul: the last axis of x meets the first of y; both are matched by index set.
func (c *checker) matmul(e *ast.Binary, x, y model.Expr) model.Expr {
	if anyPoison(x, y) {
		return poison(e)
	}
	ax, ay := x.Info().Type.Axes, y.Info().Type.Axes
	if len(ax) == 0 || len(ay) == 0 || len(ax) > 2 || len(ay) > 2 {
		c.errorf("E40", e.OpAt, "`@` multiplies vectors and matrices; here the axes are %s and %s", axesText(ax), axesText(ay)).
			Help("for numbers write `*`")
		return poison(e)
	}
	if !ax[len(ax)-1].Same(ay[0]) {
		c.errorf("E40", e.OpAt, "axes %s and %s do not match in `@`: the last of the left must be the first of the right", axesText(ax), axesText(ay))
		return poison(e)
	}
	axes := append(append([]*model.Set{}, ax[:len(ax)-1]...), ay[1:]...)
	return &model.MatMul{X: x, Y: y, Fact: model.Fact{At: e.Span(), Static: allStatic(x, y),
		Type: model.Type{Axes: axes, Range: anyRange}}}
}

func (c *checker) list(s *scope, e *ast.List) model.Expr {
	items := make([]model.Expr, len(e.Items))
	t := model.Type{Elem: types.Int, Range: stdlib.Range{Lo: math.Inf(1), Hi: math.Inf(-1), Int: true}}
	for i, it := range e.Items {
		items[i] = c.expr(s, it)
		if isPoison(items[i]) {
			return poison(e)
		}
		t.Range = stdlib.Union(t.Range, items[i].Info().Type.Range)
		if items[i].Info().Type.Elem == types.Real {
			t.Elem = types.Real
		}
		if i > 0 && !sameAxes(items[i].Info().Type.Axes, items[0].Info().Type.Axes) {
			c.errorf("E49", it.Span(), "the elements of a list have different axes: %s and %s",
				axesText(items[0].Info().Type.Axes), axesText(items[i].Info().Type.Axes))
			return poison(e)
		}
	}
	set := newSet("1.."+itoa(len(items)), num(1, e), num(float64(len(items)), e))
	t.Axes = []*model.Set{set}
	if len(items) > 0 {
		t.Axes = append(t.Axes, items[0].Info().Type.Axes...)
	}
	return &model.List{Items: items, Fact: model.Fact{At: e.Span(), Type: t, Static: allStatic(items...)}}
}

// bind opens a scope in which the binders' indices are known.
func (c *checker) bind(s *scope, binders []*ast.Binder) (*scope, []*model.Index) {
	inner := newScope(s)
	var over []*model.Index
	for _, b := range binders {
		over = append(over, c.bindIndex(inner, b.Index, c.set(inner, b.Set)))
	}
	return inner, over
}

func (c *checker) bindIndex(s *scope, id ast.Ident, set *model.Set) *model.Index {
	if old := s.parent.lookup(id.Name); old != nil && old.index == nil && old.set == nil && c.fileLevel(old) {
		c.errorf("E14", id.Span(), "index `%s` has the name of a value (line %d); rename it", id.Name, old.at.Line()).
			Related(old.at, "the value")
	}
	i := c.newIndex(id.Name, set)
	s.add(&entity{name: id.Name, at: id.Span(), index: i})
	return i
}

func (c *checker) fileLevel(e *entity) bool { return c.global.names[e.name] == e && e.expr == nil }

func (c *checker) newIndex(name string, set *model.Set) *model.Index {
	c.nextID++
	return &model.Index{Name: name, Set: set, ID: c.nextID}
}

func (c *checker) comprehension(s *scope, e *ast.Comprehension) model.Expr {
	inner, over := c.bind(s, e.Binders)
	body := c.expr(inner, e.Body)
	if isPoison(body) {
		return poison(e)
	}
	for _, i := range over {
		if len(i.Set.Ragged) > 0 {
			c.notYet(e.Span(), "an array whose size depends on an index (ragged)")
			return poison(e)
		}
	}
	t := body.Info().Type
	t.Axes = nil
	for _, i := range over {
		t.Axes = append(t.Axes, i.Set)
	}
	t.Axes = append(t.Axes, body.Info().Type.Axes...)
	return &model.Build{Over: over, Body: body, Fact: model.Fact{At: e.Span(), Type: t, Static: body.Info().Static}}
}

// ---- subscripts ----

func (c *checker) subscript(s *scope, e *ast.Index) model.Expr {
	x := c.expr(s, e.X)
	if isPoison(x) {
		return x
	}
	return c.subscripts(s, x, e.X, e.Subs, e)
}

// subscripts reads x, written as name, at subs.
func (c *checker) subscripts(s *scope, x model.Expr, name ast.Expr, subs []*ast.Set, e ast.Node) model.Expr {
	axes := x.Info().Type.Axes
	if len(subs) > len(axes) {
		c.errorf("E42", subs[len(axes)].Span(), "`%s` has %s but is given %s", name.Span().Text(), haveAxes(axes), count(len(subs), "subscript", "subscripts"))
		return poison(e)
	}
	out := &model.Subscript{X: x, Fact: model.Fact{At: e.Span(), Static: x.Info().Static, Type: x.Info().Type}}
	out.Type.Axes = nil
	for k, sub := range subs {
		m, extra, ok := c.sub(s, sub, axes[k])
		if !ok {
			return poison(e)
		}
		if m.At != nil {
			out.Static = out.Static && m.At.Info().Static
			extra = newAxes(extra, out.Type.Axes)
		}
		out.Subs = append(out.Subs, m)
		out.Type.Axes = append(out.Type.Axes, extra...)
	}
	out.Type.Axes = append(out.Type.Axes, axes[len(subs):]...)
	return out
}

// newAxes drops the axes of a gather that an earlier gather of the same subscript list brought already: x[a, b] with a[N], b[N] is [N].
func newAxes(extra, have []*model.Set) (out []*model.Set) {
	for _, s := range extra {
		if axisOf(s, have) < 0 {
			out = append(out, s)
		}
	}
	return out
}

func haveAxes(axes []*model.Set) string {
	if len(axes) == 0 {
		return "no axes"
	}
	return "axes " + axesText(axes)
}

func (c *checker) sub(s *scope, sub *ast.Set, axis *model.Set) (model.Sub, []*model.Set, bool) {
	if n, ok := sub.Lo.(*ast.Name); ok && n.Name == "_" && sub.Hi == nil {
		return model.Sub{}, []*model.Set{axis}, true
	}
	if sub.Hi != nil {
		r := c.set(s, sub)
		return model.Sub{Range: r}, []*model.Set{r}, true
	}
	at := c.expr(s, sub.Lo)
	if isPoison(at) {
		return model.Sub{}, nil, false
	}
	if at.Info().Type.Elem == types.Real {
		markInt(at)
		if !readsData(at) {
			c.errorf("E44", sub.Span(), "subscript must be an integer; `%s` is real", sub.Span().Text())
			return model.Sub{}, nil, false
		}
	}
	if a := dataOf(at); a != nil && a.IndexOf != nil && !a.IndexOf.Same(axis) {
		c.diags.Warnf("E43", sub.Span(), "`%s` ranges over %s, but this axis is %s", a.Name, a.IndexOf.Name, axis.Name).
			Related(a.At, "`%s` is declared here", a.Name).
			Help("if that is meant, values outside %s are refused when the data are loaded", axis.Name)
	}
	return model.Sub{At: at}, at.Info().Type.Axes, true
}

// readsData reports whether an expression is an element of data, whose being integer is seen at load.
func readsData(e model.Expr) bool { return dataOf(e) != nil || e.Info().Static && !isNum(e) }

func isNum(e model.Expr) bool { _, ok := e.(*model.Num); return ok }

func dataOf(e model.Expr) *model.Array {
	switch e := e.(type) {
	case *model.Ref:
		if e.Array.Role == model.Data {
			return e.Array
		}
	case *model.Subscript:
		return dataOf(e.X)
	}
	return nil
}
