package symmetry

import (
	"slices"
	"strings"

	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// A place describes the coordinates of a parameter, in the order of its elements. The elements of a simplex have
// additional coordinates after the end of theta.
type place struct {
	region *density.Region
	sets   []*model.Set
	shape  []int
	first  int
}

// size returns the number of elements.
func (p *place) size() int { return evaluate.Product(p.shape) }

// real reports whether coordinates are values, or relative to location and scale.
func (p *place) real() bool { return p.region.Transform.Kind == types.RealLine }

// placesOf returns the parameters that have one coordinate for each element, and the simplices, which get additional
// coordinates.
func placesOf(e *evaluate.Evaluator, l *density.Layout) (places []place, simplices []types.SimplexPart) {
	logs := l.Dim
	for _, r := range l.Regions {
		t := r.Term
		simplex := r.Transform.Kind == types.Simplex
		if len(t.Array.Pieces) > 1 || len(r.Piece.Slots) > len(r.Plates) || !simplex && !elementwise(r) {
			continue
		}
		p := place{region: r, first: r.Offset, shape: e.Shape(r.Plates, t.Event)}
		for _, i := range r.Plates {
			p.sets = append(p.sets, i.Set)
		}
		p.sets = append(p.sets, t.Event...)
		if simplex && p.size() > 0 {
			p.first = logs
			last := p.shape[len(p.shape)-1]
			for i := range p.size() / last {
				simplices = append(simplices, types.SimplexPart{First: r.Offset + i*(last-1), K: last,
					Logs: logs + i*last})
			}
			logs += p.size()
		}
		places = append(places, p)
	}
	return places, simplices
}

// elementwise reports whether each element has a separate coordinate.
func elementwise(r *density.Region) bool {
	return r.Transform.Kind == types.RealLine || r.Transform.Kind == types.Interval
}

// along returns the parameter as a member of a family, with labels along its axis over one of the sets that `alike`
// selects; ok is false if it has no such axis, or several.
func (p *place) along(alike func(*model.Set) bool, labels int) (member, bool) {
	axis := slices.IndexFunc(p.sets, alike)
	if axis < 0 || slices.ContainsFunc(p.sets[axis+1:], alike) {
		return member{}, false
	}
	m := member{name: p.region.Term.Array.Name, real: p.real(), at: make([][]int, labels)}
	inner := evaluate.Product(p.shape[axis+1:])
	for i := range p.size() {
		label := i / inner % labels
		m.at[label] = append(m.at[label], p.first+i)
	}
	return m, true
}

// oneLabel returns the entire parameter as a member with one label.
func (p *place) oneLabel() member {
	m := member{name: p.region.Term.Array.Name, real: p.real(), at: [][]int{nil}}
	for i := range p.size() {
		m.at[0] = append(m.at[0], p.first+i)
	}
	return m
}

// familiesOf returns the candidates: parameters along each index set of few elements; parameters along two sets with
// the same elements, such as 1..2 and the axis that fill(1, 2) creates; and parameters whose names differ only in the
// digits at their end.
func familiesOf(e *evaluate.Evaluator, places []place) (all []family) {
	var scalars []member
	for _, p := range places {
		if p.size() == 1 && p.region.Transform.Kind == types.Interval {
			scalars = append(scalars, p.oneLabel())
		}
	}
	sets := setsOf(e, places)
	for _, s := range sets {
		all = append(all, familyAlong(places, e.Box(s).Size(), scalars, s))
	}
	for i, s := range sets {
		for _, t := range sets[:i] {
			if e.Box(s) == e.Box(t) {
				all = append(all, familyAlong(places, e.Box(s).Size(), scalars, s, t))
			}
		}
	}
	return append(all, numbered(places, scalars)...)
}

// setsOf returns the sets of few elements that are axes of parameters, without duplicates.
func setsOf(e *evaluate.Evaluator, places []place) (sets []*model.Set) {
	for _, p := range places {
		for _, s := range p.sets {
			if n := e.Box(s).Size(); n >= 2 && n <= mostLabels && !slices.ContainsFunc(sets, s.Same) {
				sets = append(sets, s)
			}
		}
	}
	return sets
}

// familyAlong returns the family of the parameters along one of some sets.
func familyAlong(places []place, labels int, scalars []member, sets ...*model.Set) family {
	f := family{labels: labels, scalars: scalars}
	for _, p := range places {
		if m, ok := p.along(func(s *model.Set) bool { return slices.ContainsFunc(sets, s.Same) }, labels); ok {
			f.members = append(f.members, m)
		}
	}
	return f
}

// numbered returns the families of parameters such as m1, m2, s1, s2.
func numbered(places []place, scalars []member) (all []family) {
	labelsOf, by := map[string][]string{}, map[string]*place{}
	var stems []string
	for i := range places {
		name := places[i].region.Term.Array.Name
		stem := strings.TrimRight(name, "0123456789")
		if stem == name {
			continue
		}
		if labelsOf[stem] == nil {
			stems = append(stems, stem)
		}
		labelsOf[stem], by[name] = append(labelsOf[stem], name[len(stem):]), &places[i]
	}
	for k, stem := range stems {
		labels := labelsOf[stem]
		alike := func(other string) bool { return slices.Equal(labelsOf[other], labels) }
		if len(labels) < 2 || len(labels) > mostLabels || slices.ContainsFunc(stems[:k], alike) {
			continue
		}
		f := family{labels: len(labels), scalars: scalars}
		for _, other := range stems {
			if !alike(other) {
				continue
			}
			if m, ok := numberedMember(other, labels, by); ok {
				f.members = append(f.members, m)
			}
		}
		all = append(all, f)
	}
	return all
}

// numberedMember combines the parameters with the same stem into a member; ok is false if they differ in kind or size.
func numberedMember(stem string, labels []string, by map[string]*place) (m member, ok bool) {
	m.real = true
	var names []string
	for _, label := range labels {
		p, one := by[stem+label], by[stem+labels[0]]
		if p.size() != one.size() || p.region.Transform.Kind != one.region.Transform.Kind {
			return m, false
		}
		m.real, m.at = m.real && p.real(), append(m.at, p.oneLabel().at[0])
		names = append(names, p.region.Term.Array.Name)
	}
	m.name = strings.Join(names, ", ")
	return m, true
}

// mirrorOf returns the coordinates of arrays that may change sign together; ok is false if the elements of an array
// have no separate coordinates.
func mirrorOf(l *density.Layout, arrays []*model.Array) (names []string, at []int, ok bool) {
	for _, a := range arrays {
		names = append(names, a.Name)
	}
	for _, r := range l.Regions {
		if !slices.Contains(arrays, r.Term.Array) {
			continue
		}
		if !elementwise(r) {
			return names, nil, false
		}
		for i := range r.Size {
			at = append(at, r.Offset+i)
		}
	}
	return names, at, len(at) > 0
}
