// Package evaluate computes the log density of a Stan program by running it, statement by statement, as the reference
// manual specifies:
//
//	m, err := evaluate.New(p, info, data)
//	at, err := m.Point(rand.NormFloat64)
//	target, err := m.LogDensity(at)
//
// It checks translations, and therefore shares only the syntax tree with package translate. Densities and functions are
// implemented separately from the Stan Functions Reference; tails and matrix functions come from gonum. It computes no
// gradients. The log density is that of Stan up to a constant, without Jacobians.
package evaluate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ppl/lang/source"
	"ppl/lang/stan"
)

// maxSteps is the greatest number of statements that one evaluation may run, and maxCalls the greatest depth of nested
// calls.
const (
	maxSteps = 10_000_000
	maxCalls = 200
)

// A Failure names a statement that cannot be run, and the reason.
type Failure struct {
	At     source.Span
	Reason string
}

func (f *Failure) Error() string {
	if !f.At.Valid() {
		return f.Reason
	}
	return fmt.Sprintf("line %d: %s", f.At.Line(), f.Reason)
}

// fail ends the evaluation.
func fail(format string, args ...any) { panic(&Failure{Reason: fmt.Sprintf(format, args...)}) }

// ErrRejected is returned for a point that the program rejects: by a statement such as reject, because a matrix is
// singular or not positive definite, because a solver fails, or because a transformed parameter is outside of its
// bounds.
var ErrRejected = errors.New("the program rejects the point")

// rejected is the panic value for such a point.
type rejected struct{}

// A Machine is a program with its data.
type Machine struct {
	program *stan.Program
	info    *stan.Info
	data    scope // variables of the blocks data and transformed data
}

// A scope maps the names of a block's variables to their values.
type scope map[string]*value

// A run is one evaluation.
type run struct {
	*Machine
	scopes []scope
	target float64
	steps  int
	calls  int
	at     source.Span
}

// New binds data to a checked program and runs its transformed data block.
func New(p *stan.Program, info *stan.Info, data stan.Data) (m *Machine, err error) {
	m = &Machine{program: p, info: info, data: scope{}}
	r := &run{Machine: m, scopes: []scope{m.data}}
	err = r.guarded(func() {
		for _, s := range p.Data {
			r.bindData(s.(*stan.Decl), data)
		}
		r.stmts(p.TransformedData)
	})
	return m, err
}

// TransformedData returns the values of the given variables of the transformed data block. It omits tuples, and
// variables with an element that is NaN, which may never have been assigned.
func (m *Machine) TransformedData(names []string) stan.Data {
	out := stan.Data{}
	for _, name := range names {
		if v := m.data[name]; v != nil && v.parts == nil && !slices.ContainsFunc(v.nums, math.IsNaN) {
			out[name] = stan.Array{Dims: v.dims, Values: v.nums}
		}
	}
	return out
}

// guarded runs f and returns its failure as an error.
func (r *run) guarded(f func()) (err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case rejected:
			err = ErrRejected
		case *Failure:
			if !cause.At.Valid() {
				cause.At = r.at
			}
			err = cause
		default:
			panic(cause)
		}
	}()
	f()
	return nil
}

func (r *run) bindData(d *stan.Decl, data stan.Data) {
	r.at = d.At
	typ, dims := r.shape(d.Type)
	given, ok := data[d.Name.Name]
	if !ok {
		fail("the data lack `%s`", d.Name.Name)
	}
	if len(given.Values) != count(dims) {
		fail("`%s` has %d values, but the data have %d", d.Name.Name, count(dims), len(given.Values))
	}
	r.declare(d.Name.Name, arrayOf(typ, dims, given.Values))
}

// LogDensity returns the log density at values of the parameters on the constrained scale.
func (m *Machine) LogDensity(parameters stan.Data) (float64, error) {
	r := &run{Machine: m, scopes: []scope{m.data, {}}}
	err := r.guarded(func() {
		for _, s := range m.program.Parameters {
			r.bindData(s.(*stan.Decl), parameters)
		}
		r.stmts(m.program.TransformedParameters)
		for _, s := range m.program.TransformedParameters {
			if d, ok := s.(*stan.Decl); ok {
				r.mustBeWithin(d)
			}
		}
		r.inScope(m.program.Model)
	})
	return r.target, err
}

// mustBeWithin rejects a point at which a variable is outside of its bounds.
func (r *run) mustBeWithin(d *stan.Decl) {
	r.at = d.At
	for _, x := range []struct {
		word string
		sign float64
	}{{"lower", 1}, {"upper", -1}} {
		e := d.Type.Constraint(x.word)
		if e == nil {
			continue
		}
		bound := r.eval(e)
		for i, v := range r.lookup(d.Name.Name).nums {
			if !(x.sign*v >= x.sign*bound.nums[i%len(bound.nums)]) {
				panic(rejected{})
			}
		}
	}
}

func (r *run) declare(name string, v value) { r.scopes[len(r.scopes)-1][name] = &v }

func (r *run) lookup(name string) *value {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if v := r.scopes[i][name]; v != nil {
			return v
		}
	}
	fail("`%s` has no value", name)
	return nil
}

// shape returns the type and the axis lengths of a declaration.
func (r *run) shape(t *stan.SizedType) (typ stan.Type, dims []int) {
	if t.Word == "tuple" || t.Plain().InnerAxes() == 0 && len(t.Dims) > 0 {
		fail("variables of this type are not supported")
	}
	for _, e := range t.ArrayDims {
		dims = append(dims, r.length(e))
	}
	for _, e := range t.Dims {
		dims = append(dims, r.length(e))
	}
	typ = t.Plain()
	if len(dims) < typ.Axes() { // a square matrix
		dims = append(dims, dims[len(dims)-1])
	}
	return typ, dims
}

func (r *run) length(e stan.Expr) int {
	n := r.eval(e).int()
	if n < 0 {
		fail("an axis has the negative length %d", n)
	}
	return n
}

// flow is the way in which a statement ended.
type flow int

const (
	continues flow = iota
	broke
	continued
	returned
)

func (r *run) stmts(all []stan.Stmt) (flow, value) {
	for _, s := range all {
		if f, v := r.stmt(s); f != continues {
			return f, v
		}
	}
	return continues, value{}
}

func (r *run) inScope(all []stan.Stmt) (flow, value) {
	r.scopes = append(r.scopes, scope{})
	n := len(r.scopes)
	defer func() { r.scopes = r.scopes[:n-1] }()
	return r.stmts(all)
}

func (r *run) stmt(s stan.Stmt) (flow, value) {
	r.at = s.Span()
	r.steps++
	if r.steps > maxSteps {
		fail("the program runs more than %d statements; it may never end", maxSteps)
	}
	switch s := s.(type) {
	case *stan.Decl:
		r.decl(s)
	case *stan.Assign:
		r.assign(s)
	case *stan.Sample:
		r.sample(s)
	case *stan.CallStmt:
		r.call(s.Call)
	case *stan.Message:
		if s.Word != "print" {
			panic(rejected{})
		}
	case *stan.Block:
		return r.inScope(s.Stmts)
	case *stan.If:
		switch {
		case r.eval(s.Cond).num() != 0:
			return r.inScope([]stan.Stmt{s.Then})
		case s.Else != nil:
			return r.inScope([]stan.Stmt{s.Else})
		}
	case *stan.While:
		return r.while(s)
	case *stan.For:
		return r.loop(s)
	case *stan.Jump:
		if s.Word == "break" {
			return broke, value{}
		}
		return continued, value{}
	case *stan.Return:
		if s.Value == nil {
			return returned, value{}
		}
		return returned, r.eval(s.Value)
	}
	return continues, value{}
}

func (r *run) while(s *stan.While) (flow, value) {
	for r.eval(s.Cond).num() != 0 {
		if f, v := r.inScope([]stan.Stmt{s.Body}); f == broke {
			break
		} else if f == returned {
			return f, v
		}
		r.steps++
	}
	return continues, value{}
}

func (r *run) loop(s *stan.For) (flow, value) {
	first := r.eval(s.Lo)
	turns, bind := first.size(), func(i int) value { return first.element(i) }
	if s.Hi != nil {
		lo := first.int()
		turns, bind = r.eval(s.Hi).int()-lo+1, func(i int) value { return whole(lo + i) }
	} else if len(first.dims) == 2 && first.typ.Depth == 0 { // elements of a matrix, column by column
		all := inColumns(first)
		turns, bind = len(all), func(i int) value { return real(all[i]) }
	}
	for i := range turns {
		r.scopes = append(r.scopes, scope{})
		r.declare(s.Index.Name, bind(i))
		f, v := r.stmt(s.Body)
		r.scopes = r.scopes[:len(r.scopes)-1]
		if f == broke {
			break
		} else if f == returned {
			return f, v
		}
	}
	return continues, value{}
}

func (r *run) decl(d *stan.Decl) {
	typ, dims := r.shape(d.Type)
	if d.Value == nil {
		r.declare(d.Name.Name, undefined(typ, dims))
		return
	}
	v := r.eval(d.Value)
	r.sameAxes(dims, v.dims)
	r.declare(d.Name.Name, v.clone().as(typ))
}

func (r *run) sameAxes(want, got []int) {
	if len(want) != len(got) || count(want) != count(got) {
		fail("a value with the axes %v is assigned to a variable with the axes %v", got, want)
	}
}

func (r *run) assign(s *stan.Assign) {
	if n, ok := s.Left.(*stan.Name); ok && (n.Name == "target" || n.Name == "jacobian") {
		if n.Name == "target" {
			r.increment(r.eval(s.Right))
		}
		return
	}
	v := r.eval(s.Right)
	if s.Op != "=" {
		v = r.operate(s.Op[:len(s.Op)-1], r.eval(s.Left), v, r.info.Types[s.Left])
	}
	r.assignTo(s.Left, v)
}

// increment adds all elements of a value to the log density.
func (r *run) increment(v value) {
	for _, x := range v.nums {
		r.target += x
	}
}

func (r *run) assignTo(left stan.Expr, v value) {
	switch l := stan.Bare(left).(type) {
	case *stan.List:
		for i, left := range l.Items {
			r.assignTo(left, v.parts[i])
		}
	case *stan.Name:
		to := r.lookup(l.Name)
		r.sameAxes(to.dims, v.dims)
		*to = v.clone().as(to.typ)
	case *stan.Index:
		to, places, dims := r.places(l)
		r.sameAxes(dims, v.dims)
		for i, p := range places {
			to.nums[p] = v.nums[i]
		}
	default:
		fail("this left side of an assignment is not supported")
	}
}

// places returns the variable, and the positions of its elements that the subscripts select; x[a][b] is supported.
func (r *run) places(e *stan.Index) (to *value, places, dims []int) {
	switch inner := stan.Bare(e.X).(type) {
	case *stan.Name:
		to = r.lookup(inner.Name)
		places, dims = to.chosen(r.subs(e.Subs, to.dims))
	case *stan.Index:
		var first []int
		var axes []int
		to, first, axes = r.places(inner)
		places, dims = value{dims: axes}.chosen(r.subs(e.Subs, axes))
		for i, p := range places {
			places[i] = first[p]
		}
	default:
		fail("this left side of an assignment is not supported")
	}
	return to, places, dims
}
