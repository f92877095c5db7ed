package modelgen

import (
	"fmt"

	"ppl/stdlib"
)

// latent writes a discrete unknown over plates, and returns a reference to it without its text.
func (w *writer) latent(s scope, name string, axes []*set) (reference, distribution) {
	head := name
	if len(axes) > 0 {
		head = w.plates(&s, axes)(name)
	}
	if w.chance(2) {
		s.axis = pick(w, []*set{w.set("J"), w.set("K"), w.set("0..K")})
		s.depth = 3
		l := distribution{text: "Categorical(" + w.make("simplex", s) + ")", values: s.axis}
		w.say("%s ~ %s", head, l.text)
		return reference{kind: count, values: l.values}, l
	}
	l := w.distribution(s, enumerable)
	w.say("%s ~ %s", head, l.text)
	return reference{kind: count, values: l.values}, l
}

// subject writes an observed term that reads discrete unknowns.
func (w *writer) subject(s scope, axes []*set, head func(string) string) {
	for k, r := range s.refs {
		if r.kind != count || r.values != nil && w.chance(2) {
			continue
		}
		s.refs[k].kind = real
	}
	l := w.distribution(s, observable)
	if w.chance(2) {
		text := ""
		for _, r := range s.refs {
			text += r.text + " * " + w.number(real) + " + "
		}
		l = w.distribution(s, func(d *stdlib.Dist) bool { return d.Name == "Normal" })
		l.form = &l.dist.Forms[0]
		l.text = fmt.Sprintf("Normal(%s%s, %s)", text, w.make("real", s), w.make("positive", s))
	}
	w.observed(s, axes, head, l, "")
}

// mixture writes an unknown for each row, which one or two observations read.
func (w *writer) mixture() {
	axes := []*set{w.set("N")}
	z := w.name("z")
	r, _ := w.latent(scope{depth: 2}, z, axes)
	for range 1 + w.rand.IntN(2) {
		s := scope{depth: 3}
		head := w.plates(&s, axes)
		r.text = fmt.Sprintf("%s[%s]", z, s.indices[0].name)
		s.refs = []reference{r}
		w.subject(s, axes, head)
	}
	w.posterior(z, axes)
}

// outer writes an unknown without the plate of the rows, and sometimes another unknown nested in it.
func (w *writer) outer() {
	j, n := w.set("J"), w.set("N")
	v, z := w.name("z"), w.name("z")
	var outside []*set
	if w.chance(2) {
		outside = []*set{j}
	}
	rv, _ := w.latent(scope{depth: 2}, v, outside)
	nested := w.chance(2)
	if nested {
		s := scope{depth: 2}
		head := w.plates(&s, []*set{j, n})
		w.say("%s ~ Bernoulli(0.1 + 0.8 * sigmoid(%s + %s))", head(z), w.at(v, outside, s), w.make("real", s))
	}
	s := scope{depth: 3}
	head := w.plates(&s, []*set{j, n})
	rv.text = w.at(v, outside, s)
	s.refs = []reference{rv}
	if nested {
		s.refs = append(s.refs, reference{text: w.at(z, []*set{j, n}, s), kind: count})
		w.posterior(z, []*set{j, n})
	}
	w.subject(s, []*set{j, n}, head)
	w.posterior(v, outside)
}

// at reads an array at the first indices of a scope.
func (w *writer) at(name string, axes []*set, s scope) string {
	if len(axes) == 0 {
		return name
	}
	text := s.indices[0].name
	for _, i := range s.indices[1:len(axes)] {
		text += ", " + i.name
	}
	return fmt.Sprintf("%s[%s]", name, text)
}

// chain writes a hidden Markov model, possibly one for each element of a plate.
func (w *writer) chain() {
	t, k := w.set("T"), pick(w, []*set{w.set("K"), w.set("0..K")})
	z := w.name("z")
	a, first, s1, rest, s := w.begin(z)
	s1.axis, s.axis = k, k
	w.say("%s ~ Categorical(%s)", first, w.make("simplex", s1))
	before := last(s, z, real)
	before.values = k
	s.refs = []reference{before}
	name := w.name("k")
	w.say("%s ~ Categorical(softmax([%s in %s: %s * (%s == %s) + %s]))", rest, name, k.text, w.number(real), name,
		before.text, w.make("real", s))
	read := scope{depth: 3}
	axes := append([]*set{t}, a.axes[1:]...)
	head := w.plates(&read, axes)
	read.refs = []reference{{text: w.at(z, axes, read), kind: count, values: k}}
	w.subject(read, axes, head)
	w.posterior(z, axes)
}

// hidden writes a template for data that contains a discrete unknown.
func (w *writer) hidden() {
	f, p, z, k := w.name("Sub"), w.name("v"), w.name("z"), w.name("k")
	inner := scope{depth: 2, refs: []reference{{text: p, kind: real}}}
	w.say("%s(%s) ~ {\n    %s ~ Bernoulli(%s)\n    %s ~ Poisson(%s * %s + 0.1)\n    return %s\n}", f, p, z,
		w.make("unit", inner), k, z, w.make("positive", inner), k)
	axes := []*set{w.set("N")}
	s := scope{depth: 3}
	head := w.plates(&s, axes)
	y := w.name("y")
	w.say("data %s[N] = %s", y, w.literal(axes, func() string { return w.number(count) }))
	w.say("%s ~ %s(%s)", head(y), f, w.make("real", s))
}

// posterior writes generate statements about an unknown: marginals, the most probable values, a joint draw.
func (w *writer) posterior(z string, axes []*set) {
	if !w.chance(2) {
		return
	}
	s := scope{}
	p := array{name: w.name("p"), axes: axes}
	head := w.head(&s, p)
	w.after = append(w.after, fmt.Sprintf("generate %s = probability(%s == 1)", head, w.at(z, axes, s)),
		fmt.Sprintf("generate %s = mode(%s)", w.name("best"), z))
	again := scope{}
	head = w.head(&again, array{name: w.name("drawn"), axes: axes})
	w.after = append(w.after, fmt.Sprintf("generate %s = %s", head, w.at(z, axes, again)))
}

// generated writes definitions and draws after inference, which may read each other.
func (w *writer) generated() {
	a := array{name: w.name("gen"), axes: []*set{pick(w, w.sets)}, kind: real}
	s := scope{depth: 3}
	head := w.head(&s, a)
	if w.chance(2) {
		w.after = append(w.after, fmt.Sprintf("generate %s = %s", head, w.make("real", s)))
	} else {
		l := w.distribution(s, drawable)
		a.kind, a.values = l.kind(), nil
		w.after = append(w.after, fmt.Sprintf("generate %s ~ %s", head, l.text))
	}
	w.arrays = append(w.arrays, a)
}
