package translate

import (
	"slices"
	"sort"
	"strings"

	"ppl/lang/source"
	"ppl/lang/stan"
)

// A parameter of Stan has its bounds in the declaration and its densities where they are stated. In ppl both are one
// statement. If the densities of a parameter cover all its elements, and their constants do not depend on other
// parameters, they become its prior. Otherwise the prior is flat, and the densities are factors.
type parameter struct {
	cell  *cell
	word  string // word of the declared type
	at    source.Span
	lower *value
	upper *value
	loc   *value // value of the constraint offset
	scale *value // value of the constraint multiplier
	item  int    // index of its statement, if it has no prior
	uses  []*use
}

// A use is a density of a parameter.
type use struct {
	dist    dist
	written term
	slots   []slot
	trunc   truncation
	at      int // index of its item
}

func (x *executor) parameter(d *stan.Decl) {
	c := x.newCell(d)
	x.declare(c)
	name := c.name
	if ppl := x.pplName(name); ppl != name {
		name = ppl
	}
	v := named(name, nil, c.typ, c.dims, ofParameters)
	x.states[c] = &state{base: &v, written: &v, name: name}
	p := &parameter{cell: c, word: d.Type.Word, at: d.At, item: len(x.items)}
	for _, bound := range []struct {
		word string
		to   **value
	}{{"lower", &p.lower}, {"upper", &p.upper}, {"offset", &p.loc}, {"multiplier", &p.scale}} {
		if e := d.Type.Constraint(bound.word); e != nil {
			b := x.eval(e)
			*bound.to = &b
		}
	}
	x.params[name] = p
	x.order = append(x.order, p)
	x.emit(item{name: name, at: d.At, level: ofParameters, param: p})
}

// rangeAt returns the range of the element at an index, or nil if the parameter has no bounds.
func (p *parameter) rangeAt(index []term) *node {
	if p.lower == nil && p.upper == nil {
		return nil
	}
	end := func(b *value, none string) *node {
		switch {
		case b == nil:
			return literalOf(none)
		case b.isScalar():
			return b.number().node
		}
		return b.elem(index[len(index)-len(b.dims):]).node
	}
	return spanOf(end(p.lower, "-inf"), end(p.upper, "inf"))
}

// isSpan reports whether a range is written as the given text.
func isSpan(n *node, text string) bool { return n != nil && n.key() == text }

// decide writes each parameter: with its densities as its prior if they fit, else with a flat prior and the densities
// as factors.
func (x *executor) decide() {
	for _, p := range x.order {
		if x.priorsFit(p) {
			for _, u := range p.uses {
				x.writePrior(p, u)
			}
			x.items[p.item].dropped = true
			continue
		}
		x.writeFlat(p)
		for _, u := range p.uses {
			it := &x.items[u.at]
			it.factor, it.draws, it.name = true, false, ""
			it.body, it.slots, it.in = it.factorBody, it.factorSlots, nil
		}
	}
}

// priorsFit reports whether the densities of a parameter can be its prior.
func (x *executor) priorsFit(p *parameter) bool {
	if len(p.uses) == 0 {
		return false
	}
	if x.dependsOnItself(p) {
		return false
	}
	for _, u := range p.uses {
		if len(u.slots)+u.dist.own != len(p.cell.dims) || !x.fits(p, u) {
			return false
		}
	}
	return x.tile(p)
}

// dependsOnItself reports whether the densities of a parameter read the same element, the entire array, or values
// computed from it. They may read other elements, such as the past of a series.
func (x *executor) dependsOnItself(p *parameter) bool {
	name := x.items[p.item].name
	reads := map[string][]string{}
	for _, it := range x.items {
		if it.name != "" && !it.dropped && !it.factor && it.name != name && !it.generate {
			reads[it.name] = append(reads[it.name], it.reads()...)
		}
	}
	seen := map[string]bool{}
	var reaches func(n string) bool
	reaches = func(n string) bool {
		if n == name {
			return true
		}
		if seen[n] {
			return false
		}
		seen[n] = true
		return slices.ContainsFunc(reads[n], reaches)
	}
	for _, u := range p.uses {
		own := element(name, indexOf(u.slots))
		if u.written.node.has(func(n *node) bool { return n.kind == kindName && n.text != name && reaches(n.text) }) ||
			u.written.node.readsElement(own) {
			return true
		}
	}
	return false
}

// reads returns the names in the body of a statement.
func (it item) reads() (out []string) {
	if it.body != nil {
		it.body.visit(func(n *node) bool {
			if n.kind == kindName {
				out = append(out, n.text)
			}
			return true
		})
	}
	return out
}

// readsElement reports whether an expression may read the element own. It does if it contains own or the entire array.
// own may also be a parameter without axes.
func (n *node) readsElement(own *node) bool {
	root, _ := own.root()
	found, _ := n.root()
	if n.kind == kindSubscript && found != nil && found.text == root.text {
		if own.kind == kindName || n.equalTo(own) {
			return true
		}
		return slices.ContainsFunc(n.kids[1:], func(k *node) bool { return k.readsElement(own) })
	}
	if found != nil && n.kind == kindName {
		return found.text == root.text
	}
	return slices.ContainsFunc(n.kids, func(k *node) bool { return k.readsElement(own) })
}

// natural maps constrained types to the distributions that can be their prior.
var natural = map[string][]string{"simplex": {"dirichlet"}, "corr_matrix": {"lkj_corr"},
	"cholesky_factor_corr": {"lkj_corr_cholesky"}, "cov_matrix": {"wishart", "inv_wishart"},
	"cholesky_factor_cov": {"wishart_cholesky", "inv_wishart_cholesky"}}

// fits reports whether one density can be the prior of its elements.
func (x *executor) fits(p *parameter, u *use) bool {
	bounded := p.lower != nil || p.upper != nil
	ofData := u.written.level == 0
	switch p.word {
	case "real", "vector", "row_vector", "matrix":
	case "ordered":
		return len(p.uses) == 1 && u.dist.own == 0 && !u.trunc.set && ofData && len(u.written.plates) == 0
	case "positive_ordered":
		return len(p.uses) == 1 && u.dist.own == 0 && !u.trunc.set && ofData && len(u.written.plates) == 0
	default:
		return slices.Contains(natural[p.word], u.dist.name)
	}
	if u.dist.own == 2 {
		return false
	}
	index := indexOf(u.slots)
	place := p.rangeAt(index)
	switch {
	case u.dist.own > 0:
		return !bounded && !u.trunc.set
	case u.trunc.set:
		return bounded && place.equalTo(u.trunc.span())
	case !bounded:
		return true
	case ofData:
		return true
	case isSpan(place, u.dist.support):
		return true
	}
	return u.dist.around0 && isSpan(place, "0..inf") && x.locationIsZero(u)
}

// locationIsZero reports whether a distribution is symmetric about 0. A bound at 0 then leaves half of its probability,
// whatever its parameters are.
func (x *executor) locationIsZero(u *use) bool {
	at := 0
	switch u.dist.name {
	case "std_normal":
		return true
	case "student_t":
		at = 1
	}
	a := u.dist.args[at]
	return a.isScalar() && isNumber(a.number(), 0)
}

func indexOf(slots []slot) []term {
	out := make([]term, len(slots))
	for i, s := range slots {
		out[i] = s.lo
		if !s.one {
			out[i] = s.plate.index()
		}
	}
	return out
}

// tile reports whether the densities of a parameter cover each element exactly once.
func (x *executor) tile(p *parameter) bool {
	uses := slices.Clone(p.uses)
	full := func(u *use, axis int) bool {
		s := u.slots[axis]
		return !s.one && isNumber(s.lo, 1) && same(s.hi, p.cell.dims[axis])
	}
	n := len(uses[0].slots)
	if n == 0 {
		return len(uses) == 1
	}
	for axis := range n {
		others := true
		for _, u := range uses {
			for i := range n {
				others = others && (i == axis || full(u, i))
			}
		}
		if !others {
			continue
		}
		sorted := true
		sort.SliceStable(uses, func(i, j int) bool {
			d, ok := difference(uses[i].slots[axis].lo, uses[j].slots[axis].lo)
			sorted = sorted && ok
			return d < 0
		})
		next := constant(1)
		for _, u := range uses {
			sorted = sorted && same(u.slots[axis].lo, next)
			next = add(u.slots[axis].hi, constant(1))
		}
		if sorted && same(next, add(p.cell.dims[axis], constant(1))) {
			return true
		}
	}
	return false
}

// writePrior completes the statement of a density that is a prior.
func (x *executor) writePrior(p *parameter, u *use) {
	it := &x.items[u.at]
	place := p.rangeAt(indexOf(u.slots))
	if u.dist.own > 0 {
		for _, n := range p.cell.dims[len(u.slots):] {
			it.slots = append(it.slots, bareSlot(n))
		}
	}
	switch {
	case p.word == "ordered":
		it.tail = "ordered"
		return
	case p.word == "positive_ordered":
		if u.dist.support != "0..inf" {
			it.in = positive()
		}
		it.tail = "ordered"
		return
	case u.dist.own > 0:
		return
	}
	if place != nil && !isSpan(place, u.dist.support) && !uniformOver(it.body, place) {
		it.in = place
	}
	if p.scale != nil && p.loc != nil && u.dist.name == "normal" && sameNumber(*p.loc, u.dist.args[0]) &&
		sameNumber(*p.scale, u.dist.args[1]) {
		it.tail = "noncentered"
	}
}

func sameNumber(a, b value) bool {
	return a.isScalar() && b.isScalar() && a.number().node.equalTo(b.number().node)
}

// positive returns the range 0..inf.
func positive() *node { return spanOf(literalOf("0"), literalOf("inf")) }

// uniformOver reports whether body is the uniform distribution on exactly the range place.
func uniformOver(body, place *node) bool { return body.equalTo(callOf("Uniform", place.kids...)) }

// writeFlat writes a parameter that has a flat prior. Its densities, if any, are factors.
func (x *executor) writeFlat(p *parameter) {
	it := &x.items[p.item]
	it.draws = true
	dims := p.cell.dims
	plates, index := x.axes(dims)
	it.slots = slotsOf(plates)
	own := len(dims) - 1
	last := term{}
	if len(dims) > 0 {
		last = dims[own]
	}
	bare := func(n int) { // the last n axes belong to one value
		for i := len(dims) - n; i < len(dims); i++ {
			it.slots[i] = bareSlot(dims[i])
		}
	}
	one, size := literalOf("1"), last.node
	elem := element(it.name, index)
	of := func(text string, args ...*node) *node { return x.templates.fill(text, numberedArgs(args)) }
	switch p.word {
	case "simplex":
		bare(1)
		it.body = callOf("Dirichlet", callOf("fill", one, size))
	case "unit_vector":
		bare(1)
		it.body = callOf("UniformDirection")
	case "ordered", "positive_ordered":
		for i := range it.slots {
			it.slots[i] = bareSlot(dims[i])
		}
		it.body, it.tail = nameOf("Flat"), "ordered"
		if p.word == "positive_ordered" {
			it.in = positive()
		}
	case "sum_to_zero_vector":
		bare(1)
		it.body, it.tail = of("Normal(0, 1)"), "zerosum"
		x.balance(plates, of("$1^2 / 2", elem))
	case "corr_matrix":
		bare(2)
		it.body = of("LKJ(1)")
	case "cholesky_factor_corr":
		bare(2)
		it.body = of("LKJCholesky(1)")
		row := index[len(index)-2].node
		x.balance(plates[:len(plates)-1], of("($1 - $2) * log($3)", row, size, diagonalOf(it.name, index)))
	case "cov_matrix":
		bare(2)
		it.body = of("Wishart($1 + 1, diagonal(1, $1))", size)
		x.balance(plates[:len(plates)-1], of("$1 / 2", diagonalOf(it.name, index)))
	case "cholesky_factor_cov":
		if !same(dims[own], dims[own-1]) {
			refuse("ppl does not support Cholesky factors that are not square")
		}
		bare(2)
		it.body = of("WishartCholesky($1 + 1, diagonal(1, $1))", size)
		row := index[len(index)-2].node
		x.balance(plates, of("$1^2 / 2", elem))
		x.balance(plates[:len(plates)-1], of("-($1 - $2 + 1) * log($3)", size, row, diagonalOf(it.name, index)))
	default:
		if strings.Contains(p.word, "matrix") && p.word != "matrix" || strings.Contains(p.word, "sum_to_zero") {
			refuse("the type `" + p.word + "` is not in ppl")
		}
		it.body, it.in = nameOf("Flat"), p.rangeAt(index)
		if it.in == nil || !it.in.isSubscripted() {
			for i := range it.slots {
				it.slots[i] = bareSlot(dims[i])
			}
		}
	}
}

// diagonalOf returns a diagonal element of a matrix.
func diagonalOf(name string, index []term) *node {
	n := len(index)
	return element(name, append(slices.Clone(index[:n-1]), index[n-2]))
}

// balance adds a factor that cancels the difference between the prior of a constrained parameter and a flat one.
func (x *executor) balance(plates []*plate, body *node) {
	x.items = append(x.items, item{factor: true, slots: slotsOf(plates), body: body, level: ofParameters,
		balance: true})
}
