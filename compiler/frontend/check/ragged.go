package check

import (
	"fmt"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/types"
)

// raggedAxis returns the axis 1..m[i] for the name m of data with one length for each element i of an earlier axis, as
// in `data m[I], y[I, m]`. It returns nil for other names.
func (c *checker) raggedAxis(a *scope.Array, set *ast.Set) *model.Set {
	n, ok := set.Lo.(*ast.Name)
	if !ok || set.Hi != nil {
		return nil
	}
	e := a.Scope.Lookup(n.Name)
	if e == nil || e.Array == nil || e.Array.Decl == nil || len(e.Array.Decl.Sets) != 1 || e.Array == a {
		return nil
	}
	c.declare(e.Array)
	of := e.Array.Type.Axes[0]
	for k, s := range a.Type.Axes {
		if !s.Same(of) {
			continue
		}
		e.Used, e.Array.NeedInt = true, true
		i := c.indexOfGroups(e.Array, s)
		m := &model.Subscript{X: &model.Ref{Array: e.Array.Array, Fact: model.Fact{At: n.Span(), Static: true,
			Type: e.Array.Type}}, Subs: []model.Sub{{At: typing.IndexVar(i, n)}}}
		m.Fact = model.Fact{At: n.Span(), Static: true, Type: e.Array.Type}
		m.Type.Axes, m.Type.Elem = nil, types.Int
		a.Type.Axes[k] = i.Set
		return model.NewSet(n.Name, typing.Number(1, n), m)
	}
	return nil
}

// indexOfGroups returns one index for all data with the same lengths, so that their axes are equal.
func (c *checker) indexOfGroups(lengths *scope.Array, s *model.Set) *model.Index {
	key := fmt.Sprintf("%p %s", lengths, s.Key)
	if c.groups[key] == nil {
		c.groups[key] = c.NewIndex("", s)
	}
	return c.groups[key]
}

// inOneList joins the value of ragged data, a list of lists, into one list, and sets a.Lengths to the lengths of the
// inner lists. It returns other values unchanged.
func (c *checker) inOneList(a *scope.Array, value ast.Expr) ast.Expr {
	list, ok := value.(*ast.List)
	if !ok || len(a.Type.Axes) != 2 || !isRagged(a.Type.Axes[1]) {
		return value
	}
	all := *list
	all.Items, a.Lengths = nil, []int{}
	for _, x := range list.Items {
		group, ok := x.(*ast.List)
		if !ok {
			return value
		}
		all.Items, a.Lengths = append(all.Items, group.Items...), append(a.Lengths, len(group.Items))
	}
	return &all
}

func isRagged(s *model.Set) bool { return len(s.Ragged) > 0 }

// wholeRagged reports an error for each expression that reads every element of an axis whose bounds depend on an index,
// such as `sum(x[i, 1..n[i]])` of a matrix x. Such an expression would read up to the largest bound. A reduction over
// an index, such as `sum(k in 1..n[i]: x[i, k])`, stops at the bound of its row.
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
	for _, a := range c.Model.Arrays {
		array(a)
	}
	for _, t := range c.Model.Terms {
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

// wholeOperands returns the operands of which an expression reads every element.
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
		if isRagged(s) {
			c.NotYet(x.Info().At, "an expression of the entire axis "+s.Name+
				", whose end depends on an index (ragged)").
				Help("write an index over it: `sum(k in %s: …)`", s.Name)
			return
		}
	}
}
