package check

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

func itoa(n int) string { return strconv.Itoa(n) }

// declaredSet returns the set of an axis in a data declaration. An undefined name is a size that data give.
func (c *checker) declaredSet(set *ast.Set, s *scope.Scope) *model.Set {
	if n, ok := set.Lo.(*ast.Name); ok && set.Hi == nil {
		if e := s.Lookup(n.Name); e == nil {
			return c.sizeSet(n)
		}
	}
	return c.set(s, set)
}

// sizeSet returns the set 1..N for a name N whose value data give.
func (c *checker) sizeSet(n *ast.Name) *model.Set {
	size := c.sizes[n.Name]
	if size == nil {
		size = &model.Size{Name: n.Name, At: n.Span()}
		c.sizes[n.Name] = size
		c.Model.Sizes = append(c.Model.Sizes, size)
	}
	return model.NewSet(n.Name, typing.Number(1, n), c.sizeExpr(size, n))
}

func (c *checker) sizeExpr(size *model.Size, at ast.Node) model.Expr {
	return &model.SizeOf{Size: size, Fact: model.Fact{At: at.Span(), Static: true,
		Type: model.Type{Elem: types.Int, Range: stdlib.Range{Lo: 0, Hi: math.Inf(1), Int: true}}}}
}

// set returns the index set written in a slot, a binder, or a range.
func (c *checker) set(s *scope.Scope, set *ast.Set) *model.Set {
	if set.Hi != nil {
		lo, hi := c.staticInt(s, set.Lo, true), c.staticInt(s, set.Hi, true)
		return model.NewSet(set.Span().Text(), lo, hi)
	}
	if n, ok := set.Lo.(*ast.Name); ok {
		return c.namedSet(s, n)
	}
	return model.NewSet(set.Span().Text(), typing.Number(1, set), c.staticInt(s, set.Lo, true))
}

// unknownSet reports an error for a set of unknown size, unless a statement that could not be parsed contains its name;
// more is appended to the advice.
func (c *checker) unknownSet(n *ast.Name, more string) *model.Set {
	if c.dropped[n.Name] {
		return c.sizeSet(n)
	}
	d := c.Errorf(diag.UnknownSize, n.Span(), "size `%s` is not known", n.Name)
	if near, ok := diag.Nearest(n.Name, c.setNames()); ok {
		d.Help("%s Otherwise define `%s = …`, or declare `data %s` or data with axis %s%s", diag.Meant("`%s`", near),
			n.Name,
			n.Name, n.Name, more).Replace(near)
	} else {
		d.Help("define `%s = …`, or declare `data %s`, data with axis %s or the group of each row, `data g[N]: "+
			"index(%s)`%s", n.Name, n.Name, n.Name, n.Name, more)
	}
	return c.sizeSet(n)
}

func (c *checker) namedSet(s *scope.Scope, n *ast.Name) *model.Set {
	e := s.Lookup(n.Name)
	switch {
	case e == nil && c.sizes[n.Name] != nil:
		return c.sizeSet(n)
	case e == nil:
		return c.unknownSet(n, "")
	case e.Set != nil:
		return e.Set
	case e.Array != nil:
		e.Used = true
		c.resolve(e.Array)
		if len(e.Array.Type.Axes) > 0 {
			d := c.Errorf(diag.NotAnIndexSet, n.Span(), "`%s` is an array (line %d), so it cannot be an index set",
				n.Name, e.At.Line()).Related(e.At, "`%s` is defined here", n.Name)
			if e.Array.Role == model.Data && len(e.Array.Type.Axes) == 1 {
				d.Help("declare `%s: index(S)` for an index set `S` of the different values of `%s`, or give the set "+
					"another name", n.Name+"["+e.Array.Type.Axes[0].Name+"]", n.Name)
			} else {
				d.Help("give the set another name")
			}
			return model.NewSet(n.Name, typing.Number(1, n), typing.Number(1, n))
		}
	}
	return model.NewSet(n.Name, typing.Number(1, n), c.staticInt(s, n, true))
}

// staticInt elaborates an expression that must depend on data only. If integer is set, it must be one integer.
func (c *checker) staticInt(s *scope.Scope, e ast.Expr, integer bool) model.Expr {
	x := c.expr(s, e)
	if typing.IsPoison(x) {
		return x
	}
	switch a := c.openIn(x); {
	case a != nil:
		c.Errorf(diag.ParameterBound, e.Span(), "a bound here must not depend on `%s`, which is being defined, but "+
			"`%s` does", a.Name, e.Span().Text()).
			Help("use the entire axis and a condition: `sum(k in K: k <= %s ? … : 0)`",
				e.Span().Text())
	case !x.Info().Static:
		c.Errorf(diag.ParameterBound, e.Span(), "a bound here must depend on data only; `%s` depends on a parameter",
			e.Span().Text()).
			Help("use the greatest size that is possible, and a condition: `k <= %s ? … : 0`",
				e.Span().Text())
	}
	if len(x.Info().Type.Axes) > 0 && integer {
		c.Errorf(diag.WrongKind, e.Span(), "a bound must be one number; `%s` is an array over %s", e.Span().Text(),
			model.AxesText(x.Info().Type.Axes))
	}
	if integer && x.Info().Type.Elem == types.Real {
		markInt(x)
	}
	return x
}

// markInt records that data are read as integers; their values are checked at loading.
func markInt(e model.Expr) {
	switch e := e.(type) {
	case *model.Ref:
		if e.Array.Role == model.Data {
			e.Array.NeedInt = true
		}
	case *model.Subscript:
		markInt(e.X)
	case *model.Cond:
		markInt(e.Then)
		markInt(e.Else)
	}
}

// rangeBetween returns the interval from the smallest possible lower bound to the greatest possible upper bound.
func rangeBetween(b *model.Bounds) stdlib.Range {
	return stdlib.Range{Lo: b.Lo.Info().Type.Range.Lo, Hi: b.Hi.Info().Type.Range.Hi}
}

func (c *checker) setNames() (names []string) {
	for n := range c.sizes {
		names = append(names, n)
	}
	for n, e := range c.global.Names {
		if e.Array != nil {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return names
}

// openIn returns an array that is still being defined and that an expression reads, directly or through definitions;
// nil if there is none.
func (c *checker) openIn(x model.Expr) *model.Array {
	seen := map[*model.Array]bool{}
	var visit func(as []*model.Array) *model.Array
	visit = func(as []*model.Array) *model.Array {
		for _, a := range as {
			if slices.ContainsFunc(c.open, func(b *scope.Array) bool { return b.Array == a }) {
				return a
			}
			if seen[a] {
				continue
			}
			seen[a] = true
			for _, p := range a.Pieces {
				if b := visit(model.Arrays(p.Value)); b != nil {
					return b
				}
			}
		}
		return nil
	}
	return visit(model.Arrays(x))
}
