package model

import (
	"slices"

	"ppl/stdlib"
)

// Element returns the element of an array expression x at the given indices, as an expression that does not compute the
// other elements: the element of exp(a) @ W over [T, K] at [t] is exp(a[t]) @ W. Each index replaces the axis over its
// set; the other axes remain. Element returns nil if one element needs the entire array, as in a matrix inverse, or if
// an index fits two axes. newIndex creates the index of a sum. Element does not change x.
func Element(x Expr, at []*Index, newIndex func(name string, set *Set) *Index) Expr {
	e := elementwise{newIndex: newIndex, ok: true}
	for _, i := range at {
		e.at = append(e.at, place{i.Set, i})
	}
	y := e.of(Copy(x))
	if !e.ok {
		return nil
	}
	return y
}

// A place is an index and the set of the axis that it replaces.
type place struct {
	set   *Set
	index *Index
}

// elementwise rewrites an expression for some indices. ok becomes false if this is not possible.
type elementwise struct {
	at       []place
	newIndex func(name string, set *Set) *Index
	ok       bool
}

// indexOf returns the index that replaces axis s, or nil if the axis remains.
func (e *elementwise) indexOf(s *Set) *Index {
	if k := e.placeOf(s); k >= 0 {
		return e.at[k].index
	}
	return nil
}

func (e *elementwise) placeOf(s *Set) int {
	return slices.IndexFunc(e.at, func(p place) bool { return p.set.Same(s) })
}

// moves reports whether an index replaces one of the axes.
func (e *elementwise) moves(axes ...*Set) bool {
	return slices.ContainsFunc(axes, func(s *Set) bool { return e.indexOf(s) != nil })
}

// of returns x at the indices. It may change x.
func (e *elementwise) of(x Expr) Expr {
	axes := x.Info().Type.Axes
	if !e.ok || !e.moves(axes...) {
		return x
	}
	for k, s := range axes {
		// If x has two axes over this set, it is ambiguous which one the index replaces.
		if e.indexOf(s) != nil && AxisOf(s, axes[:k]) >= 0 {
			e.ok = false
			return x
		}
	}
	switch y := x.(type) {
	case *Ref:
		return e.subscript(&Subscript{X: y, Fact: y.Fact})
	case *Subscript:
		return e.subscript(y)
	case *Apply, *Cond:
		Replace(x, e.of)
		e.drop(x)
		return x
	case *LogProb:
		e.ok = e.ok && !y.OfVectors()
		Replace(x, e.of)
		e.drop(x)
		return x
	case *Reduce:
		y.X = e.of(y.X)
		e.drop(x)
		return x
	case *Build:
		return e.build(y)
	case *MatMul:
		return e.product(y)
	case *Vector:
		return e.vector(y)
	}
	e.ok = false
	return x
}

// drop removes the replaced axes from the type of an expression.
func (e *elementwise) drop(x Expr) {
	t := &x.Info().Type
	t.Axes = slices.DeleteFunc(slices.Clone(t.Axes), func(s *Set) bool { return e.indexOf(s) != nil })
}

// subscript adds indices for the replaced axes that x reads without a subscript.
func (e *elementwise) subscript(x *Subscript) Expr {
	axes := x.X.Info().Type.Axes
	for len(x.Subs) < len(axes) {
		x.Subs = append(x.Subs, Sub{})
	}
	for k, s := range x.Subs {
		switch {
		case s.At != nil:
			x.Subs[k].At = e.of(s.At)
		case s.Range != nil:
			e.ok = e.ok && !e.moves(s.Range)
		default:
			if i := e.indexOf(axes[k]); i != nil {
				x.Subs[k].At = IndexValue(i, x.Info().At)
			}
		}
	}
	e.drop(x)
	return x
}

// build rewrites [i in N, j in M: body]: the given index takes the place of the bound index i or j.
func (e *elementwise) build(x *Build) Expr {
	body := e.of(x.Body)
	var over []*Index
	for _, i := range x.Over {
		if j := e.indexOf(i.Set); j != nil {
			body = Put(body, i, IndexValue(j, x.Info().At))
			continue
		}
		over = append(over, i)
	}
	if len(over) == 0 {
		return body
	}
	x.Over, x.Body = over, body
	e.drop(x)
	return x
}

// product rewrites x @ y; the axis that is summed over cannot be replaced.
func (e *elementwise) product(m *MatMul) Expr {
	left, right := m.X.Info().Type.Axes, m.Y.Info().Type.Axes
	if e.moves(left[len(left)-1], right[0]) {
		e.ok = false
		return m
	}
	m.X, m.Y = e.of(m.X), e.of(m.Y)
	e.drop(m)
	return m
}

// vector rewrites a function of vectors along the last axis. An index may replace other axes, and for cumsum, whose
// elements are sums, also the last axis.
func (e *elementwise) vector(v *Vector) Expr {
	axes := v.X.Info().Type.Axes
	last := axes[len(axes)-1]
	switch {
	case stdlib.Scans()[v.Name] == nil: // a function of matrices
		e.ok = false
		return v
	case !e.moves(last):
		v.X = e.of(v.X)
		e.drop(v)
		return v
	case v.Name != "cumsum":
		e.ok = false
		return v
	}
	k := e.placeOf(last)
	upTo := e.newIndex("", NewSet(last.Name, last.Lo, IndexValue(e.at[k].index, v.At)))
	inner := elementwise{slices.Clone(e.at), e.newIndex, true}
	inner.at[k].index = upTo
	x := inner.of(v.X)
	e.ok = e.ok && inner.ok
	sum := &Reduce{Row: stdlib.Reductions()["sum"], X: x, Over: []*Index{upTo}, Fact: v.Fact}
	sum.Type.Axes = x.Info().Type.Axes
	return sum
}
