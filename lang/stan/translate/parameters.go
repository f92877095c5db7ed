package translate

import (
	"slices"
	"sort"
	"strings"

	"ppl/lang/source"
	"ppl/lang/stan"
)

// A parameter of Stan has bounds where it is declared and densities where it is used. In ppl both are one statement:
// where the densities of a parameter cover it and their constants do not depend on other parameters, they become its
// prior. Else it is flat, and the densities are factors.
type parameter struct {
	cell  *cell
	word  string // the declared type
	at    source.Span
	lower *value
	upper *value
	loc   *value // offset
	scale *value // multiplier
	item  int    // the place of its statement, if it has no prior
	uses  []*use
}

// A use is a density of a parameter.
type use struct {
	dist    dist
	written term
	slots   []slot
	trunc   truncation
	at      int // the item
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

// place writes the bounds of the elements at an index as the ends of a range; "" if there are none.
func (p *parameter) place(index []term) string {
	if p.lower == nil && p.upper == nil {
		return ""
	}
	end := func(b *value, none string) string {
		switch {
		case b == nil:
			return none
		case b.isScalar():
			return b.number().at(strengthAdd)
		}
		return b.elem(index[len(index)-len(b.dims):]).at(strengthAdd)
	}
	return end(p.lower, "-inf") + ".." + end(p.upper, "inf")
}

// decide writes each parameter.
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
			it.text, it.slots = it.factorText, it.factorSlots
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

// dependsOnItself reports a parameter whose densities read it: the element itself, the whole array, or what is
// computed of it. Other elements may be read, as those of the past in a series.
func (x *executor) dependsOnItself(p *parameter) bool {
	name := x.items[p.item].name
	reads := map[string][]string{}
	for _, it := range x.items {
		if it.name != "" && !it.dropped && !it.factor && it.name != name && !it.generate {
			reads[it.name] = append(reads[it.name], words.FindAllString(it.text, -1)...)
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
		text := u.written.text
		own := element(name, indexOf(u.slots))
		for _, at := range words.FindAllStringIndex(text, -1) {
			switch n := text[at[0]:at[1]]; {
			case n == name:
				if !strings.HasPrefix(text[at[1]:], "[") || strings.HasPrefix(text[at[0]:], own) {
					return true
				}
			case reaches(n):
				return true
			}
		}
	}
	return false
}

// natural are the distributions that a constrained type has as its prior.
var natural = map[string][]string{"simplex": {"dirichlet"}, "corr_matrix": {"lkj_corr"},
	"cholesky_factor_corr": {"lkj_corr_cholesky"}, "cov_matrix": {"wishart", "inv_wishart"},
	"cholesky_factor_cov": {"wishart_cholesky", "inv_wishart_cholesky"}}

// fits reports whether one density can be the prior of the elements that it is about.
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
	place := p.place(index)
	switch {
	case u.dist.own > 0:
		return !bounded && !u.trunc.set
	case u.trunc.set:
		return bounded && place == u.trunc.text()
	case !bounded:
		return true
	case ofData:
		return true
	case u.dist.support == place:
		return true
	}
	return u.dist.around0 && place == "0..inf" && x.locationIsZero(u)
}

// locationIsZero reports a symmetric distribution around 0, of which a bound of 0 always leaves one half.
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
		if s.plate != nil {
			out[i] = s.plate.index()
		} else {
			out[i] = s.single
		}
	}
	return out
}

// tile reports whether the densities of a parameter are about each element once.
func (x *executor) tile(p *parameter) bool {
	uses := slices.Clone(p.uses)
	full := func(u *use, axis int) bool {
		s := u.slots[axis]
		return s.plate != nil && isNumber(s.lo(), 1) && same(s.hi(), p.cell.dims[axis])
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
			d, ok := difference(uses[i].slots[axis].lo(), uses[j].slots[axis].lo())
			sorted = sorted && ok
			return d < 0
		})
		next := constant(1)
		for _, u := range uses {
			sorted = sorted && same(u.slots[axis].lo(), next)
			next = add(u.slots[axis].hi(), constant(1))
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
	place := p.place(indexOf(u.slots))
	if u.dist.own > 0 {
		for _, n := range p.cell.dims[len(u.slots):] {
			it.slots = append(it.slots, slot{plate: &plate{lo: constant(1), hi: n}})
		}
	}
	switch {
	case p.word == "ordered":
		it.text += " ordered"
		return
	case p.word == "positive_ordered":
		if u.dist.support != "0..inf" {
			it.text += " in 0..inf"
		}
		it.text += " ordered"
		return
	case u.dist.own > 0:
		return
	}
	if place != "" && place != u.dist.support && !uniformOver(it.text, place) {
		it.text += " in " + place
	}
	if p.scale != nil && p.loc != nil && u.dist.name == "normal" && sameNumber(*p.loc, u.dist.args[0]) &&
		sameNumber(*p.scale, u.dist.args[1]) {
		it.text += " noncentered"
	}
}

func sameNumber(a, b value) bool {
	return a.isScalar() && b.isScalar() && a.number().text == b.number().text
}

// uniformOver reports a uniform distribution between the bounds themselves.
func uniformOver(text, place string) bool {
	return text == "Uniform("+strings.Replace(place, "..", ", ", 1)+")"
}

// writeFlat writes a parameter without a prior, or with densities that are factors.
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
	bare := func(n int) { // the last n axes are those of one value
		for i := len(dims) - n; i < len(dims); i++ {
			it.slots[i] = slot{plate: &plate{lo: constant(1), hi: dims[i]}}
		}
	}
	size := last.at(strengthAdd)
	elem := element(it.name, index)
	switch p.word {
	case "simplex":
		bare(1)
		it.text = "Dirichlet(fill(1, " + size + "))"
	case "unit_vector":
		bare(1)
		it.text = "UniformDirection()"
	case "ordered", "positive_ordered":
		for i := range it.slots {
			it.slots[i].plate = &plate{lo: constant(1), hi: dims[i]}
		}
		it.text = "Flat ordered"
		if p.word == "positive_ordered" {
			it.text = "Flat in 0..inf ordered"
		}
	case "sum_to_zero_vector":
		bare(1)
		it.text = "Normal(0, 1) zerosum"
		x.balance(plates, elem+"^2 / 2")
	case "corr_matrix":
		bare(2)
		it.text = "LKJ(1)"
	case "cholesky_factor_corr":
		bare(2)
		it.text = "LKJCholesky(1)"
		i := plates[len(plates)-2].name
		x.balance(plates[:len(plates)-1], "("+i+" - "+size+") * log("+diagonalOf(it.name, index)+")")
	case "cov_matrix":
		bare(2)
		it.text = "Wishart(" + size + " + 1, diagonal(1, " + size + "))"
		x.balance(plates[:len(plates)-1], diagonalOf(it.name, index)+" / 2")
	case "cholesky_factor_cov":
		if !same(dims[own], dims[own-1]) {
			refuse("a Cholesky factor that is not square is not in ppl")
		}
		bare(2)
		it.text = "WishartCholesky(" + size + " + 1, diagonal(1, " + size + "))"
		i := plates[len(plates)-2].name
		x.balance(plates, elem+"^2 / 2")
		x.balance(plates[:len(plates)-1], "-("+size+" - "+i+" + 1) * log("+diagonalOf(it.name, index)+")")
	default:
		if strings.Contains(p.word, "matrix") && p.word != "matrix" || strings.Contains(p.word, "sum_to_zero") {
			refuse("the type `" + p.word + "` is not in ppl")
		}
		it.text = "Flat"
		place := p.place(index)
		if place != "" {
			it.text += " in " + place
		}
		if !strings.ContainsAny(place, "[") {
			for i := range it.slots {
				it.slots[i].plate = &plate{lo: constant(1), hi: dims[i]}
			}
		}
	}
}

// diagonalOf is an element of the diagonal of a matrix.
func diagonalOf(name string, index []term) string {
	n := len(index)
	return element(name, append(slices.Clone(index[:n-1]), index[n-2]))
}

// balance adds a factor that takes back what the prior of a constrained parameter adds to a flat one.
func (x *executor) balance(plates []*plate, text string) {
	x.items = append(x.items, item{factor: true, slots: slotsOf(plates), text: text, level: ofParameters,
		balance: true})
}
