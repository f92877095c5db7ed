package modelgen

import (
	"fmt"
	"strings"
)

// observed writes data over plates and their distribution.
func (w *writer) observed(s scope, axes []*set, head func(string) string, l distribution, modifier string) {
	y := w.name("y")
	w.say("data %s%s = %s", y, brackets(axes), w.literal(axes, func() string { return w.value(l) }))
	w.say("%s ~ %s%s", head(y), l.text, modifier)
}

// plates adds the indices of an observation to a scope, and returns a function from a name to the left-hand side.
func (w *writer) plates(s *scope, axes []*set) func(name string) string {
	slots := strings.TrimPrefix(w.head(s, array{axes: axes}), "[")
	return func(name string) string { return name + "[" + slots }
}

// observation writes a univariate observation: of an entire array without indices, of a part, or over two plates.
func (w *writer) observation() {
	axes := []*set{pick(w, w.sets)}
	s := scope{depth: 4}
	switch w.rand.IntN(4) {
	case 0: // all axes, without indices
		s.axis = axes[0]
		y := w.name("y")
		w.say("data %s[%s] = %s", y, axes[0].text, w.literal(axes, func() string { return w.number(real) }))
		w.say("%s ~ Normal(%s, %s)", y, w.make("vector", s), w.make("positive", s))
		return
	case 1: // a part, which may read its past
		t := w.set("T")
		l := w.distribution(s, observable)
		y := array{name: w.name("y"), axes: []*set{t}, kind: l.kind()}
		w.say("data %s[T] = %s", y.name, w.literal(y.axes, func() string { return w.value(l) }))
		i := w.bind(&s, part(t, 2, t.hi))
		s.refs = []reference{last(s, y.name, real)}
		w.say("%s[%s in 2..T] ~ %s", y.name, i, l.text)
		return
	case 2:
		axes = append(axes, w.set("J"))
		if axes[0] == axes[1] {
			axes[0] = w.set("N")
		}
	}
	head := w.plates(&s, axes)
	l := w.distribution(s, observable)
	w.observed(s, axes, head, l, "")
}

// limits writes truncated or censored observations.
func (w *writer) limits() {
	axes := []*set{pick(w, w.sets)}
	s := scope{depth: 3}
	head := w.plates(&s, axes)
	l := w.distribution(s, observable)
	modifier := ""
	switch {
	case l.form.LogCDF == nil || l.form.LogCCDF == nil:
	case w.chance(2):
		modifier = " censored " + pick(w, []string{"0.2..1.5", "0.3..inf", "-inf..1"})
		if l.dist.Discrete() {
			modifier = " censored 1..3"
		}
	default:
		modifier = w.truncation(l, s)
	}
	w.observed(s, axes, head, l, modifier)
}

// missing writes data with missing values that other terms read: these become parameters or, if discrete, are summed
// out.
func (w *writer) missing() {
	n := w.set("N")
	x := array{name: w.name("gap"), axes: []*set{n}, kind: real}
	s := scope{depth: 3}
	head := w.plates(&s, x.axes)
	l := distribution{text: fmt.Sprintf("Normal(%s, %s)", w.make("real", s), w.make("positive", s))}
	discrete := w.chance(2)
	if discrete {
		x.kind = count
		l.text = fmt.Sprintf("Bernoulli(%s)", w.make("unit", s))
	}
	missing := 0
	w.say("data %s[N] missing -9 = %s", x.name, w.literal(x.axes, func() string {
		missing++
		if missing%2 == 0 {
			return "-9"
		}
		if discrete {
			return "1"
		}
		return w.number(real)
	}))
	w.say("%s ~ %s", head(x.name), l.text)
	read := scope{depth: 3}
	rows := w.plates(&read, x.axes)
	read.refs = []reference{{text: fmt.Sprintf("%s[%s]", x.name, read.indices[0].name), kind: x.kind}}
	mean := read.refs[0].text + " * " + w.number(real) + " + " + w.make("real", read)
	y := w.name("y")
	w.say("data %s[N] = %s", y, w.literal(x.axes, func() string { return w.number(real) }))
	w.say("%s ~ Normal(%s, %s)", rows(y), mean, w.make("positive", read))
	if !discrete {
		w.arrays = append(w.arrays, x)
	}
}

// counts writes observations of vectors of counts or real numbers.
func (w *writer) counts() {
	n, axis := w.set("N"), pick(w, []*set{w.set("J"), w.set("K")})
	s := scope{depth: 3, axis: axis}
	y, i := w.name("y"), w.bind(&s, n)
	if w.chance(2) {
		w.say("data %s[N, %s] = %s", y, axis.text, w.literal([]*set{n, axis}, func() string { return w.number(real) }))
		w.say("%s[%s in N] ~ MvNormal(%s, %s)", y, i, w.make("vector", s), w.covariance(s))
		return
	}
	row := "[3" + strings.Repeat(", 1", axis.size()-1) + "]"
	w.say("data %s[N, %s] = %s", y, axis.text, w.literal([]*set{n}, func() string { return row }))
	w.say("%s[%s in N] ~ %s(%d, %s)", y, i, "Multinomial", 2+axis.size(), w.make("simplex", s))
}
