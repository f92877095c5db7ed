package translate

import (
	"fmt"
	"slices"

	"ppl/lang/stan"
)

// A value is the translation of a Stan expression: a number, or an array with a function that returns the term of each
// element. The axes of arrays come first, then those of vectors and matrices.
type value struct {
	typ  stan.Type
	dims []term
	elem func(index []term) term

	// whole is the array as one expression, such as a name or a call. It is nil if only elements are known.
	whole *node
	level level
	from  []*plate // plates whose index occurs in it

	parts []value // parts of a tuple
	real  bool    // elements are reals by their type
	lost  bool    // workspace of a loop, which cannot be read after the loop
}

func scalar(t term) value {
	typ := stan.Type{Word: "real"}
	if t.integer {
		typ.Word = "int"
	}
	return value{typ: typ, elem: func([]term) term { return t }, whole: t.node, level: t.level, from: t.plates}
}

// asReal returns a value whose elements have type real.
func (v value) asReal() value {
	if v.real || v.parts != nil {
		return v
	}
	elem := v.elem
	v.real = true
	v.elem = func(index []term) term { return elem(index).real() }
	if v.typ.Word == "int" {
		v.typ.Word = "real"
	}
	return v
}

// asInt returns a value whose elements have type int.
func (v value) asInt() value {
	if v.typ.Word == "int" || v.parts != nil {
		return v
	}
	elem := v.elem
	v.typ.Word, v.real = "int", false
	v.elem = func(index []term) term {
		t := elem(index)
		if !t.integer {
			t.integer, t.linear = true, atomLinear(t)
		}
		return t
	}
	return v
}

// number returns the term of a value without axes.
func (v value) number() term { return v.elem(nil) }

func (v value) isScalar() bool { return len(v.dims) == 0 && v.typ.Word != "tuple" }

// size returns the length of the first axis; for a matrix, the number of rows.
func (v value) size() term {
	if len(v.dims) == 0 {
		return constant(1)
	}
	return v.dims[0]
}

// count returns the number of all elements.
func (v value) count() term {
	n := constant(1)
	for _, d := range v.dims {
		n = multiply(n, d)
	}
	return n
}

// element returns a subscripted name.
func element(of string, index []term) *node { return subscriptOf(nameOf(of), nodesOf(index)...) }

// named returns the value of a ppl array whose elements have the indices of outer before their own.
func named(name string, outer []*plate, typ stan.Type, dims []term, lvl level) value {
	front := make([]term, len(outer))
	for i, p := range outer {
		front[i] = p.index()
	}
	v := value{typ: typ, dims: dims, level: lvl, from: slices.Clone(outer), whole: element(name, front)}
	v.elem = func(index []term) term {
		all := slices.Concat(front, index)
		t := termOf(element(name, all), all...)
		t.level = max(t.level, lvl)
		t.integer = typ.Word == "int"
		return t
	}
	return v
}

// axes returns plates for the axes of a value, and their indices, all with fresh names.
func (x *executor) axes(dims []term) ([]*plate, []term) {
	plates, index := make([]*plate, len(dims)), make([]term, len(dims))
	for i, d := range dims {
		plates[i] = x.freshPlate("i", constant(1), d)
		index[i] = plates[i].index()
	}
	return plates, index
}

// freshPlate returns a plate whose index has a unique name.
func (x *executor) freshPlate(like string, lo, hi term) *plate {
	x.indices++
	return &plate{name: fmt.Sprintf("%s%c%d", like, indexMark, x.indices), lo: lo, hi: hi}
}

// entire writes an entire value as one expression.
func (x *executor) entire(v value) term {
	if v.isScalar() {
		return v.number()
	}
	if v.whole != nil {
		return v.asTerm()
	}
	plates, index := x.axes(v.dims)
	body := v.elem(index)
	if n, ok := v.dims[0].whole(); ok && len(v.dims) == 1 && n <= 4 && len(v.dims[0].linearAtoms()) == 0 &&
		n > 0 {
		items := make([]term, n)
		for i := range items {
			items[i] = v.elem([]term{constant(i + 1)})
		}
		return termOf(listOf(nodesOf(items)), items...)
	}
	return termOf(rangedOf(kindEach, plates, body.node), append([]term{body}, v.dims...)...).less(plates)
}

// asTerm returns the array's expression as a term.
func (v value) asTerm() term { return term{node: v.whole, level: v.level, plates: v.from} }

func (t term) linearAtoms() map[string]term {
	if t.linear == nil {
		return nil
	}
	return t.linear.atoms
}

// less removes plates that an expression binds itself.
func (t term) less(bound []*plate) term {
	var rest []*plate
	for _, p := range t.plates {
		if !slices.Contains(bound, p) {
			rest = append(rest, p)
		}
	}
	t.plates = rest
	return t
}

// fold returns a reduction over all elements of a value: sum(x), or sum(i in N: x[i]).
func (x *executor) fold(f string, v value) term {
	if v.isScalar() {
		v = x.listOf([]term{v.number()})
	}
	if n, ok := v.dims[0].whole(); ok && x.inline && f == "sum" && len(v.dims) == 1 && n <= 4 {
		t := constant(0)
		for i := range n {
			t = add(t, v.elem([]term{constant(i + 1)}))
		}
		return t
	}
	if v.whole != nil {
		t := callTerm(f, v.asTerm())
		t.integer = v.typ.Word == "int" && f == "sum"
		t.eval = x.folded(f, v)
		return t
	}
	var out term
	plates, index := x.axes(v.dims)
	body := v.elem(index)
	out = bound(f, plates, body)
	out.eval = x.folded(f, v)
	return out
}

// bound returns f(i in N: body).
func bound(f string, plates []*plate, body term) term {
	parts := []term{body}
	for _, p := range plates {
		parts = append(parts, p.lo, p.hi)
	}
	t := termOf(callOf(f, rangedOf(kindOver, plates, body.node)), parts...).less(plates)
	t.integer = body.integer && f == "sum"
	return t
}

// listOf returns an array that lists the terms.
func (x *executor) listOf(items []term) value {
	v := value{typ: stan.Type{Word: "real", Depth: 1}, dims: []term{constant(len(items))}}
	for _, t := range items {
		v.level = max(v.level, t.level)
		v.from = term{plates: v.from}.from(t).plates
	}
	if len(items) > 0 {
		v.whole = listOf(nodesOf(items))
	}
	v.elem = func(index []term) term {
		if i, ok := index[0].whole(); ok && len(index[0].plates) == 0 {
			if i < 1 || i > len(items) {
				refuse(fmt.Sprintf("the index %d is out of range for an array of length %d", i, len(items)))
			}
			return items[i-1]
		}
		if len(items) == 1 {
			return items[0]
		}
		t := termOf(subscriptOf(v.whole, nodesOf(index)...), slices.Concat(items, index)...)
		if len(items) == 2 {
			return choose(comparison("==", index[0], constant(1)), items[0], items[1])
		}
		t.eval = func(b bindings) (float64, bool) {
			if index[0].eval == nil {
				return 0, false
			}
			at, ok := index[0].eval(b)
			if !ok || at < 1 || int(at) > len(items) || items[int(at)-1].eval == nil {
				return 0, false
			}
			return items[int(at)-1].eval(b)
		}
		return t
	}
	return v
}

// lazily returns an array given by a function for its elements. parts are the values on which they depend.
func lazily(typ stan.Type, dims []term, parts []value, elem func(index []term) term) value {
	v := value{typ: typ, dims: dims, elem: elem}
	for _, p := range parts {
		v.level = max(v.level, p.level)
		v.from = term{plates: v.from}.from(term{plates: p.from}).plates
	}
	return v
}

// elements calls f in order with every index of dims, if data determine dims. It returns false if they do not, or if
// there are more than most indices.
func elements(dims []term, b bindings, most int, f func(index []term)) bool {
	sizes, total := make([]int, len(dims)), 1
	for i, d := range dims {
		if d.eval == nil {
			return false
		}
		v, ok := d.eval(b)
		if !ok {
			return false
		}
		sizes[i] = int(v)
		total *= max(0, int(v))
		if total > most {
			return false
		}
	}
	index := make([]term, len(dims))
	var walk func(axis int)
	walk = func(axis int) {
		if axis == len(dims) {
			f(slices.Clone(index))
			return
		}
		for i := 1; i <= sizes[axis]; i++ {
			index[axis] = constant(i)
			walk(axis + 1)
		}
	}
	walk(0)
	return true
}
