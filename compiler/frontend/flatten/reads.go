package flatten

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// rewrite returns an expression with reads of ragged arrays replaced by reads of flat ones. It changes expressions in
// place, each once; s is the statement that contains x.
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
		if len(x.Over) == 0 && f.readsGroups(x.X) && !f.whole(x) {
			f.refuseWhole(x)
			return x
		}
	case *model.Subscript:
		if y := f.ofGroup(x); y != nil {
			return f.rewrite(y, s)
		}
		if ref, ok := x.X.(*model.Ref); ok {
			if p, ragged := f.pairs[ref.Array]; ragged {
				f.element(x, ref, p, s)
				return x
			}
		}
	case *model.MatMul:
		if y := f.product(x); y != nil {
			return f.rewrite(y, s)
		}
	case *model.Ref:
		f.ref(x, s)
		return x
	}
	model.Replace(x, func(y model.Expr) model.Expr { return f.rewrite(y, s) })
	return x
}

// ref handles a read of an entire array. It reports an error if the array is ragged, unless the read is inside a
// reduction, whose operand has its flat axes. It rewrites definitions in the body of a function with the statement that
// calls the function.
func (f *flattener) ref(x *model.Ref, s statement) {
	if _, ragged := f.pairs[x.Array]; ragged {
		if !slices.ContainsFunc(x.Type.Axes, isRagged) { // inside a reduction
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
	f.diags.Errorf(diag.NotCompiled, x.Info().At, "not supported by this version of ppl yet: the use of an "+
		"entire ragged array here").
		Help("use its elements by an index: `x[i, j]` with `j in 1..m[i]`, as in `sum(j in 1..m[i]: …)`")
}

// ofGroup returns an expression for one element of an expression of a group, such as (x[i] - mean(x[i]))[j], that does
// not compute the other elements. It returns nil for other expressions.
func (f *flattener) ofGroup(x *model.Subscript) model.Expr {
	axes := x.X.Info().Type.Axes
	if _, array := x.X.(*model.Ref); array || len(x.Subs) != len(axes) || !slices.ContainsFunc(axes, isRagged) {
		return nil
	}
	var places []model.Expr
	for _, s := range x.Subs {
		if s.At == nil || len(s.At.Info().Type.Axes) > 0 {
			return nil
		}
		places = append(places, s.At)
	}
	if y, ok := f.at(model.Copy(x.X), places); ok {
		return y
	}
	return nil
}

// element replaces the two subscripts of a ragged array by the number of the element, and records the condition under
// which the element exists if the statement does not guarantee it.
func (f *flattener) element(x *model.Subscript, ref *model.Ref, p pair, s statement) {
	if f.group(x, ref, p, s) {
		return
	}
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

// group replaces x[g], a group g whose bounds do not depend on an index, by a gather of its elements. It returns false
// for other reads.
func (f *flattener) group(x *model.Subscript, ref *model.Ref, p pair, s statement) bool {
	if p.outer != 0 || p.inner != 1 || len(x.Subs) == 0 || x.Subs[0].At == nil || len(x.Type.Axes) == 0 ||
		len(x.Subs) > 1 && (x.Subs[1].At != nil || x.Subs[1].Range != nil) || len(x.Subs[0].At.Info().Type.Axes) > 0 ||
		isRagged(x.Type.Axes[0]) {
		return false
	}
	j := f.newIndex("", x.Type.Axes[0])
	group := f.rewrite(x.Subs[0].At, s)
	number := plus(read(p.Before, group), model.IndexValue(j, x.At))
	built := &model.Build{Over: []*model.Index{j}, Body: number, Fact: *number.Info()}
	built.Type.Axes = []*model.Set{j.Set}
	x.Subs = append([]model.Sub{{At: built}}, x.Subs[min(len(x.Subs), 2):]...)
	ref.Type.Axes = ref.Array.Type.Axes
	return true
}

// shifted returns the number p + c of element (i, j + c) if p is the number of element (i, j) of the statement. It
// returns false for other subscripts.
func (s statement) shifted(group, place model.Expr, p pair) (model.Expr, bool) {
	i, plain := group.(*model.IndexVar)
	if s.Ragged != p.Ragged || s.inner == nil || !plain || i.Index != s.outer {
		return nil, false
	}
	gap := model.Offset(place, s.inner)
	if !gap.IsConst() {
		return nil, false
	}
	number := model.IndexValue(s.number, place.Info().At)
	if gap.Const == 0 {
		return number, true
	}
	return plus(number, num(gap.Const, place.Info().At)), true
}

// readsGroups reports whether an expression has a ragged axis, or reads a range of the elements of a ragged array.
func (f *flattener) readsGroups(x model.Expr) (found bool) {
	if slices.ContainsFunc(x.Info().Type.Axes, isRagged) {
		return true
	}
	model.Walk(x, func(y model.Expr) {
		if sub, ok := y.(*model.Subscript); ok && len(sub.Type.Axes) > 0 {
			ref, ok := sub.X.(*model.Ref)
			_, ragged := f.pairs[arrayOf(ref)]
			part := slices.ContainsFunc(sub.Subs, func(s model.Sub) bool { return s.Range != nil })
			found = found || ok && ragged && part
		}
	})
	return found
}

func arrayOf(ref *model.Ref) *model.Array {
	if ref == nil {
		return nil
	}
	return ref.Array
}

// whole rewrites a reduction without an index of ragged arrays: over all elements, or over one group with an index. It
// returns false for expressions that it cannot rewrite.
func (f *flattener) whole(x *model.Reduce) bool {
	if f.flat(x.X) {
		f.setAxes(x.X)
		return true
	}
	var over []*model.Index
	var places []model.Expr
	for _, set := range x.X.Info().Type.Axes {
		over = append(over, f.newIndex("", set))
		places = append(places, model.IndexValue(over[len(over)-1], x.At))
	}
	y, ok := f.at(model.Copy(x.X), places)
	if ok {
		x.X, x.Over = y, over
	}
	return ok
}

// flat reports whether an expression is elementwise arithmetic of scalars and entire ragged arrays with the same
// numbering.
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

// setAxes gives an expression accepted by flat its flat axes.
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

// at returns one element of an expression of groups x[i] and arrays; places has a subscript for each axis. It changes
// x. It returns false for expressions that it does not support.
func (f *flattener) at(x model.Expr, places []model.Expr) (model.Expr, bool) {
	axes := x.Info().Type.Axes
	if len(axes) == 0 {
		return x, true
	}
	if len(axes) != len(places) {
		return nil, false
	}
	switch y := x.(type) {
	case *model.Subscript:
		return f.elementAt(y, places)
	case *model.Ref:
		_, ragged := f.pairs[y.Array]
		return subscripted(y, places), !ragged
	case *model.Build:
		return f.builtAt(y, places)
	case *model.Vector:
		return f.scannedAt(y, places[0], len(places) == 1)
	case *model.Apply, *model.Cond, *model.LogProb:
		if density, ok := x.(*model.LogProb); ok && density.OfVectors() {
			return nil, false
		}
		return f.eachAt(x, places)
	}
	return nil, false
}

// eachAt returns an element of an elementwise operation.
func (f *flattener) eachAt(x model.Expr, places []model.Expr) (model.Expr, bool) {
	ok := true
	model.Replace(x, func(y model.Expr) model.Expr {
		z, fits := f.at(y, places)
		if ok = ok && fits; ok {
			return z
		}
		return y
	})
	x.Info().Type.Axes = nil
	return x, ok
}

// builtAt returns an element of a comprehension such as [j in 1..m[i]: …].
func (f *flattener) builtAt(x *model.Build, places []model.Expr) (model.Expr, bool) {
	n := len(x.Over)
	body, ok := f.at(x.Body, places[n:])
	for k, i := range x.Over {
		body = model.Put(body, i, places[k])
	}
	return body, ok
}

// scannedAt returns an element of cumsum, softmax or log_softmax of a group; false for other functions.
func (f *flattener) scannedAt(x *model.Vector, place model.Expr, vector bool) (model.Expr, bool) {
	if !vector || stdlib.Scans()[x.Name] == nil {
		return nil, false
	}
	set := x.Type.Axes[0]
	if x.Name == "cumsum" {
		return f.folded("sum", model.NewSet(set.Name, set.Lo, model.Copy(place)), x.X)
	}
	here, ok := f.at(model.Copy(x.X), []model.Expr{place})
	all, fits := f.folded("logsumexp", set, x.X)
	if !ok || !fits {
		return nil, false
	}
	log := &model.Apply{Name: "-", Args: []model.Expr{here, all}, Fact: x.Fact,
		Build: func(a []stdlib.Node) stdlib.Node { return autodiff.Sub(a[0], a[1]) }}
	log.Type.Axes = nil
	if x.Name == "log_softmax" {
		return log, true
	}
	log.Type.Range = stdlib.Scans()["log_softmax"].Range(x.Type.Range, -1)
	out := &model.Apply{Name: "exp", Args: []model.Expr{log}, Fact: x.Fact,
		Build: func(a []stdlib.Node) stdlib.Node { return autodiff.Exp(a[0]) }}
	out.Type.Axes = nil
	return out, true
}

// folded returns the named reduction of a vector x over a set, with an index.
func (f *flattener) folded(name string, set *model.Set, x model.Expr) (model.Expr, bool) {
	k := f.newIndex("", set)
	y, ok := f.at(model.Copy(x), []model.Expr{model.IndexValue(k, x.Info().At)})
	out := &model.Reduce{Row: stdlib.Reductions()[name], X: y, Over: []*model.Index{k}, Fact: *x.Info()}
	out.Type.Axes = nil
	out.Type.Range = out.Row.Range(x.Info().Type.Range, -1)
	return out, ok
}

// product returns x[i] @ w[i] as a sum of products, or nil for other products.
func (f *flattener) product(x *model.MatMul) model.Expr {
	axes := x.X.Info().Type.Axes
	if len(axes) != 1 || !isRagged(axes[0]) || len(x.Y.Info().Type.Axes) != 1 {
		return nil
	}
	each := &model.Apply{Name: "*", Args: []model.Expr{x.X, x.Y}, Fact: x.Fact,
		Build: func(a []stdlib.Node) stdlib.Node { return autodiff.Mul(a[0], a[1]) }}
	each.Type.Axes = axes
	each.Type.Range = stdlib.RangeOf("*", x.X.Info().Type.Range, x.Y.Info().Type.Range)
	if sum, ok := f.folded("sum", axes[0], each); ok {
		return sum
	}
	return nil
}

// elementAt returns an element of a subscripted array, such as a group or a range of a group.
func (f *flattener) elementAt(x *model.Subscript, places []model.Expr) (model.Expr, bool) {
	if _, array := x.X.(*model.Ref); !array {
		return nil, false
	}
	for k, s := range x.Subs {
		if s.At != nil && len(s.At.Info().Type.Axes) > 0 {
			return nil, false // a gather
		}
		if s.At == nil {
			x.Subs[k], places = model.Sub{At: model.Copy(places[0])}, places[1:]
		}
	}
	y := subscripted(x.X, places).(*model.Subscript)
	y.Subs, y.Fact = append(x.Subs, y.Subs...), x.Fact
	y.Type.Axes = nil
	return y, true
}

// subscripted returns x with copies of the given subscripts, which must be one for each axis.
func subscripted(x model.Expr, places []model.Expr) model.Expr {
	out := &model.Subscript{X: x, Fact: *x.Info()}
	out.Type.Axes = nil
	for _, p := range places {
		out.Subs = append(out.Subs, model.Sub{At: model.Copy(p)})
	}
	return out
}
