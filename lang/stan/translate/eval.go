package translate

import (
	"fmt"
	"slices"

	"ppl/lang/stan"
)

// A subscript is one position in brackets: one index, a list of indices, or a range lo:hi whose ends may be missing.
type subscript struct {
	one    *term
	list   *value
	lo, hi *term
	all    bool
}

func (x *executor) evalSubs(subs []stan.Sub) []subscript {
	out := make([]subscript, len(subs))
	for i, s := range subs {
		if s.Range {
			out[i].all = s.Lo == nil && s.Hi == nil
			if s.Lo != nil {
				t := x.eval(s.Lo).number()
				out[i].lo = &t
			}
			if s.Hi != nil {
				t := x.eval(s.Hi).number()
				out[i].hi = &t
			}
			continue
		}
		v := x.eval(s.Lo)
		if v.isScalar() {
			t := x.fixed(v.number())
			if t.level != ofData {
				t = callTerm("round", t)
				t.integer, t.linear = true, atomLinear(t)
			}
			out[i].one = &t
			continue
		}
		out[i].list = &v
	}
	return out
}

// eval translates an expression. Its type decides whether its elements are integers, whose division truncates.
func (x *executor) eval(e stan.Expr) value {
	v := x.evalAny(e)
	switch t := x.info.Types[e]; {
	case !t.Known() || t.Word == "tuple":
		return v
	case t.Word == "int":
		return v.asInt()
	}
	return v.asReal()
}

func (x *executor) evalAny(e stan.Expr) value {
	switch e := e.(type) {
	case *stan.Number:
		if e.Imaginary {
			refuse("ppl does not support complex numbers")
		}
		return scalar(number(e.Text, e.Value, e.IsInt))
	case *stan.Name:
		c := x.lookup(e.Name)
		if c == nil {
			refuse("`" + e.Name + "` was not translated")
		}
		return x.read(c)
	case *stan.Paren:
		return x.eval(e.X)
	case *stan.Unary:
		return x.unary(e)
	case *stan.Binary:
		if e.Op == "&&" || e.Op == "||" {
			return x.logical(e)
		}
		return x.infix(e.Op, x.eval(e.X), x.eval(e.Y))
	case *stan.Ternary:
		return x.ternary(e)
	case *stan.Call:
		return x.call(e)
	case *stan.Index:
		return x.index(e)
	case *stan.List:
		return x.list(e)
	case *stan.Field:
		v := x.eval(e.X)
		if e.N > len(v.parts) {
			refuse("this element of a tuple is not translated yet")
		}
		return v.parts[e.N-1]
	}
	refuse("this expression is not translated yet")
	return value{}
}

// logical translates && and ||. It ignores the right side if the left side decides the result.
func (x *executor) logical(e *stan.Binary) value {
	a := x.eval(e.X).number()
	if v, ok := a.value(); ok && (v != 0) == (e.Op == "||") {
		return scalar(constant(int(truth(v != 0))))
	} else if ok {
		return x.eval(e.Y)
	}
	b := x.eval(e.Y).number()
	if v, ok := b.value(); ok {
		if (v != 0) == (e.Op == "||") {
			return scalar(constant(int(truth(v != 0))))
		}
		return scalar(a)
	}
	return scalar(comparison(e.Op, a, b))
}

func (x *executor) ternary(e *stan.Ternary) value {
	cond := x.condition(e.If)
	if v, ok := cond.value(); ok {
		if v != 0 {
			return x.eval(e.Then)
		}
		return x.eval(e.Else)
	}
	a, b := x.eval(e.Then), x.eval(e.Else)
	return chooseValue(cond, a, b)
}

func (x *executor) unary(e *stan.Unary) value {
	v := x.eval(e.X)
	switch e.Op {
	case "'":
		return transposed(v)
	case "!":
		return scalar(not(v.number()))
	case "-":
		return x.mapped(v.typ, []value{v}, func(ts []term) term { return negate(ts[0]) })
	}
	return v
}

func transposed(v value) value {
	if len(v.dims) == 1 {
		v.typ = v.typ.Transposed()
		return v
	}
	inner := v
	out := lazily(v.typ, []term{v.dims[1], v.dims[0]}, []value{v}, func(index []term) term {
		return inner.elem([]term{index[1], index[0]})
	})
	if v.whole != nil {
		out.whole = callOf("transpose", v.whole)
	}
	return out
}

// mapped applies f to the elements of values with equal axes. Scalars are combined with every element.
func (x *executor) mapped(typ stan.Type, parts []value, f func([]term) term) value {
	var dims []term
	for _, p := range parts {
		if len(p.dims) > len(dims) {
			dims = p.dims
		}
	}
	elem := func(index []term) term {
		ts := make([]term, len(parts))
		for i, p := range parts {
			if p.isScalar() {
				ts[i] = p.number()
				continue
			}
			ts[i] = p.elem(index[len(index)-len(p.dims):])
		}
		return f(ts)
	}
	if dims == nil {
		v := scalar(elem(nil))
		return v
	}
	out := lazily(typ, dims, parts, elem)
	out.whole = wholeOf(parts, dims, f)
	return out
}

// wholeOf returns an operation on vectors as one expression, if all of them are expressions and have the same named
// axis.
func wholeOf(parts []value, dims []term, f func([]term) term) *node {
	if len(dims) != 1 {
		return nil
	}
	ts := make([]term, len(parts))
	for i, p := range parts {
		if p.isScalar() {
			ts[i] = p.number()
			continue
		}
		if p.whole == nil || !p.whole.isReference() && p.whole.size > 60 || !p.dims[0].node.equalTo(dims[0].node) ||
			p.fixed() {
			return nil
		}
		ts[i] = p.asTerm()
	}
	return f(ts).node
}

// fixed reports whether a value is written as a list, whose axis has no name.
func (v value) fixed() bool {
	return v.whole != nil && (v.whole.kind == kindList || v.whole.kind == kindEach)
}

func (x *executor) infix(op string, a, b value) value {
	switch op {
	case "*":
		if !a.isScalar() && !b.isScalar() {
			return x.product(a, b)
		}
		return x.mapped(wider(a, b), []value{a, b}, func(ts []term) term { return multiply(ts[0], ts[1]) })
	case "/":
		if !b.isScalar() && b.typ.Word == "matrix" {
			return x.product(a, x.matrixCall("inverse", b))
		}
		return x.mapped(wider(a, b), []value{a, b}, func(ts []term) term { return divide(ts[0], ts[1]) })
	case `\`:
		return x.product(x.matrixCall("inverse", a), b)
	}
	return x.mapped(wider(a, b), []value{a, b}, func(ts []term) term { return operate(op, ts[0], ts[1]) })
}

func operate(op string, a, b term) term {
	switch op {
	case "+":
		return add(a, b)
	case "-":
		return subtract(a, b)
	case ".*":
		return multiply(a, b)
	case "./":
		return divide(a, b)
	case "^", ".^":
		return power(a, b)
	case "%":
		return remainder(a, b)
	case "%/%":
		return divide(a, b)
	}
	return comparison(op, a, b)
}

func wider(a, b value) stan.Type {
	if len(b.dims) > len(a.dims) {
		return b.typ
	}
	return a.typ
}

// product translates products of matrices and vectors.
func (x *executor) product(a, b value) value {
	kinds := a.typ.Word + " " + b.typ.Word
	switch kinds {
	case "row_vector vector":
		return scalar(x.dot(a, b))
	case "vector row_vector":
		return lazily(stan.Type{Word: "matrix"}, []term{a.dims[0], b.dims[0]}, []value{a, b},
			func(index []term) term {
				return multiply(a.elem(index[:1]), b.elem(index[1:]))
			})
	case "matrix vector":
		out := lazily(stan.Type{Word: "vector"}, a.dims[:1], []value{a, b}, func(index []term) term {
			return x.dot(rowOf(a, index[0]), b)
		})
		if joins(a, b, a.dims[1]) && !a.dims[0].node.equalTo(a.dims[1].node) {
			out.whole = binaryOf("@", a.whole, b.whole)
		}
		return out
	case "row_vector matrix":
		return lazily(stan.Type{Word: "row_vector"}, b.dims[1:], []value{a, b}, func(index []term) term {
			return x.dot(a, columnOf(b, index[0]))
		})
	}
	return lazily(stan.Type{Word: "matrix"}, []term{a.dims[0], b.dims[1]}, []value{a, b}, func(index []term) term {
		return x.dot(rowOf(a, index[0]), columnOf(b, index[1]))
	})
}

// joins reports whether a and b are names or elements of arrays, and the first axis of b is the given one.
func joins(a, b value, axis term) bool {
	return a.whole != nil && b.whole != nil && axis.node.equalTo(b.dims[0].node) && a.whole.isReference() &&
		b.whole.isReference()
}

func rowOf(m value, i term) value {
	v := lazily(stan.Type{Word: "row_vector"}, m.dims[1:], []value{m, scalar(i)}, func(index []term) term {
		return m.elem([]term{i, index[0]})
	})
	v.whole = subscripted(m.whole, i.node)
	return v
}

func columnOf(m value, j term) value {
	v := lazily(stan.Type{Word: "vector"}, m.dims[:1], []value{m, scalar(j)}, func(index []term) term {
		return m.elem([]term{index[0], j})
	})
	v.whole = subscripted(m.whole, literalOf("_"), j.node)
	return v
}

// subscripted adds subscripts to a reference. It returns nil if n is not a reference.
func subscripted(n *node, subs ...*node) *node {
	if n == nil || !n.isReference() {
		return nil
	}
	return subscriptOf(n, subs...)
}

// dot returns the inner product of two vectors.
func (x *executor) dot(a, b value) term {
	if n, ok := a.dims[0].whole(); ok {
		if m, also := b.dims[0].whole(); also && m != n {
			refuse(fmt.Sprintf("vectors of %d and %d elements cannot be multiplied", n, m))
		}
	}
	if n, ok := a.dims[0].whole(); ok && n <= 3 && len(a.dims[0].linearAtoms()) == 0 {
		out := constant(0)
		for i := 1; i <= n; i++ {
			out = add(out, multiply(a.elem([]term{constant(i)}), b.elem([]term{constant(i)})))
		}
		out.integer, out.linear = false, nil
		return out
	}
	if joins(a, b, a.dims[0]) {
		t := termOf(binaryOf("@", a.whole, b.whole), a.asTerm(), b.asTerm())
		t.eval = x.folded("sum", x.mapped(a.typ, []value{a, b}, func(ts []term) term {
			return multiply(ts[0],
				ts[1])
		}))
		return t
	}
	products := lazily(stan.Type{Word: "vector"}, a.dims[:1], []value{a, b}, func(index []term) term {
		return multiply(a.elem(index), b.elem(index))
	})
	return x.fold("sum", products)
}

// index translates x[subs].
func (x *executor) index(e *stan.Index) value {
	return x.subscriptsOf(x.eval(e.X), x.evalSubs(e.Subs))
}

func (x *executor) subscriptsOf(v value, subs []subscript) value {
	dims := slices.Clone(v.dims)
	var left []term
	parts := []value{v}
	for i, s := range subs {
		switch {
		case s.one != nil:
			parts = append(parts, scalar(*s.one))
			continue
		case s.list != nil:
			left = append(left, s.list.dims[0])
			parts = append(parts, *s.list)
		case s.lo == nil && s.hi == nil:
			left = append(left, dims[i])
		default:
			lo, hi := constant(1), dims[i]
			if s.lo != nil {
				lo = *s.lo
			}
			if s.hi != nil {
				hi = *s.hi
			}
			left = append(left, add(subtract(hi, lo), constant(1)))
			parts = append(parts, scalar(lo), scalar(hi))
		}
	}
	left = append(left, dims[len(subs):]...)
	elem := func(index []term) term {
		full := make([]term, 0, len(v.dims))
		at := 0
		for _, s := range subs {
			switch {
			case s.one != nil:
				full = append(full, *s.one)
				continue
			case s.list != nil:
				full = append(full, s.list.elem(index[at:at+1]))
			case s.lo != nil:
				full = append(full, subtract(add(*s.lo, index[at]), constant(1)))
			default:
				full = append(full, index[at])
			}
			at++
		}
		return v.elem(append(full, index[at:]...))
	}
	typ := v.typ.Subscripted(len(subs), func(i int) bool { return subs[i].one == nil })
	if len(left) == 0 {
		return scalar(elem(nil))
	}
	out := lazily(typ, left, parts, elem)
	out.whole = subscriptWhole(v, subs)
	return out
}

// subscriptWhole subscripts an array as one expression, if each subscript is an index or a named list.
func subscriptWhole(v value, subs []subscript) *node {
	if v.whole == nil || !v.whole.isReference() {
		return nil
	}
	var all []*node
	for _, s := range subs {
		switch {
		case s.one != nil:
			all = append(all, s.one.node)
		case s.list != nil && s.list.whole != nil && s.list.whole.isReference() && len(subs) == 1:
			all = append(all, s.list.whole)
		case s.all:
			all = append(all, literalOf("_"))
		default:
			return nil
		}
	}
	return subscriptOf(v.whole, all...)
}

// list translates {a, b}, [a, b] and (a, b).
func (x *executor) list(e *stan.List) value {
	parts := make([]value, len(e.Items))
	for i, item := range e.Items {
		parts[i] = x.eval(item)
	}
	typ := x.info.Types[e]
	if e.Open == "(" {
		return value{typ: typ, parts: parts,
			elem: func([]term) term { refuse("a tuple is not a number"); return term{} }}
	}
	if len(parts) == 0 || parts[0].isScalar() {
		items := make([]term, len(parts))
		for i, p := range parts {
			items[i] = p.number()
		}
		v := x.listOf(items)
		v.typ = typ
		return v
	}
	out := lazily(typ, append([]term{constant(len(parts))}, parts[0].dims...), parts, nil)
	out.elem = func(index []term) term {
		if i, ok := index[0].whole(); ok && i >= 1 && i <= len(parts) {
			return parts[i-1].elem(index[1:])
		}
		column := make([]term, len(parts))
		for i, p := range parts {
			column[i] = p.elem(index[1:])
		}
		return x.listOf(column).elem(index[:1])
	}
	return out
}

// folded returns a function that evaluates a reduction, if data determine its value.
func (x *executor) folded(f string, v value) func(bindings) (float64, bool) {
	if v.level != ofData {
		return nil
	}
	return func(b bindings) (float64, bool) {
		var all []float64
		good := true
		ok := elements(v.dims, b, 1e6, func(index []term) {
			t := v.elem(index)
			if !good || t.eval == nil {
				good = false
				return
			}
			n, known := t.eval(b)
			good = good && known
			all = append(all, n)
		})
		if !ok || !good {
			return 0, false
		}
		return reduce(f, all)
	}
}
