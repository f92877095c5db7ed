package modelgen

import (
	"fmt"
	"strings"
)

// parameter writes a parameter: one number, several at once, or plates with or without names.
func (w *writer) parameter() {
	a := array{name: w.name("theta")}
	s := scope{depth: 3}
	switch w.rand.IntN(4) {
	case 0:
		l := w.distribution(s, continuous)
		other := w.name("theta")
		w.say("%s, %s ~ %s", a.name, other, l.text)
		a.kind = l.kind()
		w.arrays = append(w.arrays, a, array{name: other, kind: a.kind})
		return
	case 1: // a set without an index
		a.axes = []*set{pick(w, w.sets)}
		l := w.distribution(s, continuous)
		w.say("%s%s ~ %s%s", a.name, brackets(a.axes), l.text, w.modifier(l, s))
		a.kind = l.kind()
	default:
		for range w.rand.IntN(3) {
			if next := pick(w, w.sets); len(a.axes) == 0 || a.axes[0] != next {
				a.axes = append(a.axes, next)
			}
		}
		head := w.head(&s, a)
		l := w.distribution(s, continuous)
		w.say("%s ~ %s%s", head, l.text, w.modifier(l, s))
		a.kind = l.kind()
	}
	w.arrays = append(w.arrays, a)
}

// modifier returns a random modifier for a parameter's distribution, or "".
func (w *writer) modifier(l distribution, s scope) string {
	switch {
	case w.chance(3) && l.dist.LocationScale:
		return " noncentered"
	case w.chance(3):
		return w.truncation(l, s)
	}
	return ""
}

// vectors writes a parameter with a multivariate distribution.
func (w *writer) vectors() {
	axis := pick(w, []*set{w.set("J"), w.set("K")})
	s := scope{depth: 3, axis: axis}
	a := array{name: w.name("theta"), axes: []*set{axis}, kind: real}
	outer := ""
	if w.chance(2) {
		a.axes = []*set{w.set("N"), axis}
		outer = w.bind(&s, w.set("N")) + " in N, "
	}
	switch w.rand.IntN(4) {
	case 0:
		a.kind = simplex
		w.say("%s[%s%s] ~ Dirichlet(%s)", a.name, outer, axis.text, w.positiveVector(s))
	case 1:
		c := w.name("Omega")
		w.say("%s[%s, %s] ~ LKJ(%s)", c, axis.text, axis.text, w.make("positive", scope{depth: 2}))
		w.say("%s[%s%s] ~ MvNormal(%s, sd = %s, corr = %s)%s", a.name, outer, axis.text, w.make("vector", s),
			w.positiveVector(s), c,
			pick(w, []string{"", " noncentered"}))
	case 2:
		w.say("%s[%s%s] ~ MvStudentT(%s, %s, %s)", a.name, outer, axis.text, w.make("positive", s), w.make("vector", s),
			w.covariance(s))
	default:
		w.say("%s[%s%s] ~ MvNormal(%s, %s)%s", a.name, outer, axis.text, w.make("vector", s), w.covariance(s),
			pick(w, []string{"", " noncentered"}))
	}
	w.arrays = append(w.arrays, a)
}

// constrained writes a parameter whose elements are ordered or sum to zero.
func (w *writer) constrained() {
	a := array{name: w.name("theta"), axes: []*set{pick(w, []*set{w.set("J"), w.set("K"), w.set("0..K")})}, kind: real}
	s := scope{depth: 2}
	modifier := pick(w, []string{"ordered", "zerosum", "ordered in -4..inf", "ordered in -5..5"})
	w.say("%s%s ~ Normal(%s, %s) %s", a.name, brackets(a.axes), w.make("real", s), w.make("positive", s), modifier)
	w.arrays = append(w.arrays, a)
}

// last returns a reference to the previous element, for a statement over 2..T, whose index comes first.
func last(s scope, name string, k kind) reference {
	subs := s.indices[0].name + "-1"
	for _, i := range s.indices[1:] {
		subs += ", " + i.name
	}
	return reference{text: fmt.Sprintf("%s[%s]", name, subs), kind: k}
}

// begin returns the left-hand sides of the first statement of a series and of the statement for later times, with their
// scopes.
func (w *writer) begin(name string) (a array, first string, firstScope scope, rest string, restScope scope) {
	t := w.set("T")
	a = array{name: name, axes: []*set{t}, kind: real}
	firstScope, restScope = scope{depth: 3}, scope{depth: 3}
	slot := w.bind(&restScope, part(t, 2, t.hi)) + " in 2..T"
	first, rest = name+"[1]", fmt.Sprintf("%s[%s]", name, slot)
	if w.chance(3) {
		j := w.set("J")
		a.axes = append(a.axes, j)
		first = fmt.Sprintf("%s[1, %s in J]", name, w.bind(&firstScope, j))
		rest = fmt.Sprintf("%s[%s, %s in J]", name, slot, w.bind(&restScope, j))
	}
	return a, first, firstScope, rest, restScope
}

// series writes a parameter whose distribution reads its own past.
func (w *writer) series() {
	a, first, s1, rest, s := w.begin(w.name("h"))
	s.refs = []reference{last(s, a.name, real)}
	modifier := pick(w, []string{"", " noncentered"})
	of := pick(w, []string{"Normal(%s, %s)", "Laplace(%s, %s)", "Normal(%s, precision = %s)"})
	w.say("%s ~ %s%s", first, fmt.Sprintf(of, w.make("real", s1), w.make("positive", s1)), modifier)
	w.say("%s ~ %s%s", rest, fmt.Sprintf(of, s.refs[0].text+" / 2 + "+w.make("real", s), w.make("positive", s)),
		modifier)
	w.arrays = append(w.arrays, a)
}

// recurrence writes a definition that reads its own past: the previous element, or all of it.
func (w *writer) recurrence() {
	a, first, s1, rest, s := w.begin(w.name("r"))
	s.refs = []reference{last(s, a.name, real)}
	w.say("%s = %s", first, w.make("real", s1))
	if w.chance(3) {
		j := w.name("j")
		before := strings.Replace(s.refs[0].text, s.indices[0].name+"-1", j, 1)
		s.refs = nil
		w.say("%s = tanh(%s) + sum(%s in 1..%s-1: %s / (1 + %s))", rest, w.make("real", s), j, s.indices[0].name,
			before, j)
	} else {
		w.say("%s = %s / 2 + tanh(%s)", rest, s.refs[0].text, w.make("real", s))
	}
	w.arrays = append(w.arrays, a)
}

// pieces writes an array that is partly defined and partly drawn.
func (w *writer) pieces() {
	a, first, s1, rest, s := w.begin(w.name("u"))
	w.say("%s = %s", first, w.make("real", s1))
	w.say("%s ~ Normal(%s, %s)", rest, w.make("real", s), w.make("positive", s))
	w.arrays = append(w.arrays, a)
}

// process writes a Gaussian process over T.
func (w *writer) process() {
	t := w.set("T")
	points := w.data(real, t)
	a := array{name: w.name("gp"), axes: []*set{t}, kind: real}
	s := scope{depth: 2, axis: t}
	w.say("%s[T] ~ MvNormal(%s, rbf(%s, %s, %s) + diagonal(%s, T))%s", a.name, w.make("vector", s), points.name,
		w.make("positive", s), w.make("positive", s),
		w.number(positive), pick(w, []string{"", " noncentered"}))
	w.arrays = append(w.arrays, a)
}

// template writes a submodel and its use in a plate.
func (w *writer) template() {
	f, p, tau, b := w.name("Sub"), w.name("v"), w.name("tau"), w.name("b")
	inner := scope{depth: 2, refs: []reference{{text: p, kind: real}}}
	l := w.distribution(inner, continuous)
	w.say("%s(%s) ~ {\n    %s ~ HalfNormal(%s)\n    %s ~ %s\n    return %s * %s\n}", f, p, tau,
		w.make("positive", inner), b, l.text, tau, b)
	a := array{name: w.name("w"), axes: []*set{w.set("J")}, kind: real}
	s := scope{depth: 2}
	head := w.head(&s, a)
	w.say("%s ~ %s(%s)", head, f, w.make("real", s))
	w.arrays = append(w.arrays, a)
}

// byFormula writes a prior and a likelihood with Density.
func (w *writer) byFormula() {
	a := array{name: w.name("d"), axes: []*set{w.set("K")}, kind: real}
	s := scope{depth: 2}
	i := w.bind(&s, a.axes[0])
	own := fmt.Sprintf("%s[%s]", a.name, i)
	s.refs = []reference{{text: own, kind: real}}
	w.say("%s[%s in K] ~ Density(-%s^2 / 2 + tanh(%s))%s", a.name, i, own, w.make("real", s),
		pick(w, []string{"", " in -2..inf", " in -3..2"}))
	w.arrays = append(w.arrays, a)

	x := w.data(real, w.set("N"))
	s = scope{depth: 2}
	head := w.head(&s, x)
	w.say("%s ~ Density(logpdf(Normal(%s, %s), %s))", head, w.make("real", s), w.make("positive", s),
		w.element(x, scope{indices: s.indices[:1]}))
}
