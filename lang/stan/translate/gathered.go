package translate

import "slices"

// minGathered is the least number of single elements for which an array is written with tables of source positions.
const minGathered = 24

// A gathering maps each element of an array to its position in a list, from 1, or to 0 if it is not from that list.
type gathering struct {
	list   *node
	places []float64
}

// gathered writes an array whose elements were assigned one by one from lists, as x[2] = seen[1], x[5] = seen[2]. It
// emits the positions as tables of data. Elements that are not from a list keep their previous value.
func (x *executor) gathered(c *cell, st *state) (p piece, ok bool) {
	if len(st.regions) < minGathered {
		return piece{}, false
	}
	dims, size := make([]int, len(c.dims)), 1
	for i, d := range c.dims {
		if dims[i], ok = d.whole(); !ok || dims[i] < 1 || size > maxUnrolled {
			return piece{}, false
		}
		size *= dims[i]
	}
	lists, ok := gatherings(st.regions, dims, size)
	if !ok {
		return piece{}, false
	}
	plates, index := x.axes(c.dims)
	var out *node
	full := allGiven(lists, size)
	switch {
	case full:
	case st.base != nil:
		out = st.base.elem(index).node
	default:
		out = undefined(c).node
	}
	for _, l := range slices.Backward(lists) {
		at := subscriptOf(nameOf(x.places(c, l, dims)), nodesOf(index)...)
		val := subscriptOf(l.list, at)
		if out == nil {
			out = val
			continue
		}
		out = conditionOf(binaryOf(">", at, literalOf("0")), val, out)
	}
	return piece{slotsOf(plates), out}, true
}

// places emits the table of a gathering and returns its name.
func (x *executor) places(c *cell, l gathering, dims []int) string {
	name := x.names.take(c.name + "_from_" + l.list.text)
	x.isData[name] = true
	x.emit(item{name: name, slots: bareSlots(constants(dims)), tail: ": int", value: literal(dims, l.places),
		at: x.at, isData: true})
	return name
}

// gatherings groups regions that are single elements of lists by list. ok is false if a region is something else, or if
// there are more than four lists.
func gatherings(regions []region, dims []int, size int) (lists []gathering, ok bool) {
	for _, r := range regions {
		root, subs := r.value.node.root()
		if root == nil || len(subs) != 1 || len(r.value.plates) > 0 {
			return nil, false
		}
		from, ok := subs[0].wholeNumber()
		if !ok || from < 1 {
			return nil, false
		}
		place := 0
		for i, s := range r.subs {
			at, ok := s.whole()
			if !ok || len(s.plates) > 0 || at < 1 || at > dims[i] {
				return nil, false
			}
			place = place*dims[i] + at - 1
		}
		k := slices.IndexFunc(lists, func(l gathering) bool { return l.list.equalTo(root) })
		if k < 0 {
			k = len(lists)
			lists = append(lists, gathering{root, make([]float64, size)})
		}
		for i := range lists { // only the last assignment counts
			lists[i].places[place] = 0
		}
		lists[k].places[place] = float64(from)
	}
	return lists, len(lists) <= 4
}

// allGiven reports whether the lists provide every element.
func allGiven(lists []gathering, size int) bool {
	for i := range size {
		if !slices.ContainsFunc(lists, func(l gathering) bool { return l.places[i] > 0 }) {
			return false
		}
	}
	return true
}
