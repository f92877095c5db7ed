package modelgen

import (
	"fmt"
	"strings"
)

// index returns a bound index, scaled to a number.
func (w *writer) index(s scope) string {
	if len(s.indices) == 0 {
		return ""
	}
	i := pick(w, s.indices)
	return fmt.Sprintf("%s / %d", i.name, i.set.base.size())
}

// guard reads a neighbouring element under a condition that it exists.
func (w *writer) guard(s scope) string {
	for _, i := range s.indices {
		a, ok := w.readable(s, func(a array) bool {
			return len(a.axes) == 1 && a.axes[0] == i.set.base && a.kind != simplex
		})
		if !ok {
			continue
		}
		if w.chance(2) {
			return fmt.Sprintf("(%s > %d ? %s[%s-1] : %s)", i.name, a.axes[0].lo, a.name, i.name, w.make("real", s))
		}
		return fmt.Sprintf("(%s < %d ? %s[%s+1] : %s)", i.name, a.axes[0].hi, a.name, i.name, w.make("real", s))
	}
	return ""
}

// lag reads an earlier element, at an index whose range starts late enough.
func (w *writer) lag(s scope) string {
	for _, i := range s.indices {
		a, ok := w.readable(s, func(a array) bool {
			return len(a.axes) == 1 && a.axes[0] == i.set.base && a.kind != simplex
		})
		if back := i.set.lo - i.set.base.lo; ok && back > 0 {
			return fmt.Sprintf("%s[%s-%d]", a.name, i.name, 1+w.rand.IntN(back))
		}
	}
	return ""
}

// fold returns a reduction over one index, whose range may end or start at another index.
func (w *writer) fold(op, of string, s scope) string {
	over := pick(w, w.sets)
	if len(s.indices) > 0 && w.chance(3) {
		if i := pick(w, s.indices); i.set.base.lo == 1 {
			text := pick(w, []string{"1.." + i.name, fmt.Sprintf("%s..%s", i.name, i.set.base.text)})
			over = &set{text: text, lo: 1, hi: i.set.base.hi, base: i.set.base}
		}
	}
	name := w.bind(&s, over)
	return fmt.Sprintf("%s(%s in %s: %s)", op, name, over.text, w.make(of, s))
}

// product returns the product of a row of a matrix with a vector, written in one of three ways.
func (w *writer) product(s scope) string {
	x, ok := w.readable(s, func(a array) bool { return len(a.axes) == 2 })
	if !ok {
		return ""
	}
	s.axis = x.axes[1]
	way := pick(w, []string{"(%s @ (%s))", "sum(%s * %s)", "dot(%s, %s)"})
	return fmt.Sprintf(way, fmt.Sprintf("%s[%s]", x.name, w.subscript(x.axes[0], s)), w.make("vector", s))
}

// row returns an array, possibly subscripted, over the wanted axis.
func (w *writer) row(s scope, k kind) string {
	a, ok := w.readable(s, func(a array) bool {
		n := len(a.axes)
		return n > 0 && n <= 2 && a.axes[n-1] == s.axis && (a.kind == k || k == "" && a.kind != ordered)
	})
	switch {
	case !ok:
		return ""
	case len(a.axes) == 2:
		return fmt.Sprintf("%s[%s]", a.name, w.subscript(a.axes[0], s))
	}
	return a.name
}

// gather subscripts one array by another.
func (w *writer) gather(s scope) string {
	g, ok := w.readable(s, func(a array) bool { return a.values != nil && len(a.axes) == 1 && a.axes[0] == s.axis })
	if !ok {
		return ""
	}
	a, ok := w.readable(s, func(a array) bool { return len(a.axes) == 1 && a.axes[0] == g.values })
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s[%s]", a.name, g.name)
}

// columns returns a matrix times a vector, or one column of the matrix.
func (w *writer) columns(s scope) string {
	x, ok := w.readable(s, func(a array) bool { return len(a.axes) == 2 && a.axes[0] == s.axis && a.axes[1] != s.axis })
	if !ok {
		return ""
	}
	if w.chance(3) {
		return fmt.Sprintf("%s[_, %s]", x.name, w.subscript(x.axes[1], s))
	}
	s.axis = x.axes[1]
	return fmt.Sprintf("(%s @ (%s))", x.name, w.make("vector", s))
}

// A function is a function of the generated model; vector is set if it has one vector as parameter.
type function struct {
	name       string
	parameters []string
	vector     bool
	defaults   int // number of trailing parameters with a default
}

// function writes a function: with a block, with defaults, or of a vector.
func (w *writer) function() {
	f := function{name: w.name("f"), parameters: []string{w.name("v"), w.name("v")}, vector: w.chance(3)}
	inner := scope{depth: 3}
	if f.vector {
		size := w.name("M")
		v := f.parameters[0]
		f.parameters = f.parameters[:1]
		w.say("%s(%s[%s]) = %s", f.name, v, size, pick(w, []string{
			fmt.Sprintf("sum(%s * %s) / %s", v, v, size), fmt.Sprintf("mean(q in %s: tanh(%s[q]))", size, v),
			fmt.Sprintf("logsumexp(%s) - log(%s)", v, size)}))
		w.functions = append(w.functions, f)
		return
	}
	for _, p := range f.parameters {
		inner.refs = append(inner.refs, reference{text: p, kind: real})
	}
	heads := strings.Join(f.parameters, ", ")
	if w.chance(2) {
		f.defaults = 1
		heads += " = " + w.number(real)
	}
	body := w.make("real", inner)
	if w.chance(2) {
		local := w.name("u")
		inner.refs = append(inner.refs, reference{text: local, kind: real})
		body = fmt.Sprintf("{\n    %s = %s\n    return %s\n}", local, body, w.make("real", inner))
	}
	w.say("%s(%s) = %s", f.name, heads, body)
	w.functions = append(w.functions, f)
}

// call writes a call of a function; some arguments are named or omitted.
func (w *writer) call(s scope) string {
	if len(w.functions) == 0 || s.static {
		return ""
	}
	f := pick(w, w.functions)
	if f.vector {
		s.axis = pick(w, w.sets)
		return fmt.Sprintf("%s(%s)", f.name, w.make("vector", s))
	}
	first, second := w.make("real", s), w.make("real", s)
	switch {
	case f.defaults > 0 && w.chance(2):
		return fmt.Sprintf("%s(%s)", f.name, first)
	case w.chance(2):
		return fmt.Sprintf("%s(%s, %s = %s)", f.name, first, f.parameters[1], second)
	case w.chance(2):
		return fmt.Sprintf("((%s) -> %s(%s))", first, f.name, second)
	}
	return fmt.Sprintf("%s(%s, %s)", f.name, first, second)
}
