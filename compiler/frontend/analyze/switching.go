package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Switching warns about mixtures with exchangeable components: if exchanging two values of a discrete unknown, together
// with the parameters that it chooses, does not change the joint density, the posterior has another copy of each mode.
// In
//
//	m1, m2 ~ Normal(0, 10)
//	z[i in N] ~ Bernoulli(0.5)
//	y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)
//
// z = 1 selects m1 and z = 0 selects m2, so m1 and m2 must change places. For each value of z, the proof rewrites all
// terms, finds which parameters must change places, and compares the texts of all terms before and after the exchange.
// Switching warns only if the same terms result.
func Switching(m *model.Model, diags *diag.List) {
	reads := readersOf(m)
	seen := map[*model.Array]bool{}
	for _, t := range m.Terms {
		if t.Kind != model.LatentPrior || seen[t.Array] || t.Array.Missing { // observed values fix the labels
			continue
		}
		seen[t.Array] = true
		s := switching{reads: reads, cases: newCases(t.Array, reads)}
		if !s.prepare() {
			continue
		}
		if len(t.Array.Type.Axes) == 0 {
			s.warnOneForAll(diags)
		}
		if found := s.exchangeable(); len(found.components) > 0 {
			found.warn(diags, m, t.Array)
			m.Exchangeable = append(m.Exchangeable, listed(m, found.moved)...)
		}
	}
}

func listed(m *model.Model, set map[*model.Array]bool) (out []*model.Array) {
	for _, a := range m.Arrays {
		if set[a] {
			out = append(out, a)
		}
	}
	return out
}

func (f *exchanged) warn(diags *diag.List, m *model.Model, z *model.Array) {
	components := listed(m, f.components)
	names, vector := make([]string, len(components)), (*model.Array)(nil)
	for i, a := range components {
		names[i] = "`" + a.Name + "`"
		if vector == nil && len(a.Type.Axes) == 1 && f.along[a] {
			vector = a
		}
	}
	verb := "distinguishes the values of"
	if !f.all {
		values := make([]string, len(f.values))
		for i, v := range f.values {
			values[i] = fmt.Sprint(v)
		}
		verb = "distinguishes the values " + strings.Join(values, ", ") + " of"
	}
	d := diags.Warnf(diag.LabelSwitching, components[0].At, "the components of %s are exchangeable (label switching): "+
		"nothing %s `%s`", strings.Join(names, ", "), verb, z.Name).
		Related(z.At, "`%s` chooses a component", z.Name)
	switch {
	case vector != nil:
		d.Help("`ordered` picks one labelling: `%s[…] ~ … ordered`", vector.Name)
	case f.partner[components[0]] != nil && len(components[0].Type.Axes) == 0:
		d.Help("`ordered` picks one labelling: draw `%s` and `%s` as one array, `m[1..2] ~ … ordered`",
			components[0].Name, f.partner[components[0]].Name)
	default:
		d.Help("give the components different priors, or look only at quantities that do not depend on labels")
	}
}

// warnOneForAll warns if an unknown without an index chooses among elements of a parameter that share a prior: then all
// rows come from one of these elements, and the others have no data. Elements with different priors may be parameters
// of different models, for which this is intended.
func (s *switching) warnOneForAll(diags *diag.List) {
	p, values := newPermutation(), s.cases.values()
	if len(values) < 2 || !s.match(p, values[0], values[1], false) {
		return
	}
	z := s.cases.z
	for _, a := range listed(s.reads.model, p.arrays()) {
		for axis := range p.along[a] {
			if sharedPrior(a, axis) == nil {
				continue
			}
			diags.Warnf(diag.OneUnknownForAll, z.At, "`%s` has no index: all rows come from the same element of "+
				"`%s`, and its other elements have no data", z.Name, a.Name).
				Related(a.At, "`%s` chooses one of these", z.Name).
				Help("for one value in each row write `%s[i in N] ~ …` and `%s[%s[i]]`", z.Name, a.Name, z.Name)
			return
		}
	}
}

// A switching searches for exchangeable values of one unknown.
type switching struct {
	reads *readers
	cases cases
	of    []caseOf // the terms that read the unknown, and its priors
}

// prepare finds the terms that read the unknown; ok is false if a definition in one of them cannot be inlined.
func (s *switching) prepare() (ok bool) {
	for _, t := range s.reads.termsOf(s.cases.z) {
		c, ok := s.cases.of(t)
		if !ok {
			return false
		}
		s.of = append(s.of, c)
	}
	return true
}

// exchanged is the result of the proof: the exchangeable values, and the parameters that change places.
type exchanged struct {
	values     []float64 // ascending
	all        bool      // whether these are all values that the proof examines
	components map[*model.Array]bool
	along      map[*model.Array]bool         // components whose elements change places
	partner    map[*model.Array]*model.Array // maps an array to the array that it changes places with
	moved      map[*model.Array]bool         // components, and parameters that move with them
}

// exchangeable tries to exchange each value of the unknown with the next one.
func (s *switching) exchangeable() exchanged {
	out := exchanged{all: true, components: map[*model.Array]bool{}, along: map[*model.Array]bool{},
		partner: map[*model.Array]*model.Array{}, moved: map[*model.Array]bool{}}
	values := s.cases.values()
	for k := 1; k < len(values); k++ {
		if !s.exchange(values[k-1], values[k], &out) {
			out.all = false
		}
	}
	out.values = slices.Compact(out.values)
	return out
}

// exchange finds which parameters change places with two values of the unknown, and which of these occur outside the
// prior of the unknown. It returns true, and adds them to out, if the density is proved to remain the same.
func (s *switching) exchange(u, v float64, out *exchanged) bool {
	p := newPermutation()
	if !s.match(p, u, v, true) {
		return false
	}
	weights := p.arrays()
	if !s.match(p, u, v, false) {
		return false
	}
	components := p.arrays()
	maps.DeleteFunc(components, func(a *model.Array, _ bool) bool { return weights[a] })
	if len(components) == 0 || s.reads.compared > maxCompared || !s.addFollowers(p) || !s.holds(p, u, v) {
		return false
	}
	out.values = append(out.values, u, v)
	for a := range components {
		out.components[a] = true
		out.along[a] = out.along[a] || p.along[a] != nil
		if out.partner[a] == nil {
			out.partner[a] = p.pairs[a]
		}
	}
	for a := range p.arrays() {
		out.moved[a] = out.moved[a] || !weights[a]
	}
	return true
}

// match adds to p which parameters must change places when u and v do: in the priors of the unknown if priors is set,
// otherwise in the other terms. It returns false if it finds no such permutation.
func (s *switching) match(p *permutation, u, v float64, priors bool) bool {
	return s.eachCase(u, v, func(c caseOf, x, y model.Expr) bool { return (c.own != "") != priors || p.match(x, y) })
}

// eachCase visits the expressions of all terms that read the unknown, for each assignment of its values: x for these
// values, and y for the values with u and v exchanged. It stops and returns false if visit returns false, if there are
// too many assignments, or if the weight of a value is not known.
func (s *switching) eachCase(u, v float64, visit func(c caseOf, x, y model.Expr) bool) bool {
	values := s.cases.values()
	for _, c := range s.of {
		all := assignments(c.reads, values)
		if all == nil {
			return false
		}
		for _, now := range all {
			xs, ys := s.exprsAt(c, now), s.exprsAt(c, changed(now, u, v))
			if xs == nil || ys == nil {
				return false
			}
			for k := range xs {
				if !visit(c, xs[k], ys[k]) {
					return false
				}
			}
		}
	}
	return true
}

// changed returns an assignment of values to reads with the values u and v exchanged.
func changed(values map[string]float64, u, v float64) map[string]float64 {
	out := maps.Clone(values)
	for read, value := range values {
		switch value {
		case u:
			out[read] = v
		case v:
			out[read] = u
		}
	}
	return out
}

// exprsAt returns the arguments of a term for given values, or, for a prior of the unknown, the weight of its value. It
// returns nil if the weight is not known.
func (s *switching) exprsAt(c caseOf, values map[string]float64) (out []model.Expr) {
	for _, x := range c.exprs {
		out = append(out, s.cases.at(model.Copy(x), values))
	}
	if c.own == "" {
		return out
	}
	w := weight(c.term, out, values[c.own])
	if w == nil {
		return nil
	}
	return []model.Expr{w}
}

// addFollowers extends a permutation to parameters that must move with those that move: in b[k] ~ Normal(m[k], 1), b
// moves with m. It returns false if this is impossible.
func (s *switching) addFollowers(p *permutation) bool {
	for before := -1; before != len(p.along); {
		before = len(p.along)
		in := inliner{when: s.reads.from(p.list()...)}
		for _, t := range s.reads.termsOf(p.list()...) {
			exprs := in.all(append(t.Exprs(), t.Value))
			for _, i := range t.Plates {
				if !p.follow(i, exprs) {
					return false
				}
			}
		}
	}
	return true
}

// maxCompared limits the terms compared by all proofs of a model: each of a thousand unknowns may concern all terms.
const maxCompared = 20_000

// holds reports whether the texts of all terms that read moved parameters or the unknown are the same before and after
// the exchange.
func (s *switching) holds(p *permutation, u, v float64) bool {
	in := inliner{when: s.reads.from(p.list()...)}
	reading := map[*model.Term]bool{}
	for _, c := range s.of {
		reading[c.term] = true
	}
	same := s.eachCase(u, v, func(c caseOf, x, y model.Expr) bool {
		value := c.term.Value
		if c.own != "" {
			value = number(value, 0)
		}
		after, before := newKeyer(p), newKeyer(&permutation{})
		want := before.inCase(c.term, value, in.inlined(y))
		return after.inCase(c.term, value, in.inlined(x)) == want && !after.unknown
	})
	count := map[string]int{}
	for _, t := range s.reads.termsOf(p.list()...) {
		s.reads.compared++
		if !same || in.failed {
			return false
		}
		if reading[t] {
			continue
		}
		exprs := in.all(t.Exprs())
		after, before := newKeyer(p), newKeyer(&permutation{})
		count[after.term(t, exprs)]++
		count[before.term(t, exprs)]--
		same = !after.unknown
	}
	for _, n := range count {
		same = same && n == 0
	}
	return same && !in.failed
}

// sharedPrior returns the prior of a parameter if it is the same for all elements along an axis, otherwise nil.
func sharedPrior(a *model.Array, axis int) *model.Term {
	if len(a.Pieces) != 1 || axis >= len(a.Pieces[0].Slots) || a.Pieces[0].Term == nil {
		return nil
	}
	t, i := a.Pieces[0].Term, a.Pieces[0].Slots[axis].Index
	if i == nil || t.Dist == nil {
		return nil
	}
	for _, x := range t.Exprs() {
		if slices.Contains(model.Indices(x), i) {
			return nil
		}
	}
	return t
}
