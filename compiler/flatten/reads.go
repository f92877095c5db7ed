package flatten

import (
	"slices"

	"ppl/compiler/model"
)

// rewrite is an expression of a statement, with flat arrays in the place of ragged ones. Expressions are changed where
// they are, each once.
func (f *flattener) rewrite(x model.Expr, s statement) model.Expr {
	if x == nil {
		return nil
	}
	if y, ok := f.done[x]; ok {
		return y
	}
	f.done[x] = x
	y := f.changed(x, s)
	f.done[x], f.done[y] = y, y
	return y
}

func (f *flattener) changed(x model.Expr, s statement) model.Expr {
	switch x := x.(type) {
	case *model.IndexVar:
		if y := s.at[x.Index]; y != nil {
			return y
		}
		return x
	case *model.Reduce:
		if len(x.Over) == 0 && slices.ContainsFunc(x.X.Info().Type.Axes, isRagged) && !f.whole(x) {
			f.refuseWhole(x)
			return x
		}
	case *model.Subscript:
		if ref, ok := x.X.(*model.Ref); ok {
			if p, ragged := f.pairs[ref.Array]; ragged {
				f.element(x, ref, p, s)
				return x
			}
		}
	case *model.Ref:
		f.ref(x, s)
		return x
	}
	model.Replace(x, func(y model.Expr) model.Expr { return f.rewrite(y, s) })
	return x
}

// ref reads an array as a whole, which a ragged one is only where it is folded; a definition inside a function belongs
// to the statement that calls it.
func (f *flattener) ref(x *model.Ref, s statement) {
	if _, ragged := f.pairs[x.Array]; ragged {
		if !slices.ContainsFunc(x.Type.Axes, isRagged) { // folded as a whole
			return
		}
		f.refuseWhole(x)
		return
	}
	if f.entered[x.Array] || s.Ragged == nil || x.Array.Role != model.Definition ||
		slices.Contains(f.m.Arrays, x.Array) {
		return
	}
	f.entered[x.Array] = true
	for _, p := range x.Array.Pieces {
		f.piece(p, s)
	}
}

func (f *flattener) refuseWhole(x model.Expr) {
	f.diags.Errorf("E99", x.Info().At, "a ragged array is read here as a whole: not compiled by this version of ppl "+
		"yet").
		Help("read its elements by an index: `x[i, j]` with `j in 1..m[i]`, as in `sum(j in 1..m[i]: …)`")
}

// element makes the two subscripts of a ragged array one: the number of the element.
func (f *flattener) element(x *model.Subscript, ref *model.Ref, p pair, s statement) {
	if len(x.Subs) <= max(p.outer, p.inner) || x.Subs[p.outer].At == nil || x.Subs[p.inner].At == nil {
		f.refuseWhole(x)
		return
	}
	number, known := s.shifted(x.Subs[p.outer].At, x.Subs[p.inner].At, p)
	for k := range x.Subs {
		if x.Subs[k].At != nil {
			x.Subs[k].At = f.rewrite(x.Subs[k].At, s)
		}
	}
	group, place := x.Subs[p.outer].At, x.Subs[p.inner].At
	if !known {
		number = plus(read(p.Before, group), place)
	}
	if _, itself := number.(*model.IndexVar); !itself {
		x.Inside = &model.Inside{Of: p.Ragged, Group: group, Place: place,
			Holds: both(atMost(read(p.Low, group), place), atMost(place, read(p.High, group)))}
	}
	x.Subs[p.outer].At = number
	x.Subs = slices.Delete(x.Subs, p.inner, p.inner+1)
	ref.Type.Axes = ref.Array.Type.Axes
}

// shifted is the number of element (i, j + c) where the statement is over (i, j) of the same ranges: p + c.
func (s statement) shifted(group, place model.Expr, p pair) (model.Expr, bool) {
	i, plain := group.(*model.IndexVar)
	if s.Ragged != p.Ragged || s.inner == nil || !plain || i.Index != s.outer {
		return nil, false
	}
	gap := model.Offset(place, s.inner)
	if !gap.IsConst() {
		return nil, false
	}
	number := indexVar(s.number, place.Info().At)
	if gap.Const == 0 {
		return number, true
	}
	return plus(number, num(gap.Const, place.Info().At)), true
}

// whole folds ragged arrays: all elements, or those of one group by an index over it. It reports whether it can.
func (f *flattener) whole(x *model.Reduce) bool {
	if f.flat(x.X) {
		f.setAxes(x.X)
		return true
	}
	var j *model.Index
	if len(x.X.Info().Type.Axes) != 1 || !f.byIndex(x.X, &j) || j == nil {
		return false
	}
	x.Over = []*model.Index{j}
	return true
}

// flat reports whether an expression is elementwise arithmetic of whole ragged arrays with the same elements.
func (f *flattener) flat(x model.Expr) bool {
	var of *model.Ragged
	var visit func(x model.Expr) bool
	visit = func(x model.Expr) bool {
		if len(x.Info().Type.Axes) == 0 {
			return true
		}
		switch x := x.(type) {
		case *model.Ref:
			p, ragged := f.pairs[x.Array]
			if !ragged || of != nil && of != p.Ragged || len(x.Array.Type.Axes) != 1 {
				return false
			}
			of = p.Ragged
			return true
		case *model.Apply, *model.Cond:
			return !slices.ContainsFunc(x.Children(), func(y model.Expr) bool { return !visit(y) })
		}
		return false
	}
	return visit(x)
}

// setAxes gives an expression that flat accepts its axes.
func (f *flattener) setAxes(x model.Expr) {
	if len(x.Info().Type.Axes) == 0 {
		return
	}
	if ref, ok := x.(*model.Ref); ok {
		ref.Type.Axes = ref.Array.Type.Axes
		return
	}
	for _, y := range x.Children() {
		f.setAxes(y)
		if axes := y.Info().Type.Axes; len(axes) > 0 {
			x.Info().Type.Axes = axes
		}
	}
}

// byIndex reads elementwise arithmetic of groups x[i] at an index j over the group, which the first of them gives.
func (f *flattener) byIndex(x model.Expr, j **model.Index) bool {
	if len(x.Info().Type.Axes) == 0 {
		return true
	}
	switch x := x.(type) {
	case *model.Subscript:
		ref, ok := x.X.(*model.Ref)
		if !ok {
			return false
		}
		p, ragged := f.pairs[ref.Array]
		if !ragged || p.outer != 0 || p.inner != 1 || x.Subs[0].At == nil || len(x.Subs[0].At.Info().Type.Axes) > 0 {
			return false
		}
		f.readGroup(x, p, j)
	case *model.Apply, *model.Cond:
		if slices.ContainsFunc(x.Children(), func(y model.Expr) bool { return !f.byIndex(y, j) }) {
			return false
		}
	default:
		return false
	}
	x.Info().Type.Axes = nil
	return true
}

// readGroup adds the subscript j to x[i].
func (f *flattener) readGroup(x *model.Subscript, p pair, j **model.Index) {
	if *j == nil {
		set := (*model.Set)(nil)
		if len(x.Subs) > 1 {
			set = x.Subs[1].Range
		}
		if set == nil {
			set = model.NewSet(p.Inner.Name, read(p.Low, x.Subs[0].At), read(p.High, x.Subs[0].At))
		}
		*j = f.newIndex("", set)
	}
	x.Subs = append(x.Subs[:1:1], model.Sub{At: indexVar(*j, x.At)})
}
