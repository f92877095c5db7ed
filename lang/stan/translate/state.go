package translate

import (
	"slices"

	"ppl/lang/source"
	"ppl/lang/stan"
)

// A cell is a variable of Stan. Its content changes with assignments.
type cell struct {
	name  string // name in the program
	typ   stan.Type
	dims  []term
	outer []*plate // loops around the declaration; the variable exists once per combination of their indices
	at    source.Span
	kept  bool // results contain it, as a variable of transformed parameters or generated quantities

	result bool // declared in the outermost scope of a block, so that other blocks or results may read it
}

// ragged reports whether the length of an array depends on a loop index.
func (c *cell) ragged() bool {
	return slices.ContainsFunc(c.dims, func(d term) bool { return len(d.plates) > 0 })
}

// A state is the content of a cell at some point of the program. Assignments create new states. Only the fields written
// and name, and the values of regions that get a name, change later.
type state struct {
	base    *value   // nil if the array was never assigned as a whole
	regions []region // parts that later statements assigned
	layered bool     // regions may overlap; later ones take precedence
	written *value   // the state as a named array of ppl; nil until it is first read in this form
	name    string   // name under which written was emitted
	now     *value   // like written, for a state that a loop is still writing
	promise *promise // innermost loop that is writing it, if any
}

// A region is a part of an array that one statement assigns.
type region struct {
	subs   []term
	plates []*plate // loops around the statement that are inside the cell's declaration, and loops of its axes
	value  term
}

// A promise lets statements of a loop read elements that its earlier iterations write.
type promise struct {
	plate *plate
	subs  []term // subscripts of the first assignment in the loop
	label *label
	prior *state // state before the loop
}

// A label is the name of an array that a loop, and the loops in it, are writing.
type label struct {
	name  string // "" until a statement reads it
	outer []*plate
}

// read returns the present value of a cell.
func (x *executor) read(c *cell) value { return x.readState(c, x.states[c]) }

func (x *executor) readState(c *cell, st *state) value {
	if st == nil {
		cannot("`%s` was not translated", c.name)
	}
	if len(c.dims) == 0 {
		return x.readNumber(c, st)
	}
	for _, d := range c.dims {
		if n, ok := d.whole(); ok && n == 0 { // an empty axis has no elements to assign
			return lazily(c.typ, c.dims, nil, func([]term) term { return constant(0) })
		}
	}
	switch {
	case st.written != nil:
		return *st.written
	case x.inline && st.promise == nil && (st.base != nil || len(st.regions) > 0):
		v := lazily(c.typ, c.dims, nil, func(index []term) term { return x.generic(c, st, index) })
		v.level = st.level()
		return v
	case !x.isOpen(st):
		if st.base == nil && len(st.regions) == 0 {
			cannot("`%s` is read before it has a value", c.name)
		}
		if len(st.regions) == 0 && x.isPlain(*st.base) {
			return *st.base
		}
		if v, short := x.raggedRow(c, st); short {
			return v
		}
		if n := len(st.regions); n == 0 || st.base != nil || len(st.regions[n-1].plates) > 0 || n > 64 {
			return x.write(c, st)
		}
	}
	v := value{typ: c.typ, dims: c.dims, level: st.level(), from: slices.Clone(x.plates)}
	v.elem = func(index []term) term { return x.readElement(c, st, index) }
	return v
}

// hadRegion reports whether a region existed before the loop.
func (p *promise) hadRegion(r region) bool {
	return slices.ContainsFunc(p.prior.regions, func(q region) bool { return sameRegion(q, r) })
}

// raggedRow returns an array whose length depends on a loop index, given by a formula for its elements. short reports
// whether the formula is short enough to be repeated.
func (x *executor) raggedRow(c *cell, st *state) (v value, short bool) {
	if !c.ragged() {
		return value{}, false
	}
	v = value{typ: c.typ, dims: c.dims, level: st.level(), from: slices.Clone(x.plates)}
	v.elem = func(index []term) term { return x.generic(c, st, index) }
	_, index := x.axes(c.dims)
	return v, v.elem(index).node.size < 1000
}

func (st *state) level() level {
	l := ofData
	if st.base != nil {
		l = st.base.level
	}
	for _, r := range st.regions {
		l = max(l, r.value.level)
	}
	return l
}

// isPlain reports whether an array is a name, or has elements that are short to write.
func (x *executor) isPlain(v value) bool {
	if v.whole != nil && v.whole.isReference() {
		return true
	}
	plain := false
	_, index := x.axes(v.dims)
	plain = isShort(v.elem(index))
	return plain
}

// isShort reports whether a term is written again wherever it is read, instead of getting a name.
func isShort(t term) bool {
	switch n := t.node; {
	case n.size > 60:
		return false
	case t.integer && t.linear != nil && n.size <= 30: // keep indices visible, because their linear form is analysed
		return true
	default:
		return n.isReference() || n.strength() >= strengthUnary && n.size <= 12
	}
}

// isOpen reports whether a region was written in the present iteration, or a loop is still writing the state.
func (x *executor) isOpen(st *state) bool {
	return st.promise != nil || slices.ContainsFunc(st.regions, x.isPresent)
}

// isPresent reports whether a region was written in the present iteration of all enclosing loops.
func (x *executor) isPresent(r region) bool {
	for _, p := range r.plates {
		if !slices.Contains(x.plates, p) {
			return false
		}
	}
	return len(r.plates) > 0
}

// readNumber returns the value of a variable without axes. A long term is emitted under the variable's name.
func (x *executor) readNumber(c *cell, st *state) value {
	switch {
	case st.written != nil:
		return *st.written
	case st.base == nil:
		cannot("`%s` is read before it has a value", c.name)
	case x.inline || isShort(st.base.number()):
		return *st.base
	}
	return x.write(c, st)
}

// readElement returns an element of an array that is not completely assigned, or not written yet.
func (x *executor) readElement(c *cell, st *state, index []term) term {
	maybe := false
	for i := len(st.regions) - 1; i >= 0; i-- {
		r := st.regions[i]
		if st.promise != nil && st.promise.hadRegion(r) { // an earlier iteration may have written the element
			break
		}
		switch relation(r, index) {
		case equal:
			if x.isPresent(r) || len(r.plates) == 0 {
				if !isShort(r.value) && !x.inline {
					st.regions[i].value = x.nameRegion(c, r)
				}
				return st.regions[i].value
			}
			maybe = true
		case unknownRelation:
			maybe = true
		}
	}
	if st.promise != nil {
		return x.readPast(c, st, index, maybe)
	}
	if st.written != nil {
		return st.written.elem(index)
	}
	if st.base != nil && !maybe {
		if t := st.base.elem(index); isShort(t) || x.inline {
			return t
		}
	}
	if x.inline {
		return x.generic(c, st, index)
	}
	return x.write(c, st).elem(index)
}

// nameRegion gives a name to the value of a region, which is long and is read.
func (x *executor) nameRegion(c *cell, r region) term {
	name := x.names.take(c.name)
	plates := x.sorted(closed(r.value.plates))
	slots, value := x.fullRanges(c, plates, r.value)
	x.emit(item{name: name, slots: slots, body: value.node, at: x.at, level: r.value.level})
	t := termOf(element(name, indices(plates)), indices(plates)...)
	t.level, t.integer, t.eval = r.value.level, r.value.integer, r.value.eval
	if t.integer {
		t.linear = atomLinear(t)
	}
	return t
}

// closed adds to plates those on which their ranges depend.
func closed(plates []*plate) []*plate {
	out := slices.Clone(plates)
	for i := 0; i < len(out); i++ {
		for _, q := range (term{}).from(out[i].lo, out[i].hi).plates {
			if !slices.Contains(out, q) {
				out = append(out, q)
			}
		}
	}
	return out
}

// fullRanges returns the slots of plates, and the value in terms of them. If the value is part of a series, every row
// gets the full range of iterations.
func (x *executor) fullRanges(c *cell, plates []*plate, value term) ([]slot, term) {
	slots := slotsOf(plates)
	for i, p := range plates {
		all := x.whole(p)
		if all == nil {
			continue
		}
		slots[i].lo, slots[i].hi = all.lo, all.hi
		if !same(p.hi, all.hi) {
			value = choose(comparison("<=", p.index(), p.hi), value, undefined(c))
		}
		if !same(p.lo, all.lo) {
			value = choose(comparison(">=", p.index(), p.lo), value, undefined(c))
		}
	}
	return slots, value
}

// whole returns a plate over all elements of an array that a loop writes, if the loop's range differs between rows; nil
// for other loops.
func (x *executor) whole(p *plate) *plate {
	if len(p.lo.plates)+len(p.hi.plates) == 0 {
		return nil
	}
	for c, st := range x.states {
		for pr := st.promise; pr != nil; pr = pr.prior.promise {
			if pr.plate != p || c.ragged() {
				continue
			}
			for i, s := range pr.subs {
				if l := linearOf(s); l.coefs[p.name] == 1 && i < len(c.dims) {
					shift := combine(l, linearOf(p.index()), -1)
					from := func(t term) term { return combine(linearOf(t), shift, -1).term() }
					return &plate{name: p.name, lo: from(constant(1)), hi: from(c.dims[i]), falls: p.falls}
				}
			}
		}
	}
	return nil
}

func indices(plates []*plate) []term {
	out := make([]term, len(plates))
	for i, p := range plates {
		out[i] = p.index()
	}
	return out
}

// sorted orders plates by the nesting of their loops. Plates of no enclosing loop come last.
func (x *executor) sorted(plates []*plate) []*plate {
	var out []*plate
	for _, p := range x.plates {
		if slices.Contains(plates, p) {
			out = append(out, p)
		}
	}
	for _, p := range plates {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// These are the possible relations of a region to an element.
const (
	equal = iota
	disjoint
	unknownRelation
)

func relation(r region, index []term) int {
	if len(r.subs) != len(index) {
		return unknownRelation
	}
	all := equal
	for i, s := range r.subs {
		d, ok := difference(s, index[i])
		switch {
		case ok && d == 0 && samePlates(s, index[i]):
		case apart(s, index[i]):
			return disjoint
		default:
			all = unknownRelation
		}
	}
	return all
}

func samePlates(a, b term) bool {
	for _, p := range a.plates {
		if !slices.Contains(b.plates, p) {
			return false
		}
	}
	return len(a.plates) == len(b.plates)
}

// apart reports whether two indices are never equal, for any values of loop indices. An index that occurs in both may
// have different values, because the statements may be in different iterations.
func apart(a, b term) bool {
	if d, ok := difference(lowest(a), highest(b)); ok && d > 0 {
		return true
	}
	d, ok := difference(lowest(b), highest(a))
	return ok && d > 0
}

func lowest(t term) term  { return end(t, 1) }
func highest(t term) term { return end(t, -1) }

// end returns the least (sign 1) or greatest (sign -1) value of an index over its loops.
func end(t term, sign int) term {
	for range 8 {
		l := linearOf(t)
		var found *plate
		for _, p := range t.plates {
			if l.coefs[p.name] != 0 {
				found = p
			}
		}
		if found == nil {
			return t
		}
		by := found.lo
		if l.coefs[found.name]*sign < 0 {
			by = found.hi
		}
		t = t.substitute(found, by)
	}
	return t
}

// readPast reads an element that an earlier iteration of the present loop wrote, or that existed before the loop.
func (x *executor) readPast(c *cell, st *state, index []term, maybe bool) term {
	p := st.promise
	for i, s := range p.subs {
		if i >= len(index) || linearOf(s).coefs[p.plate.name] != 0 {
			continue
		}
		if d, ok := difference(index[i], s); ok && d != 0 { // this loop does not write the element
			return x.readElement(c, p.prior, index)
		}
	}
	if maybe && x.isPresentIteration(p, index) {
		if st.now == nil {
			v := x.writeAs(c, &state{base: st.base, regions: slices.Clone(st.regions),
				layered: st.layered}, x.names.take(c.name))
			st.now = &v
		}
		return st.now.elem(index)
	}
	past := maybe
	for i, s := range p.subs {
		step := linearOf(s).coefs[p.plate.name]
		if p.plate.falls {
			step = -step
		}
		if step == 0 || i >= len(index) {
			continue
		}
		d, ok := difference(index[i], s)
		switch {
		case ok && step*d > 0: // a later iteration writes the element
			return x.readElement(c, p.prior, index)
		case ok && d != 0:
			past = true
		case !ok && !x.earlier(index[i], s, step) && (p.prior.base != nil || len(p.prior.regions) > 0):
			cannot("the loop reads elements of `%s` at indices that data or another loop choose", c.name)
		case !ok:
			past = true
		}
	}
	if !past {
		return x.readElement(c, p.prior, index)
	}
	if c.typ.Word == "int" {
		cannot("a series of ints reads itself")
	}
	if p.label.name == "" {
		p.label.name = x.names.take(c.name)
	}
	return named(p.label.name, p.label.outer, c.typ, c.dims, max(st.level(), ofParameters)).elem(index)
}

// isPresentIteration reports whether only the present iteration of a loop can have written an element.
func (x *executor) isPresentIteration(p *promise, index []term) bool {
	for i, s := range p.subs {
		if i < len(index) && linearOf(s).coefs[p.plate.name] != 0 {
			d, ok := difference(index[i], s)
			return ok && d == 0
		}
	}
	return false
}

// earlier reports whether an index of an inner loop takes only values that earlier iterations wrote.
func (x *executor) earlier(index, sub term, step int) bool {
	last := highestOfInner(x, index, sub)
	if step < 0 {
		last = lowestOfInner(x, index, sub)
	}
	d, ok := difference(last, sub)
	return ok && step*d < 0
}

// highestOfInner returns the greatest value of an index over the loops whose index the assignment's subscript lacks.
func highestOfInner(x *executor, index, sub term) term { return endOfInner(index, sub, -1) }
func lowestOfInner(x *executor, index, sub term) term  { return endOfInner(index, sub, 1) }

func endOfInner(t, sub term, sign int) term {
	for _, p := range t.plates {
		l := linearOf(t)
		if slices.Contains(sub.plates, p) || l.coefs[p.name] == 0 {
			continue
		}
		by := p.lo
		if l.coefs[p.name]*sign < 0 {
			by = p.hi
		}
		t = t.substitute(p, by)
	}
	return t
}

// write gives a name to a state and emits the statements that define it.
func (x *executor) write(c *cell, st *state) value {
	if st.written != nil {
		return *st.written
	}
	if st.promise != nil {
		cannot("`%s` is read as a whole while a loop assigns it", c.name)
	}
	return x.writeAs(c, st, x.names.take(c.name))
}

// writeAs emits the statements that define a state under the given name.
func (x *executor) writeAs(c *cell, st *state, name string) value {
	if st.base == nil && len(st.regions) == 0 {
		cannot("`%s` is read before it has a value", c.name)
	}
	outer := x.dependsOn(c, st)
	v := named(name, outer, c.typ, c.dims, st.level())
	if len(st.regions) == 0 && st.base.whole != nil && len(st.base.dims) == len(c.dims) {
		v.dims = st.base.dims
	}
	pieces := x.pieces(c, st)
	if len(pieces) == 1 && len(pieces[0].slots) == 0 && len(st.regions) > 0 {
		n, _ := c.dims[0].whole()
		v.dims = []term{constant(n)}
	}
	v.dims = namedDims(v.dims, pieces)
	for _, p := range pieces {
		slots, body := slotsOf(outer), p.body
		if len(p.slots) == len(c.dims) {
			var t term
			slots, t = x.fullRanges(c, outer, term{node: body})
			body = t.node
		}
		x.emit(item{name: name, slots: append(slots, p.slots...), body: body, at: x.at, level: v.level})
	}
	v.elem = x.evaluated(c, st, v.elem)
	if len(c.dims) == 0 {
		t := v.elem(nil)
		v.elem = func([]term) term { return t }
	}
	st.written, st.name = &v, name
	return v
}

// namedDims returns the lengths of axes as the pieces of a definition write them: as numbers if one piece does.
func namedDims(dims []term, pieces []piece) []term {
	out := slices.Clone(dims)
	for _, p := range pieces {
		for i, s := range p.slots {
			if n, ok := dims[i].whole(); ok && len(pieces) > 1 && s.hi.node.equalTo(constant(n).node) {
				out[i] = constant(n)
			}
		}
	}
	return out
}

// evaluated adds to the elements of a state functions that compute their values, if data determine these.
func (x *executor) evaluated(c *cell, st *state, elem func([]term) term) func([]term) term {
	return func(index []term) term {
		t := elem(index)
		if t.level == ofData {
			t.eval = func(b bindings) (float64, bool) { return st.at(index, b) }
		}
		if t.integer {
			t.linear = atomLinear(t)
		}
		return t
	}
}

// at returns the value of an element of a state, if data determine it.
func (st *state) at(index []term, b bindings) (float64, bool) {
	at := make([]term, len(index))
	for i, t := range index {
		if t.eval == nil {
			return 0, false
		}
		v, ok := t.eval(b)
		if !ok {
			return 0, false
		}
		at[i] = constant(int(v))
	}
	for i := len(st.regions) - 1; i >= 0; i-- {
		r := st.regions[i]
		bound, ok := r.bind(at, b)
		if ok && r.value.eval != nil {
			return r.value.eval(bound)
		}
		if ok {
			return 0, false
		}
	}
	if st.base == nil {
		return 0, false
	}
	t := st.base.elem(at)
	if t.eval == nil {
		return 0, false
	}
	return t.eval(b)
}

// bind returns the loop indices for which a region's statement assigns the given element.
func (r region) bind(at []term, b bindings) (bindings, bool) {
	bound := bindings{}
	for p, v := range b {
		bound[p] = v
	}
	for i, s := range r.subs {
		want, _ := at[i].whole()
		l := linearOf(s)
		var free *plate
		for _, p := range s.plates {
			if _, has := bound[p]; !has && l.coefs[p.name] != 0 {
				free = p
			}
		}
		if free == nil {
			if s.eval == nil {
				return nil, false
			}
			v, ok := s.eval(bound)
			if !ok || int(v) != want {
				return nil, false
			}
			continue
		}
		bound[free] = 0
		v, ok := s.eval(bound)
		step := l.coefs[free.name]
		if !ok || (want-int(v))%step != 0 {
			return nil, false
		}
		bound[free] = float64((want - int(v)) / step)
		if !inRange(free, bound) {
			return nil, false
		}
	}
	return bound, true
}

func inRange(p *plate, b bindings) bool {
	if p.lo.eval == nil || p.hi.eval == nil {
		return false
	}
	lo, ok := p.lo.eval(b)
	hi, also := p.hi.eval(b)
	return ok && also && lo <= b[p] && b[p] <= hi
}

// dependsOn returns the enclosing loops on whose index a state depends.
func (x *executor) dependsOn(c *cell, st *state) []*plate {
	var all []*plate
	if st.base != nil && !st.base.lost {
		all = append(all, st.base.from...)
		_, index := x.axes(c.dims)
		all = append(all, st.base.elem(index).plates...)
	}
	for _, r := range st.regions {
		own := term{}.from(r.subs...)
		for _, p := range own.plates {
			own = own.from(p.lo, p.hi)
		}
		for _, p := range r.value.plates {
			if !slices.Contains(own.plates, p) {
				all = append(all, p)
			}
		}
		for _, p := range own.plates {
			if !slices.Contains(r.plates, p) {
				all = append(all, p)
			}
		}
	}
	for _, d := range c.dims {
		all = append(all, d.plates...)
	}
	all = closed(all)
	var out []*plate
	for _, p := range x.plates {
		if slices.Contains(all, p) {
			out = append(out, p)
		}
	}
	return out
}
