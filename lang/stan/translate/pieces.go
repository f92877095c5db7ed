package translate

import (
	"slices"
	"sort"
	"strings"
)

// A slot is an axis on the left side of a statement: an index with its range, or a single element.
type slot struct {
	plate  *plate // plate whose index the statement may read; nil if no index is read
	lo, hi term
	one    bool // true for the single element lo
}

func slotsOf(plates []*plate) []slot {
	out := make([]slot, len(plates))
	for i, p := range plates {
		out[i] = slot{plate: p, lo: p.lo, hi: p.hi}
	}
	return out
}

// bareSlot returns a full axis whose index is not read.
func bareSlot(n term) slot { return slot{lo: constant(1), hi: n} }

func bareSlots(dims []term) []slot {
	out := make([]slot, len(dims))
	for i, n := range dims {
		out[i] = bareSlot(n)
	}
	return out
}

func single(t term) slot { return slot{lo: t, hi: t, one: true} }

// A piece is one statement of the definition of an array.
type piece struct {
	slots []slot
	body  *node
}

// pieces returns the statements that define a state.
func (x *executor) pieces(c *cell, st *state) []piece {
	if c.ragged() {
		plates, index := x.axes(c.dims)
		return []piece{{slotsOf(plates), x.generic(c, st, index).node}}
	}
	if len(st.regions) == 0 {
		return []piece{x.entirePiece(c, *st.base)}
	}
	if p, ok := x.gathered(c, st); ok {
		return []piece{p}
	}
	if p, ok := listed(c, st); ok {
		return []piece{p}
	}
	if st.layered || (len(st.regions) > 1 || st.base != nil) && slices.ContainsFunc(st.regions, region.ragged) ||
		st.regions[0].atData() {
		plates, index := x.axes(c.dims)
		return []piece{{slotsOf(plates), x.generic(c, st, index).node}}
	}
	var out []piece
	covered := false
	for _, r := range st.regions {
		p, full := x.regionPiece(c, r)
		out = append(out, p)
		covered = covered || full
	}
	if st.base != nil && !covered {
		return x.besides(c, st, out)
	}
	if st.base == nil && len(out) > 1 {
		if all, ok := x.filled(c, st, out); ok {
			return all
		}
	}
	sortPieces(out)
	return numbered(out)
}

// numbered writes the positions of pieces as numbers if data determine them. The compiler must see that pieces are
// adjacent, and it cannot compare names with numbers.
func numbered(all []piece) []piece {
	mixed := len(all) > 3
	for _, p := range all {
		for _, s := range p.slots {
			mixed = mixed || len(all) > 1 && s.lo.node.isDigits() && !isNumber(s.lo, 1) && !isNumber(s.lo, 2) ||
				len(all) > 1 && s.one && !isNumber(s.lo, 1)
		}
	}
	if !mixed {
		return all
	}
	fix := func(t term) term {
		if n, ok := t.whole(); ok && len(t.plates) == 0 {
			return constant(n)
		}
		return t
	}
	for _, p := range all {
		for i, s := range p.slots {
			p.slots[i].lo, p.slots[i].hi = fix(s.lo), fix(s.hi)
		}
	}
	return all
}

// entirePiece defines an entire array by one statement.
func (x *executor) entirePiece(c *cell, v value) piece {
	if len(c.dims) == 0 {
		return piece{body: v.number().node}
	}
	if v.whole != nil {
		return piece{body: v.whole}
	}
	plates, index := x.axes(c.dims)
	return piece{slotsOf(plates), v.elem(index).node}
}

// regionPiece returns the statement of a region. full reports whether it covers the entire array.
func (x *executor) regionPiece(c *cell, r region) (p piece, full bool) {
	r.mustBeAlongAxes()
	full = true
	val := r.value
	for i, s := range r.subs {
		sl, by, of := x.slotOf(r, s)
		if of != nil && !by.isIndex(of) {
			val = val.substitute(of, by)
		}
		p.slots = append(p.slots, sl)
		d1, ok1 := constant(0), false
		if !sl.one {
			d1, ok1 = sl.hi, isNumber(sl.lo, 1)
		}
		full = full && ok1 && same(d1, c.dims[i])
	}
	p.body = val.node
	return p, full
}

// slotOf converts a subscript of an assignment to a slot: x[i + 1] for i in 1:N becomes x[i in 2..N+1]. The assigned
// value must then contain `by` (here i - 1) instead of the index of plate `of`.
func (x *executor) slotOf(r region, s term) (sl slot, by term, of *plate) {
	l := linearOf(s)
	var found *plate
	for _, p := range s.plates {
		if slices.Contains(r.plates, p) && l.coefs[p.name] != 0 {
			if found != nil {
				cannot("an index on the left side is not a loop index plus a constant")
			}
			found = p
		}
	}
	if found == nil {
		return single(s), term{}, nil
	}
	step := l.coefs[found.name]
	if step != 1 && step != -1 {
		cannot("an index on the left side is a multiple of a loop's index")
	}
	if s.isIndex(found) {
		return slotsOf([]*plate{found})[0], s, found
	}
	rest := combine(l, &linear{coefs: map[string]int{found.name: step}, atoms: map[string]term{}}, -1)
	lo, hi := found.lo, found.hi
	if step < 0 {
		lo, hi = hi, lo
	}
	move := func(t term) term { return combine(rest, linearOf(t), step).term() }
	q := &plate{name: found.name, lo: move(lo), hi: move(hi)}
	return slotsOf([]*plate{q})[0], combine(linearOf(q.index()), rest, -1).scaled(step), found
}

// scaled returns a linear form times by, which is 1 or -1.
func (l *linear) scaled(by int) term {
	if by == 1 {
		return l.term()
	}
	return combine(&linear{}, l, -1).term()
}

// sortPieces sorts pieces by their positions, as far as these are known.
func sortPieces(all []piece) {
	sort.SliceStable(all, func(i, j int) bool {
		for k := range min(len(all[i].slots), len(all[j].slots)) {
			a, b := all[i].slots[k].lo, all[j].slots[k].lo
			if d, ok := difference(a, b); ok && d != 0 {
				return d < 0
			} else if !ok {
				return false
			}
		}
		return false
	})
}

// besides adds to the pieces of regions the remaining elements of an array that was assigned as a whole before.
func (x *executor) besides(c *cell, st *state, regions []piece) []piece {
	for axis := range c.dims {
		if out, ok := x.alongAxis(c, st, regions, axis); ok {
			sortPieces(out)
			return numbered(out)
		}
	}
	if out, ok := x.filled(c, st, regions); ok {
		return out
	}
	plates, index := x.axes(c.dims)
	return []piece{{slotsOf(plates), x.generic(c, st, index).node}}
}

// alongAxis fills the gaps between regions along one axis. All regions must cover all other axes fully.
func (x *executor) alongAxis(c *cell, st *state, regions []piece, axis int) ([]piece, bool) {
	sorted := slices.Clone(regions)
	for _, p := range sorted {
		for i, s := range p.slots {
			if i != axis && !(!s.one && isNumber(s.lo, 1) && same(s.hi, c.dims[i])) {
				return nil, false
			}
		}
	}
	sortPieces(sorted)
	next := constant(1)
	out := slices.Clone(sorted)
	fill := func(lo, hi term) bool {
		d, ok := difference(hi, lo)
		if !ok {
			return false
		}
		if d < 0 {
			return d == -1
		}
		plates, index := x.axes(c.dims)
		plates[axis].lo, plates[axis].hi = lo, hi
		out = append(out, piece{slotsOf(plates), st.base.elem(index).node})
		return true
	}
	for _, p := range sorted {
		s := p.slots[axis]
		if !fillable(s.lo, next) || !fill(next, subtract(s.lo, constant(1))) {
			return nil, false
		}
		next = add(s.hi, constant(1))
	}
	if d, ok := difference(c.dims[axis], next); !ok {
		return nil, false
	} else if d >= 0 {
		plates, index := x.axes(c.dims)
		plates[axis].lo, plates[axis].hi = next, c.dims[axis]
		out = append(out, piece{slotsOf(plates), st.base.elem(index).node})
	}
	return out, true
}

func fillable(lo, next term) bool {
	d, ok := difference(lo, next)
	return ok && d >= 0
}

// filled adds the elements that no region covers, with their previous values. The positions of all regions must be
// known.
func (x *executor) filled(c *cell, st *state, regions []piece) ([]piece, bool) {
	free := make([]bool, len(c.dims)) // axes that some region does not cover fully
	for _, p := range regions {
		for i, s := range p.slots {
			if s.one || !isNumber(s.lo, 1) || !same(s.hi, c.dims[i]) {
				free[i] = true
			}
		}
	}
	var axes []int
	var dims []term
	for i, f := range free {
		if f {
			axes, dims = append(axes, i), append(dims, c.dims[i])
		}
	}
	have := map[string]bool{}
	for _, p := range regions {
		lo, hi := make([]int, len(axes)), make([]int, len(axes))
		for k, i := range axes {
			a, ok := p.slots[i].lo.whole()
			b, also := p.slots[i].hi.whole()
			if !ok || !also || len(p.slots[i].lo.plates)+len(p.slots[i].hi.plates) > 0 {
				return nil, false
			}
			lo[k], hi[k] = a, b
		}
		mark(lo, hi, nil, have)
	}
	out := slices.Clone(regions)
	var run []term // first missing element of the present run along the last axis, and its length
	length := 0
	flush := func() {
		if length == 0 {
			return
		}
		plates, index := x.axes(c.dims)
		p := piece{slots: slotsOf(plates)}
		for k, i := range axes {
			if k < len(axes)-1 {
				p.slots[i], index[i] = single(run[k]), run[k]
				continue
			}
			first, _ := run[k].whole()
			p.slots[i].lo, p.slots[i].hi = run[k], constant(first+length-1)
		}
		p.body = undefined(c).node
		if st.base != nil {
			p.body = st.base.elem(index).node
		}
		out = append(out, p)
		length = 0
	}
	if len(axes) == 0 {
		return regions, true
	}
	ok := elements(dims, nil, maxFilled, func(index []term) {
		if have[place(index)] {
			flush()
			return
		}
		if length > 0 && isNumber(index[len(index)-1], 1) {
			flush()
		}
		if length == 0 {
			run = index
		}
		length++
	})
	flush()
	sortPieces(out)
	return numbered(out), ok
}

// maxFilled is the greatest number of elements among which missing ones are searched.
const maxFilled = 200000

// place returns a key for an index of integers.
func place(index []term) string {
	at := make([]string, len(index))
	for i, t := range index {
		at[i] = t.node.text
	}
	return strings.Join(at, ",")
}

// mark records all indices of a box in have.
func mark(lo, hi, at []int, have map[string]bool) {
	if len(at) == len(lo) {
		index := make([]term, len(at))
		for i, v := range at {
			index[i] = constant(v)
		}
		have[place(index)] = true
		return
	}
	for v := lo[len(at)]; v <= hi[len(at)] && len(have) <= maxFilled; v++ {
		mark(lo, hi, append(slices.Clone(at), v), have)
	}
}

// generic returns an arbitrary element of a state, using conditions on its index.
func (x *executor) generic(c *cell, st *state, index []term) term {
	for _, r := range st.regions {
		r.mustBeAlongAxes()
	}
	unknown := st.base == nil || st.base.lost
	switch {
	case unknown && x.covered(c, st.regions):
		_, first := x.regionAt(c, st.regions[0], index)
		return x.latest(c, st.regions[1:], index, first)
	case st.base == nil:
		return x.latest(c, st.regions, index, undefined(c))
	}
	return x.latest(c, st.regions, index, st.base.elem(index))
}

// latest returns an element's value from the last region that contains it, or before if there is none.
func (x *executor) latest(c *cell, regions []region, index []term, before term) term {
	for _, r := range regions {
		cond, val := x.regionAt(c, r, index)
		if cond.node == nil {
			before = val
			continue
		}
		before = choose(cond, val, before)
	}
	return before
}

// covered reports whether regions follow each other along one axis from its beginning to its end.
func (x *executor) covered(c *cell, regions []region) bool {
	for axis := range c.dims {
		next, joined := constant(1), true
		for range regions {
			at := slices.IndexFunc(regions, func(r region) bool {
				sl, _, _ := x.slotOf(r, r.subs[axis])
				return same(sl.lo, next)
			})
			if at < 0 {
				break
			}
			for i, s := range regions[at].subs {
				sl, _, _ := x.slotOf(regions[at], s)
				if i == axis {
					next = add(sl.hi, constant(1))
				} else {
					joined = joined && isNumber(sl.lo, 1) && same(sl.hi, c.dims[i])
				}
			}
		}
		if joined && same(next, add(c.dims[axis], constant(1))) {
			return true
		}
	}
	return false
}

// regionAt returns the value of a region at an index, and the condition that the region contains the index. cond has no
// node if the region contains every index.
func (x *executor) regionAt(c *cell, r region, index []term) (cond, val term) {
	slots := make([]slot, len(r.subs))
	val = r.value
	var own []*plate // loops of the region, and the values of their indices at this index
	var are []term
	and := func(t term) {
		if v, ok := t.value(); ok && v != 0 {
			return
		}
		if cond.node == nil {
			cond = t
			return
		}
		cond = comparison("&&", cond, t)
	}
	for i, s := range r.subs {
		sl, by, of := x.slotOf(r, s)
		slots[i] = sl
		if of == nil {
			continue
		}
		is := by.substitute(sl.plate, index[i])
		if before := slices.Index(own, of); before >= 0 { // a diagonal: two axes have the same loop
			and(comparison("==", is, are[before]))
			continue
		}
		own, are = append(own, of), append(are, is)
	}
	at := func(t term) term {
		for i, p := range own {
			t = t.substitute(p, are[i])
		}
		return t
	}
	val = at(val)
	for i, sl := range slots {
		if sl.one {
			if d, ok := difference(index[i], at(sl.lo)); !ok || d != 0 {
				and(comparison("==", index[i], at(sl.lo)))
			}
			continue
		}
		if d, ok := difference(sl.lo, constant(1)); !ok || d > 0 {
			and(comparison(">=", index[i], at(sl.lo)))
		}
		if !same(sl.hi, c.dims[i]) {
			and(comparison("<=", index[i], at(sl.hi)))
		}
	}
	return cond, val
}

// ragged reports whether the position of a region along an axis depends on another index, of an axis or of an enclosing
// loop.
func (r region) ragged() bool {
	return r.atData() || slices.ContainsFunc(r.subs, func(s term) bool {
		return slices.ContainsFunc(s.plates, func(p *plate) bool { return len(p.lo.plates)+len(p.hi.plates) > 0 })
	})
}

// atData reports whether a region has one element along an axis, selected by the index of another: x[i, first[i]] or
// x[i, i].
func (r region) atData() bool {
	seen := map[*plate]bool{}
	for _, s := range r.subs {
		for _, p := range s.plates {
			if slices.Contains(r.plates, p) && seen[p] {
				return true
			}
			seen[p] = true
		}
	}
	return slices.ContainsFunc(r.subs, func(s term) bool {
		return slices.ContainsFunc(s.plates, func(p *plate) bool { return r.chosen(s, p) })
	})
}

// mustBeAlongAxes ends the translation if a loop of the region is not the index of an axis, as in x[which[i]]: it is
// not known which iteration wrote an element.
func (r region) mustBeAlongAxes() {
	for _, s := range r.subs {
		for _, p := range s.plates {
			if slices.Contains(r.plates, p) && !slices.ContainsFunc(r.subs, func(t term) bool {
				return linearOf(t).coefs[p.name] != 0
			}) {
				cannot("the elements that a loop assigns depend on data")
			}
		}
	}
}

// chosen reports whether a subscript contains the index of p, but p is not the loop of that axis.
func (r region) chosen(s term, p *plate) bool {
	return !slices.Contains(r.plates, p) || linearOf(s).coefs[p.name] == 0
}

// listed writes an array as a list if every element was assigned separately.
func listed(c *cell, st *state) (piece, bool) {
	n, ok := c.dims[0].whole()
	if !ok || len(c.dims) != 1 || n != len(st.regions) || n < 4 || st.base != nil {
		return piece{}, false
	}
	items := make([]*node, n)
	for _, r := range st.regions {
		at, ok := r.subs[0].whole()
		if !ok || len(r.subs[0].plates) > 0 || at < 1 || at > n || items[at-1] != nil {
			return piece{}, false
		}
		items[at-1] = r.value.node
	}
	return piece{body: listOf(items)}, true
}
