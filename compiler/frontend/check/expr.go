package check

import (
	"math"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// expr elaborates an expression: it determines its type and axes.
func (c *checker) expr(s *scope.Scope, e ast.Expr) model.Expr {
	switch e := e.(type) {
	case *ast.Number:
		n := typing.Number(e.Value, e).(*model.Num)
		if !e.IsInt {
			n.Type.Elem, n.Type.Range.Int = types.Real, false
		}
		return n
	case *ast.Paren:
		return c.expr(s, e.X)
	case *ast.Name:
		return c.name(s, e)
	case *ast.Unary:
		return c.Operator(e, e.Op, e.Span(), c.expr(s, e.X))
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
		c.Errorf(diag.WrongKind, e.Span(), "a text cannot be used as a number").
			Help("a text names an element of an index set: `a[\"Guy's\"]`, or `sex[i] == \"M\"` for `data sex[N]: " +
				"index(S)`")
	default:
		panic("internal error: unknown expression")
	}
	return typing.Poison(e)
}

// libraryConstants are names with a predefined value.
var libraryConstants = map[string]struct {
	value float64
	elem  types.Elem
}{
	"pi": {math.Pi, types.Real}, "inf": {math.Inf(1), types.Real}, "true": {1, types.Bool}, "false": {0, types.Bool},
}

func (c *checker) name(s *scope.Scope, e *ast.Name) model.Expr {
	ent := s.Lookup(e.Name)
	if ent == nil {
		if k, ok := libraryConstants[e.Name]; ok {
			n := typing.Number(k.value, e).(*model.Num)
			n.Type.Elem = k.elem
			return n
		}
		if size := c.sizes[e.Name]; size != nil {
			return c.sizeExpr(size, e)
		}
		c.undefined(s, e)
		return typing.Poison(e)
	}
	ent.Used = true
	switch {
	case ent.Index != nil:
		return typing.IndexVar(ent.Index, e)
	case ent.Expr != nil:
		return ent.Expr
	case ent.Set != nil:
		return typing.SetSize(ent.Set, e)
	case ent.Array != nil:
		x := c.ref(ent.Array, e)
		if step := c.inStep(ent.Array, e); step != nil && !typing.IsPoison(x) {
			return step
		}
		return at(x, ent.Outer, e)
	case ent.Dist != nil:
		c.Errorf(diag.WrongKind, e.Span(), "`%s` is a distribution; write it after `~`", e.Name).Related(ent.At,
			"the argument")
	case ent.Ode != nil:
		c.Errorf(diag.WrongKind, e.Span(), "`%s` is a function of time; write `%s(t)`", e.Name, e.Name).Related(ent.At,
			"defined here")
	case ent.Fn != nil && ent.Fn.Draw != nil:
		c.Errorf(diag.WrongKind, e.Span(), "`%s` is a template; write it after `~` or `->`", e.Name).Related(ent.At,
			"the template")
	case ent.Fn != nil:
		c.Errorf(diag.WrongKind, e.Span(), "`%s` is a function; call it with arguments: `%s(…)`", e.Name,
			e.Name).Related(ent.At, "defined here")
	}
	return typing.Poison(e)
}

// ref elaborates a read of an entire array.
func (c *checker) ref(a *scope.Array, e ast.Node) model.Expr {
	open := a.State == scope.Visiting
	if open && !c.provisional(a) {
		c.cycle(a, e)
		return typing.Poison(e)
	}
	c.resolve(a)
	if isBroken(a) {
		return typing.Poison(e)
	}
	return &model.Ref{Array: a.Array, Fact: model.Fact{At: e.Span(), Type: a.Type, Static: !open && c.isStatic(a)}}
}

// isBroken reports whether the array has no valid statement.
func isBroken(a *scope.Array) bool {
	return a.Decl == nil && len(a.Pieces) == 0
}

func (c *checker) isStatic(a *scope.Array) bool {
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

func (c *checker) cycle(a *scope.Array, e ast.Node) {
	path, from := "", slices.Index(c.open, a)
	for _, b := range c.open[from:] {
		path += b.Name + " → "
	}
	if len(c.open)-from == 1 {
		d := c.Errorf(diag.Circular, e.Span(), "`%s` is defined by itself", a.Name).Related(a.At, "the definition")
		if len(a.Draws) > 0 {
			d.Help("a series reads its past in the arguments of its distribution, and has all of its axes on the "+
				"left: `%s[t in 2..T, 1..2] ~ …`", a.Name)
		}
		return
	}
	d := c.Errorf(diag.Circular, e.Span(), "these define each other: %s%s", path, a.Name)
	for _, b := range c.open[from:] {
		d = d.Related(b.At, "`%s`", b.Name)
	}
	d.Help("define one of them, such as `%s`, so that it does not depend on the others", a.Name)
}

func (c *checker) undefined(s *scope.Scope, e *ast.Name) {
	if c.dropped[e.Name] {
		return
	}
	d := c.Errorf(diag.Undefined, e.Span(), "`%s` is not defined", e.Name)
	c.unknowns++
	if c.unknowns <= maxHints {
		c.hints().Undefined(d, s, e)
	}
	s2 := c.global
	s2.Names[e.Name] = &scope.Entity{Name: e.Name, At: e.Span(), Used: true,
		Expr: typing.Poison(e)} // one report per name
}

// maxHints limits the unknown names for which a similar name is searched: each search visits all names.
const maxHints = 50

// labelled elaborates a comparison of an index with the name of an element: sex[i] == "M".
func (c *checker) labelled(s *scope.Scope, e *ast.Binary) (x, y model.Expr, ok bool) {
	if e.Op != "==" && e.Op != "!=" {
		return nil, nil, false
	}
	left, isLeft := e.X.(*ast.String)
	right, isRight := e.Y.(*ast.String)
	switch {
	case isRight && !isLeft:
		x = c.expr(s, e.X)
		y = c.LabelOf(x, right)
	case isLeft && !isRight:
		y = c.expr(s, e.Y)
		x = c.LabelOf(y, left)
	default:
		return nil, nil, false
	}
	return x, y, true
}

func (c *checker) binary(s *scope.Scope, e *ast.Binary) model.Expr {
	if x, y, ok := c.labelled(s, e); ok {
		return c.Operator(e, e.Op, e.OpAt, x, y)
	}
	x, y := c.expr(s, e.X), c.expr(s, e.Y)
	if e.Op == "@" {
		return c.Matmul(e, x, y)
	}
	return c.Operator(e, e.Op, e.OpAt, x, y)
}

func (c *checker) cond(s *scope.Scope, e *ast.Cond) model.Expr {
	return c.Choose(e, c.expr(s, e.If), c.expr(s, e.Then), c.expr(s, e.Else))
}
