package analyze

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Cycles reports an error for the first arrays that it finds to be drawn from each other at the same index: the product
// of a ~ Normal(b, 1) and b ~ Normal(a, 1) is not a joint density. It returns these arrays, so that the other analyses
// can skip them, or nil. Reads at another index (h[t-1], x[parent[n]], h[1], an index whose range depends on another)
// are assumed to be of earlier elements; Orders checks them. Density is exempt, because its expression is added to the
// log density as written.
func Cycles(m *model.Model, diags *diag.List) []*model.Array {
	f := cycleFinder{terms: map[*model.Array][]*model.Term{}, seen: map[*model.Array]bool{},
		done: map[*model.Array]bool{}}
	for _, t := range m.Terms {
		if t.Kind != model.Likelihood && t.Density == nil {
			f.terms[t.Array] = append(f.terms[t.Array], t)
		}
	}
	for _, t := range m.Terms {
		if cycle := f.from(t.Array); cycle != nil {
			drawnFromEachOther(diags, cycle)
			return cycle
		}
	}
	return nil
}

func drawnFromEachOther(diags *diag.List, cycle []*model.Array) {
	a := cycle[0]
	if len(cycle) == 1 {
		diags.Errorf(diag.Circular, a.At, "`%s` is drawn from itself",
			a.Name).Help("a distribution's arguments may use its own variable only at earlier indices, such as " +
			"`t - 1`; use `Density` for an arbitrary log density")
		return
	}
	path := ""
	for _, b := range cycle {
		path += b.Name + " → "
	}
	d := diags.Errorf(diag.Circular, a.At, "these are drawn from each other: %s%s", path, a.Name)
	for _, b := range cycle[1:] {
		d.Related(b.At, "`%s`", b.Name)
	}
	d.Help("draw one of them without reading the others, or write their joint log density with `Density`")
}

// A cycleFinder searches depth first for a cycle of arrays in which the distribution of each array reads the next.
type cycleFinder struct {
	terms map[*model.Array][]*model.Term
	open  []*model.Array // arrays on the current path of the search
	seen  map[*model.Array]bool
	done  map[*model.Array]bool // completely searched: seen and not in open
}

// from returns a cycle that can be reached from a, or nil if there is none.
func (f *cycleFinder) from(a *model.Array) []*model.Array {
	switch {
	case f.done[a]:
		return nil
	case f.seen[a]:
		return slices.Clone(f.open[slices.Index(f.open, a):])
	}
	f.seen[a] = true
	f.open = append(f.open, a)
	defer func() { f.open = f.open[:len(f.open)-1]; f.done[a] = true }()
	for _, t := range f.terms[a] {
		for _, b := range f.reads(t) {
			if cycle := f.from(b); cycle != nil {
				return cycle
			}
		}
	}
	return nil
}

// reads returns the arrays with a distribution that a term reads at the same index, directly or through definitions.
func (f *cycleFinder) reads(t *model.Term) (found []*model.Array) {
	seen := map[*model.Array]bool{}
	var visit func(e model.Expr)
	visit = func(e model.Expr) {
		switch e := e.(type) {
		case *model.Subscript:
			if atOtherIndex(e) {
				return
			}
		case *model.Ref:
			if seen[e.Array] {
				return
			}
			seen[e.Array] = true
			if f.terms[e.Array] != nil {
				found = append(found, e.Array)
			}
			for _, p := range e.Array.Pieces {
				if p.Value != nil {
					visit(p.Value)
				}
			}
		}
		for _, x := range e.Children() {
			visit(x)
		}
	}
	for _, e := range t.Exprs() {
		visit(e)
	}
	return found
}

// atOtherIndex reports whether a subscript contains anything other than entire axes and indices over sets that are not
// ragged.
func atOtherIndex(s *model.Subscript) bool {
	for _, sub := range s.Subs {
		v, plain := sub.At.(*model.IndexVar)
		if sub.Range != nil || sub.At != nil && (!plain || len(v.Index.Set.Ragged) > 0) {
			return true
		}
	}
	return false
}
