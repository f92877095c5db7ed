package modelgen

import (
	"fmt"
	"strconv"
	"strings"
)

// givens writes data: covariates of each shape, indices for gathers, and sometimes a definition that reads them.
func (w *writer) givens() {
	n, t, j, k := w.set("N"), w.set("T"), w.set("J"), w.set("K")
	w.data(real, n)
	w.data(positive, t)
	w.data(real, n, k)
	w.indices(j, n)
	w.indices(k, pick(w, []*set{n, t}))
	if w.chance(2) {
		w.data(real, pick(w, w.sets), pick(w, []*set{j, n}))
	}
	if w.chance(2) {
		w.data(unit, pick(w, w.sets))
	}
	if w.chance(2) {
		w.definition(true)
	}
	w.parameter()
}

// data declares a data array.
func (w *writer) data(k kind, axes ...*set) array {
	a := array{name: w.name("x"), axes: axes, kind: k, static: true}
	w.say("data %s%s = %s", a.name, brackets(axes), w.literal(axes, func() string { return w.number(k) }))
	w.arrays = append(w.arrays, a)
	return a
}

// indices declares subscripts into a set, with one of the possible types.
func (w *writer) indices(into, axis *set) {
	a := array{name: w.name("g"), axes: []*set{axis}, kind: count, values: into, static: true}
	kind := pick(w, []string{"", ": index(" + into.text + ")", ": int in " + strconv.Itoa(into.lo) + ".." +
		strconv.Itoa(into.hi)})
	w.say("data %s[%s]%s = %s", a.name, axis.text, kind, w.literal(a.axes, func() string { return w.within(into) }))
	w.arrays = append(w.arrays, a)
}

func (w *writer) within(s *set) string { return strconv.Itoa(s.lo + w.rand.IntN(s.size())) }

// number returns a literal of a kind.
func (w *writer) number(k kind) string {
	u := float64(w.rand.IntN(200)) / 200
	switch k {
	case positive:
		return decimal(0.3 + 2*u)
	case unit:
		return decimal(0.1 + 0.8*u)
	case count:
		return strconv.Itoa(w.rand.IntN(5))
	}
	return decimal(4*u - 2)
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

// literal returns a nested list of elements.
func (w *writer) literal(axes []*set, element func() string) string {
	if len(axes) == 0 {
		return element()
	}
	items := make([]string, axes[0].size())
	for i := range items {
		items[i] = w.literal(axes[1:], element)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// brackets returns the axes of a declaration in brackets, or "" if there are none.
func brackets(axes []*set) string {
	if len(axes) == 0 {
		return ""
	}
	texts := make([]string, len(axes))
	for i, s := range axes {
		texts[i] = s.text
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// definition writes a definition, elementwise or of an entire array; if static is set, it reads only data.
func (w *writer) definition(static bool) {
	a := array{name: w.name("eta"), axes: []*set{pick(w, w.sets)}, kind: real, static: static}
	s := scope{static: static, depth: 3}
	switch w.rand.IntN(4) {
	case 0:
		s.axis = a.axes[0]
		w.say("%s = %s", a.name, w.make("vector", s))
	case 1:
		a.axes = nil
		w.say("%s = %s", a.name, w.make("real", s))
	case 2:
		a.kind = positive
		w.say("%s = %s", w.head(&s, a), w.make("positive", s))
	default:
		if w.chance(3) {
			a.axes = append(a.axes, w.set("J"))
		}
		w.say("%s = %s", w.head(&s, a), w.make("real", s))
	}
	w.arrays = append(w.arrays, a)
}

// head returns the left-hand side of a statement over plates, and adds their indices to the scope.
func (w *writer) head(s *scope, a array) string {
	if len(a.axes) == 0 {
		return a.name
	}
	slots := make([]string, len(a.axes))
	for i, axis := range a.axes {
		slots[i] = w.bind(s, axis) + " in " + axis.text
	}
	return fmt.Sprintf("%s[%s]", a.name, strings.Join(slots, ", "))
}

// bind adds an index over a set to a scope, and returns its name.
func (w *writer) bind(s *scope, over *set) string {
	i := index{w.name("i"), over}
	s.indices = append(s.indices[:len(s.indices):len(s.indices)], i)
	return i.name
}
