// Package flatten replaces ragged arrays by flat ones. A ragged array has a pair of axes in which the bounds of the
// second depend on the index of the first. Its elements are numbered along one axis, group by group (model.Ragged).
// With m = 1, 3, 2,
//
//	x[i in I, j in 1..m[i]] = b[i] * j        x[p in 1..6] = b[Group[p]] * Place[p]
//	y[i in I] ~ Normal(sum(x[i]), 1)          sum(j in 1..m[i]: x[Before[i] + j])
//	z[i in I, 1] = 1                          z[p] = Place[p] == 1 ? 1 : z[p - 1] / 2
//	z[i in I, j in 2..m[i]] = z[i, j-1] / 2
//
// Here Group, Place and Before are data that package bind fills. In later stages the size of each axis does not depend
// on an index. A subscript that replaces two records the condition under which the element exists
// (model.Subscript.Inside), because a position outside its group is the position of an element of another group.
package flatten

import (
	"fmt"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// Arrays flattens the ragged arrays of a model, and their uses in further expressions. It reports errors for uses that
// are not supported. newIndex creates index variables.
func Arrays(m *model.Model, diags *diag.List, newIndex func(name string, set *model.Set) *model.Index,
	further ...model.Expr) {
	f := &flattener{m: m, diags: diags, newIndex: newIndex, ragged: map[string]*model.Ragged{},
		pairs: map[*model.Array]pair{}, done: map[model.Expr]model.Expr{}, entered: map[*model.Array]bool{}}
	arrays := reachable(m)
	for _, a := range arrays {
		f.find(a)
	}
	if len(f.pairs) == 0 || diags.HasErrors() {
		return
	}
	for _, a := range arrays {
		if pair, ok := f.pairs[a]; ok {
			f.flattenType(a, pair)
		}
	}
	for _, a := range arrays {
		if pair, ok := f.pairs[a]; ok && len(a.Pieces) > 0 {
			f.statements(a, pair)
		}
	}
	for _, t := range m.Terms {
		if pair, ok := f.pairs[t.Array]; ok && t.Piece == nil {
			f.observation(t, pair)
		}
	}
	f.otherUses(arrays)
	for k, x := range further {
		if ref, whole := x.(*model.Ref); whole { // all its elements
			ref.Type = ref.Array.Type
			continue
		}
		further[k] = f.rewrite(x, statement{})
	}
}

type flattener struct {
	m        *model.Model
	diags    *diag.List
	newIndex func(name string, set *model.Set) *model.Index
	ragged   map[string]*model.Ragged  // numberings by the form of their ranges
	pairs    map[*model.Array]pair     // the ragged arrays
	done     map[model.Expr]model.Expr // maps an expression to its replacement
	entered  map[*model.Array]bool     // definitions inside functions that were visited
}

// A pair is a numbering, and the two axes of the original array that it replaces.
type pair struct {
	*model.Ragged
	outer, inner int
}

// reachable returns the arrays of a model, including those in the bodies of functions.
func reachable(m *model.Model) (all []*model.Array) {
	seen := map[*model.Array]bool{}
	var collect func(as []*model.Array)
	collect = func(as []*model.Array) {
		for _, a := range as {
			if seen[a] {
				continue
			}
			seen[a] = true
			all = append(all, a)
			collect(model.Arrays(a.Exprs()...))
		}
	}
	collect(m.Arrays)
	for _, t := range m.Terms {
		collect(append(model.Arrays(t.Exprs()...), t.Array))
		collect(model.Arrays(t.Value))
	}
	return all
}

// find records the ragged pair of axes of an array, if it has one, in pairs. It reports an error for several pairs.
func (f *flattener) find(a *model.Array) {
	inner := slices.IndexFunc(a.Type.Axes, isRagged)
	if inner < 0 {
		return
	}
	set := a.Type.Axes[inner]
	outer := slices.IndexFunc(a.Type.Axes, func(s *model.Set) bool { return s == set.Ragged[0].Set })
	for _, p := range a.Pieces {
		for k, s := range p.Slots {
			if s.Index == set.Ragged[0] {
				outer = k
			}
		}
	}
	others := slices.ContainsFunc(set.Ragged, func(i *model.Index) bool { return i != set.Ragged[0] })
	if outer < 0 && a.Role == model.Definition && !a.Save { // in the body of a function: it has one group at a time
		return
	}
	switch {
	case outer < 0:
		f.refuse(a.At, "`"+a.Name+"`, because it has no axis for the index on which its axis "+set.Name+" depends", a)
		return
	case others:
		f.refuse(a.At, "`"+a.Name+"`, because its axis "+set.Name+" depends on more than one index", a)
		return
	case slices.ContainsFunc(a.Type.Axes[inner+1:], isRagged):
		f.refuse(a.At, "`"+a.Name+"`, with more than one axis whose end depends on an index", a)
		return
	}
	f.pairs[a] = pair{f.numbering(set.Ragged[0], set, a.At), outer, inner}
}

func isRagged(s *model.Set) bool { return len(s.Ragged) > 0 }

func (f *flattener) refuse(at source.Span, what string, a *model.Array) {
	f.refused(at, what, "number the elements along one axis, and declare the group of each element as data: "+
		"`data group[N]: index(J)`, then define `"+a.Name+"[n in N]` with `group[n]`")
}

func (f *flattener) refused(at source.Span, what, help string) {
	f.diags.Errorf(diag.NotCompiled, at, "not supported by this version of ppl yet: %s", what).Help("%s", help)
}

// refuseTerm reports an error for a distribution of one vector for each group.
func (f *flattener) refuseTerm(t *model.Term) {
	name, help := t.Dist.Name, "write its log density: `y[i in I] ~ Density(…)`"
	switch name {
	case "Categorical":
		help = "write its log density, where `eta` has the log weights: " +
			"`y[i in I] ~ Density(eta[i, y[i]] - logsumexp(eta[i]))`"
	case "Dirichlet":
		help = "divide gamma variables by their sum: `g[i in I, j in 1..m[i]] ~ Gamma(1, 1)`, then " +
			"`p[i in I, j in 1..m[i]] = g[i, j] / sum(g[i])`"
	case "MvNormal":
		help = "number the elements along one axis, `group[N]: index(I)`, and write one `MvNormal` for all elements, " +
			"whose covariance is 0 if `group[n] != group[k]`"
	}
	f.refused(t.At, "`"+name+"` of vectors whose lengths differ by group", help)
}

// flattenType replaces the pair of axes of an array by the flat axis, and records the numbering in the array.
func (f *flattener) flattenType(a *model.Array, p pair) {
	a.Ragged = p.Ragged
	a.Type.Axes = p.axes(a.Type.Axes)
}

// axes returns the axes of a ragged array with the pair replaced by the flat axis.
func (p pair) axes(axes []*model.Set) []*model.Set {
	out := slices.Clone(axes)
	out[p.outer] = p.Flat
	return slices.Delete(out, p.inner, p.inner+1)
}

// otherUses rewrites the uses of ragged arrays in all statements that have not been rewritten.
func (f *flattener) otherUses(arrays []*model.Array) {
	for _, a := range arrays {
		for _, p := range a.Pieces {
			f.piece(p, statement{})
		}
		a.Value, a.MissingCode = f.rewrite(a.Value, statement{}), f.rewrite(a.MissingCode, statement{})
		f.bounds(a.Bounds, statement{})
	}
	for _, t := range f.m.Terms {
		f.term(t, statement{})
	}
	for _, s := range f.m.Systems {
		s.T0 = f.rewrite(s.T0, statement{})
		for _, state := range s.States {
			state.Replace(func(x model.Expr) model.Expr { return f.rewrite(x, statement{}) })
		}
	}
}

// piece rewrites the expressions of a piece.
func (f *flattener) piece(p *model.Piece, s statement) {
	p.Value = f.rewrite(p.Value, s)
	for k := range p.Slots {
		p.Slots[k].At = f.rewrite(p.Slots[k].At, s)
	}
}

// term rewrites the expressions of a term.
func (f *flattener) term(t *model.Term, s statement) {
	for k, x := range t.Args {
		if t.Dist != nil && slices.ContainsFunc(x.Info().Type.Axes, isRagged) {
			f.done[x] = x
			if f.flat(x) { // for example x ~ Normal(b * w, s) with entire arrays
				f.setAxes(x)
			} else {
				f.refuseTerm(t)
			}
			continue
		}
		t.Args[k] = f.rewrite(x, s)
	}
	t.Density, t.Value, t.Offset = f.rewrite(t.Density, s), f.rewrite(t.Value, s), f.rewrite(t.Offset, s)
	f.bounds(t.In, s)
	f.bounds(t.Censored, s)
	t.UpTo, t.Rounded, t.Weight = f.rewrite(t.UpTo, s), f.rewrite(t.Rounded, s), f.rewrite(t.Weight, s)
}

func (f *flattener) bounds(b *model.Bounds, s statement) {
	if b != nil {
		b.Lo, b.Hi = f.rewrite(b.Lo, s), f.rewrite(b.Hi, s)
	}
}

// nameOf returns the name of the flat axis: I.m for 1..m[i] with i in I.
func nameOf(i *model.Index, s *model.Set) string {
	if m := lengths(i, s); m != nil {
		return i.Set.Name + "." + m.Name
	}
	return fmt.Sprintf("%s.%s", i.Set.Name, s.Name)
}
