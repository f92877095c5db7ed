package evaluate

import (
	"math"

	"ppl/lang/stan"
)

// eval returns the value of an expression.
func (r *run) eval(e stan.Expr) value {
	switch e := e.(type) {
	case *stan.Number:
		if e.Imaginary {
			fail("complex numbers are not supported")
		}
		return value{typ: r.info.Types[e], nums: []float64{e.Value}}
	case *stan.Name:
		return *r.lookup(e.Name)
	case *stan.Paren:
		return r.eval(e.X)
	case *stan.Unary:
		return r.unary(e)
	case *stan.Binary:
		return r.binary(e)
	case *stan.Ternary:
		if r.eval(e.If).num() != 0 {
			return r.eval(e.Then).as(r.info.Types[e])
		}
		return r.eval(e.Else).as(r.info.Types[e])
	case *stan.Call:
		return r.call(e)
	case *stan.Index:
		v := r.eval(e.X)
		return v.subscripted(r.subs(e.Subs, v.dims))
	case *stan.List:
		return r.list(e)
	case *stan.Field:
		return r.eval(e.X).parts[e.N-1]
	}
	fail("this expression is not supported")
	return value{}
}

// subs evaluates the subscripts of a value with the given axes.
func (r *run) subs(all []stan.Sub, dims []int) []sub {
	if len(all) > len(dims) {
		fail("there are %d subscripts for %d axes", len(all), len(dims))
	}
	out := make([]sub, len(all))
	for i, s := range all {
		out[i] = r.sub(s, dims[i])
	}
	return out
}

func (r *run) sub(s stan.Sub, length int) sub {
	if s.Range {
		lo, hi := 1, length
		if s.Lo != nil {
			lo = r.eval(s.Lo).int()
		}
		if s.Hi != nil {
			hi = r.eval(s.Hi).int()
		}
		var places []int
		for i := lo; i <= hi; i++ {
			places = append(places, within(i, length))
		}
		return sub{places, true}
	}
	v := r.eval(s.Lo)
	places := make([]int, len(v.nums))
	for i, n := range v.nums {
		places[i] = within(int(n), length)
	}
	return sub{places, !v.isScalar()}
}

// within converts an index to a 0-based position, and fails if it is out of range.
func within(i, length int) int {
	if i < 1 || i > length {
		fail("the index %d is out of range for an axis of length %d", i, length)
	}
	return i - 1
}

func (r *run) unary(e *stan.Unary) value {
	v := r.eval(e.X)
	switch e.Op {
	case "'":
		return transposed(v)
	case "!":
		return truth(v.num() == 0)
	case "-":
		return mapped1(v, func(a float64) float64 { return -a })
	}
	return v
}

func (r *run) binary(e *stan.Binary) value {
	a := r.eval(e.X)
	switch {
	case e.Op == "&&" && a.num() == 0:
		return whole(0)
	case e.Op == "||" && a.num() != 0:
		return whole(1)
	}
	return r.operate(e.Op, a, r.eval(e.Y), r.info.Types[e])
}

// comparisons maps the operators whose value is 0 or 1 to their functions.
var comparisons = map[string]func(a, b float64) bool{
	"<": func(a, b float64) bool { return a < b }, "<=": func(a, b float64) bool { return a <= b },
	">": func(a, b float64) bool { return a > b }, ">=": func(a, b float64) bool { return a >= b },
	"==": func(a, b float64) bool { return a == b }, "!=": func(a, b float64) bool { return a != b },
	"&&": func(a, b float64) bool { return a != 0 && b != 0 },
	"||": func(a, b float64) bool { return a != 0 || b != 0 },
}

// arithmetic maps the elementwise operators to their functions.
var arithmetic = map[string]func(a, b float64) float64{
	"+": func(a, b float64) float64 { return a + b }, "-": func(a, b float64) float64 { return a - b },
	"*": func(a, b float64) float64 { return a * b }, ".*": func(a, b float64) float64 { return a * b },
	"/": func(a, b float64) float64 { return a / b }, "./": func(a, b float64) float64 { return a / b },
	"^": math.Pow, ".^": math.Pow, "%": math.Mod,
	"%/%": func(a, b float64) float64 { return math.Trunc(a / b) },
}

// operate applies an operator. typ is the type of the result.
func (r *run) operate(op string, a, b value, typ stan.Type) value {
	if f := comparisons[op]; f != nil {
		return truth(f(a.num(), b.num()))
	}
	switch {
	case op == "*" && !a.isScalar() && !b.isScalar():
		return product(a, b, typ)
	case op == "/" && !b.isScalar() && b.typ.Word == "matrix":
		return shaped(divideRight(a, b), typ)
	case op == `\`:
		return shaped(divideLeft(a, b), typ)
	case (op == "/" || op == "%/%") && typ.Word == "int":
		if b.num() == 0 {
			fail("an integer is divided by 0")
		}
		op = "%/%"
	case op == "%" && b.num() == 0:
		fail("an integer is divided by 0")
	}
	f := arithmetic[op]
	if f == nil {
		fail("the operator `%s` is not supported", op)
	}
	return mapped2(typ, a, b, f)
}

// list evaluates {a, b}, [a, b] or (a, b).
func (r *run) list(e *stan.List) value {
	parts := make([]value, len(e.Items))
	for i, item := range e.Items {
		parts[i] = r.eval(item)
	}
	typ := r.info.Types[e]
	if e.Open == "(" {
		return value{typ: typ, parts: parts}
	}
	out := value{typ: typ, dims: []int{len(parts)}}
	for i, p := range parts {
		if i == 0 {
			out.dims = append(out.dims, p.dims...)
		}
		out.nums = append(out.nums, p.nums...)
	}
	if len(out.nums) != count(out.dims) {
		fail("the items of a list have different lengths")
	}
	return out
}

// Calls.

func (r *run) call(e *stan.Call) value {
	name := stan.Normalized(e.Fun.Name)
	if fs := r.info.Functions[name]; len(fs) > 0 {
		types := make([]stan.Type, len(e.Args))
		for i, a := range e.Args {
			types[i] = r.info.Types[a]
		}
		return r.function(fitting(fs, types), r.args(e.Args))
	}
	if takesFunction(name) {
		return r.solve(e)
	}
	typ := r.info.Types[e]
	args := r.args(e.Args)
	if v, ok := r.probability(name, args); ok {
		return v
	}
	if f, ok := numbers[name]; ok && len(args) == f.n {
		v := mapped(typ, args, f.f)
		return v
	}
	f := functions[name]
	if f == nil {
		fail("the function `%s` is not supported", name)
	}
	v := f(r, args)
	if typ.Known() {
		v.typ = typ
	}
	return v
}

func (r *run) args(all []stan.Expr) []value {
	out := make([]value, len(all))
	for i, a := range all {
		out[i] = r.eval(a)
	}
	return out
}

// fitting returns the overload that accepts arguments of the given types.
func fitting(all []*stan.Function, types []stan.Type) *stan.Function {
	for _, f := range all {
		fits := len(f.Params) == len(types)
		for i := 0; fits && i < len(types); i++ {
			fits = f.Params[i].Type.Takes(types[i])
		}
		if fits {
			return f
		}
	}
	return all[0]
}

// function runs a function of the program.
func (r *run) function(f *stan.Function, args []value) value {
	if len(args) != len(f.Params) {
		fail("`%s` takes %d arguments", f.Name.Name, len(f.Params))
	}
	r.calls++
	if r.calls > maxCalls {
		fail("calls are nested more than %d levels deep, in `%s`", maxCalls, f.Name.Name)
	}
	scopes, at := r.scopes, r.at
	own := scope{}
	for i, p := range f.Params {
		v := args[i].as(p.Type)
		own[p.Name.Name] = &v
	}
	r.scopes = []scope{own}
	_, v := r.stmts(f.Body.Stmts)
	r.scopes, r.at = scopes, at
	r.calls--
	if f.Result.Known() && v.nums != nil {
		v.typ = f.Result
	}
	return v
}
