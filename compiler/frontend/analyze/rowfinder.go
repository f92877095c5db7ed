package analyze

import (
	"fmt"
	"maps"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A rowFinder follows terms and the expressions that they read, binds indices to the coordinates of a row set, and
// records why a coordinate is invalid, that is, cannot be part of the row set.
type rowFinder struct {
	set     *model.RowSet
	term    *model.Term             // the term being followed
	broken  map[int]*model.Coupling // maps an invalid coordinate to the reason
	visited map[model.Expr][]int    // maps an expression to the coordinates at which its axes are read
	statics []static                // static expressions that were found but not followed
	deep    bool                    // whether static expressions are followed
	undo    []func()                // undoes the changes since the beginning of try; run last to first
}

func newRowFinder(p *component, plates []*model.Index, of *model.Term) *rowFinder {
	s := &model.RowSet{Of: of, Terms: map[*model.Term]bool{}, Index: map[*model.Index]int{},
		Arrays: map[*model.Array][]int{}, Along: map[model.Expr][]int{}}
	for _, i := range plates {
		s.Axes = append(s.Axes, i.Set)
	}
	return &rowFinder{set: s, broken: map[int]*model.Coupling{}, visited: map[model.Expr][]int{}}
}

// try calls follow, which follows more terms or expressions, and reports whether all coordinates remain valid. If not,
// it restores the finder. Restoring is cheaper than working on a copy: a model may have thousands of statements to try.
func (f *rowFinder) try(follow func()) bool {
	term, statics := f.term, len(f.statics)
	f.undo = f.undo[:0]
	follow()
	if len(f.broken) == 0 {
		return true
	}
	for _, takeBack := range slices.Backward(f.undo) {
		takeBack()
	}
	f.term, f.statics = term, f.statics[:statics]
	clear(f.broken)
	return false
}

// enter sets an entry of one of the finder's maps, and records how try restores the old entry.
func enter[K comparable, V any](f *rowFinder, m map[K]V, key K, value V) {
	old, there := m[key]
	f.undo = append(f.undo, func() {
		delete(m, key)
		if there {
			m[key] = old
		}
	})
	m[key] = value
}

// deepened returns a finder for the same rows that also follows static expressions.
func (f *rowFinder) deepened() *rowFinder {
	s := *f.set
	s.Terms, s.Index, s.Arrays, s.Along = maps.Clone(s.Terms), maps.Clone(s.Index), maps.Clone(s.Arrays),
		maps.Clone(s.Along)
	return &rowFinder{set: &s, term: f.term, broken: map[int]*model.Coupling{}, visited: f.visited, deep: true}
}

// breaks records why a coordinate is invalid. It ignores all reasons but the first, because the others may follow from
// it.
func (f *rowFinder) breaks(coord int, code diag.Code, at source.Span, format string, args ...any) {
	w := model.Coupling{Code: code, At: at, Text: fmt.Sprintf(format, args...), Of: f.term}
	for _, v := range f.broken {
		if *v != w {
			return
		}
	}
	f.broken[coord] = &w
}

func (f *rowFinder) breakAll(code diag.Code, at source.Span, format string, args ...any) {
	for coord := range f.set.Axes {
		f.breaks(coord, code, at, format, args...)
	}
}

// breakAmong records why the coordinates in a list are invalid; it ignores negative entries.
func (f *rowFinder) breakAmong(at []int, where source.Span, format string, args ...any) {
	for _, coord := range at {
		if coord >= 0 {
			f.breaks(coord, diag.ReadsAllRows, where, format, args...)
		}
	}
}

// breakProportional records why the coordinates are invalid whose number of rows determines the size of set s.
func (f *rowFinder) breakProportional(s *model.Set, code diag.Code, at source.Span, text func() string) {
	for coord, axis := range f.set.Axes {
		if growTogether(s, axis) {
			f.breaks(coord, code, at, "%s", text())
		}
	}
}

// growTogether reports whether two sets are equal, or their upper bounds depend on data and differ by a constant.
func growTogether(s, t *model.Set) bool {
	if s.Same(t) {
		return true
	}
	a, b := model.AffineOf(s.Hi), model.AffineOf(t.Hi)
	return !a.IsConst() && !b.IsConst() && a.Minus(b).IsConst()
}

// bind records that an index has the value of a coordinate. The coordinate becomes invalid if the index already has the
// value of another.
func (f *rowFinder) bind(i *model.Index, coord int) {
	if old, ok := f.set.Index[i]; ok && old != coord {
		f.breaks(coord, diag.ReadsAllRows, f.term.At, "index `%s` runs along two axes of a row of `%s`", i.Name,
			f.term.Array.Name)
	}
	enter(f, f.set.Index, i, coord)
}

// coordinate returns the coordinate to which an expression is bound if it is an index, otherwise −1.
func (f *rowFinder) coordinate(x model.Expr) int {
	if v, ok := x.(*model.IndexVar); ok {
		if coord, ok := f.set.Index[v.Index]; ok {
			return coord
		}
	}
	return -1
}

// pad returns a copy of a list of coordinates with length n, cut or extended with −1.
func pad(at []int, n int) []int {
	out := slices.Clone(at)
	for len(out) < n {
		out = append(out, -1)
	}
	return out[:n]
}

func none(at []int) bool { return !slices.ContainsFunc(at, func(c int) bool { return c >= 0 }) }
