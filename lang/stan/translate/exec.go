package translate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ppl/lang/source"
	"ppl/lang/stan"
)

// These limits bound a translation. maxUnrolled is the maximum number of iterations of loops that are written out,
// maxItems the maximum number of statements, maxText the maximum total size of their expressions in characters, and
// maxCalls the maximum depth of function calls. Longer models are not readable, and compile for minutes.
const (
	maxUnrolled = 50000
	maxItems    = 8000
	maxText     = 1 << 20
	maxCalls    = 60
)

// A refusal ends the translation of a statement. It names what cannot be written in ppl.
type refusal struct {
	at     source.Span
	reason string
}

// cannot ends the present attempt to translate a statement; another method may succeed.
func cannot(format string, args ...any) { panic(&refusal{reason: fmt.Sprintf(format, args...)}) }

// refuse is like cannot, for code that no method translates.
func refuse(reason string) { panic(&refusal{reason: reason}) }

// An item is a statement of the model.
type item struct {
	name  string // name that is defined or drawn; "" for a factor
	slots []slot
	left  *node // set if the left side is not a name with slots
	body  *node
	tail  string // text after the body; for data their type
	value string // text of the values of data that the model contains
	in    *node  // range of a distribution
	draws bool   // written with `~`, not `=`
	at    source.Span
	level level

	generate bool
	factor   bool
	isData   bool
	setting  bool       // an infer statement
	kept     bool       // the results contain it
	dropped  bool       // another statement says the same
	balance  bool       // cancels the factor that the prior of a constrained parameter adds
	param    *parameter // set in the statement of a parameter without a prior

	// for a density that may become a prior: its form as a factor
	factorBody  *node
	factorSlots []slot
}

// An executor runs a program. It computes what data determine; the rest becomes statements of a model.
type executor struct {
	program  *stan.Program
	info     *stan.Info
	options  Options
	names    *names
	scopes   []map[string]*cell
	states   map[*cell]*state
	plates   []*plate // enclosing loops, outermost first
	guards   []term   // enclosing conditions
	items    []item
	at       source.Span // the present statement
	block    string
	end      int // end offset of the present function or block
	calls    int
	iterated int    // number of iterations of unrolled loops so far
	because  string // reason why the outermost of these loops is unrolled
	unrolled int    // number of enclosing unrolled loops
	length   int    // total length of the statements so far
	inline   bool
	carried  int // number of names for carried values
	indices  int // number of plates
	renamed  map[string]string
	prefixes map[string][]*node // maps a carried value to the indices of outer loops that precede its own
	params   map[string]*parameter
	order    []*parameter
	notes    []Unsaid

	library   map[string]arrayFunction
	own       map[string]string // maps variables of data and results to their names in the model
	isData    map[string]bool   // model names of data, and of values computed from data alone
	templates templates
	observed  map[string][][]slot // elements of data that have a distribution
	assigning string              // variable that the present statement assigns
}

func (x *executor) emit(it item) {
	if it.body != nil {
		x.length += it.body.size
	}
	reason := ""
	if x.unrolled > 0 {
		reason = ", since a loop is written out for each iteration: " + x.because
	}
	switch {
	case len(x.items) > maxItems:
		cannot("the model would have more than %d statements%s", maxItems, reason)
	case x.length > maxText:
		cannot("the text of the model would be longer than %d kB%s", maxText>>10, reason)
	}
	it.generate = it.level == ofDraws
	x.items = append(x.items, it)
}

func (x *executor) lookup(name string) *cell {
	for i := len(x.scopes) - 1; i >= 0; i-- {
		if c := x.scopes[i][name]; c != nil {
			return c
		}
	}
	return nil
}

// variable is like lookup, but ends the translation if the declaration was not translated.
func (x *executor) variable(name string) *cell {
	c := x.lookup(name)
	if c == nil {
		cannot("the declaration of `%s` is not translated", name)
	}
	return c
}

func (x *executor) declare(c *cell) { x.scopes[len(x.scopes)-1][c.name] = c }

// scoped runs f in a new scope.
func (x *executor) scoped(f func()) {
	x.scopes = append(x.scopes, map[string]*cell{})
	depth := len(x.scopes)
	defer func() { x.scopes = x.scopes[:depth-1] }()
	f()
}

// A snapshot holds the state that a failed attempt must restore.
type snapshot struct {
	states                                       map[*cell]*state
	plates                                       []*plate
	guards                                       []term
	items, scopes, iterated, calls, at, unrolled int
	uses                                         map[*parameter]int
	present                                      source.Span
	inline                                       bool
}

func (x *executor) snapshot() snapshot {
	s := snapshot{states: maps.Clone(x.states), plates: slices.Clone(x.plates),
		guards: slices.Clone(x.guards), items: len(x.items), scopes: len(x.scopes), iterated: x.iterated,
		calls: x.calls, unrolled: x.unrolled,
		uses: map[*parameter]int{}, at: x.length, present: x.at, inline: x.inline}
	for _, p := range x.order {
		s.uses[p] = len(p.uses)
	}
	return s
}

func (x *executor) restore(s snapshot) {
	x.states, x.plates, x.guards = s.states, s.plates, s.guards
	x.items, x.scopes, x.iterated, x.calls = x.items[:s.items], x.scopes[:s.scopes], s.iterated, s.calls
	x.length, x.at, x.inline = s.at, s.present, s.inline
	x.unrolled = s.unrolled
	for p, n := range s.uses {
		p.uses = p.uses[:n]
	}
}

// try runs f. If f cannot be translated, it restores the previous state and returns the refusal.
func (x *executor) try(f func()) (failed *refusal) {
	s := x.snapshot()
	copies := map[*state]state{}
	for _, st := range x.states {
		before := *st
		before.regions = slices.Clone(st.regions)
		copies[st] = before
	}
	defer func() {
		if cause := recover(); cause != nil {
			r, ok := cause.(*refusal)
			if !ok {
				panic(cause)
			}
			if !r.at.Valid() {
				r.at = x.at
			}
			x.restore(s)
			for st, before := range copies {
				*st = before
			}
			failed = r
		}
	}()
	f()
	return nil
}

// flow is the way in which a statement ended.
type flow int

const (
	continues flow = iota
	broke
	continued
	returned
)

// A result is the way in which the statements of a function ended, and the returned value.
type result struct {
	flow  flow
	value value
}

func (x *executor) stmts(all []stan.Stmt) result {
	for i, s := range all {
		if f, ok := s.(*stan.If); ok && jumps(f) {
			return x.jumpingIf(f, all[i+1:])
		}
		if r := x.stmt(s); r.flow != continues {
			return r
		}
	}
	return result{}
}

// jumps reports whether a statement contains a return, or a break or continue of a loop around the statement.
func jumps(s stan.Stmt) bool {
	switch s := s.(type) {
	case *stan.Return, *stan.Jump:
		return true
	case *stan.Block:
		return slices.ContainsFunc(s.Stmts, jumps)
	case *stan.If:
		return jumps(s.Then) || s.Else != nil && jumps(s.Else)
	case *stan.For:
		return containsReturn(s.Body)
	case *stan.While:
		return containsReturn(s.Body)
	}
	return false
}

// containsReturn reports whether a statement contains a return.
func containsReturn(s stan.Stmt) bool {
	switch s := s.(type) {
	case *stan.Return:
		return true
	case *stan.Block:
		return slices.ContainsFunc(s.Stmts, containsReturn)
	case *stan.If:
		return containsReturn(s.Then) || s.Else != nil && containsReturn(s.Else)
	case *stan.For:
		return containsReturn(s.Body)
	case *stan.While:
		return containsReturn(s.Body)
	}
	return false
}

// jumpingIf translates a condition whose branches may return, break or continue. Each branch is followed by the
// statements after the condition.
func (x *executor) jumpingIf(s *stan.If, rest []stan.Stmt) result {
	x.at = s.At
	cond := x.condition(s.Cond)
	then := append([]stan.Stmt{s.Then}, rest...)
	otherwise := rest
	if s.Else != nil {
		otherwise = append([]stan.Stmt{s.Else}, rest...)
	}
	if v, ok := cond.value(); ok {
		if v != 0 {
			return x.stmts(then)
		}
		return x.stmts(otherwise)
	}
	var a, b result
	x.branches(cond, func() { a = x.inScope(then) }, func() { b = x.inScope(otherwise) })
	switch {
	case a.flow != b.flow:
		cannot("a loop or a function ends by a condition that depends on parameters or on the index of a loop")
	case a.flow != returned:
		return a
	case a.value.elem == nil || b.value.elem == nil:
		return a
	}
	return result{returned, chooseValue(cond, a.value, b.value)}
}

func (x *executor) inScope(all []stan.Stmt) (r result) {
	x.scoped(func() { r = x.stmts(all) })
	return r
}

// chooseValue returns a or b, depending on a condition.
func chooseValue(cond term, a, b value) value {
	if a.isScalar() {
		return scalar(choose(cond, a.number(), b.number()))
	}
	return lazily(a.typ, a.dims, []value{a, b, scalar(cond)}, func(index []term) term {
		return choose(cond, a.elem(index), b.elem(index))
	})
}

func (x *executor) stmt(s stan.Stmt) result {
	before := x.at
	x.at = s.Span()
	defer func() { x.at = before }()
	switch s := s.(type) {
	case *stan.Decl:
		x.decl(s)
	case *stan.Assign:
		x.assign(s)
	case *stan.Sample:
		x.sample(s)
	case *stan.CallStmt:
		x.callUser(s.Call)
	case *stan.Message:
		if s.Word != "print" && len(x.guards) == 0 && x.block != "functions" {
			x.note(s.At, "`"+s.Word+"` is left out")
		}
	case *stan.Block:
		return x.inScope(s.Stmts)
	case *stan.If:
		if jumps(s) {
			return x.jumpingIf(s, nil)
		}
		x.branch(s)
	case *stan.While:
		return x.while(s)
	case *stan.For:
		return x.loop(s)
	case *stan.Jump:
		if s.Word == "break" {
			return result{flow: broke}
		}
		return result{flow: continued}
	case *stan.Return:
		r := result{flow: returned}
		if s.Value != nil {
			r.value = x.eval(s.Value)
		}
		return r
	}
	return result{}
}

// note records code that the model does not represent.
func (x *executor) note(at source.Span, reason string) {
	for _, n := range x.notes {
		if n.At == at && n.Reason == reason {
			return
		}
	}
	x.notes = append(x.notes, Unsaid{At: at, Reason: reason})
}

func (x *executor) condition(e stan.Expr) term {
	v := x.eval(e)
	if !v.isScalar() {
		refuse("a condition must be one number")
	}
	return v.number()
}

// branch translates an if without jumps.
func (x *executor) branch(s *stan.If) {
	cond := x.condition(s.Cond)
	otherwise := func() {
		if s.Else != nil {
			x.inScope([]stan.Stmt{s.Else})
		}
	}
	if v, ok := cond.value(); ok {
		if v != 0 {
			x.inScope([]stan.Stmt{s.Then})
			return
		}
		otherwise()
		return
	}
	x.branches(cond, func() { x.inScope([]stan.Stmt{s.Then}) }, otherwise)
}

// branches runs both branches of a condition that data do not decide, and merges the resulting states.
func (x *executor) branches(cond term, then, otherwise func()) {
	cond = x.nameLong("chosen", cond)
	before := maps.Clone(x.states)
	run := func(c term, f func()) map[*cell]*state {
		x.guards = append(x.guards, c)
		f()
		x.guards = x.guards[:len(x.guards)-1]
		after := x.states
		x.states = maps.Clone(before)
		return after
	}
	a := run(cond, then)
	b := run(not(cond), otherwise)
	for c, st := range before {
		if a[c] != st || b[c] != st {
			x.states[c] = x.join(c, cond, st, a[c], b[c])
		}
	}
}

// nameLong gives a name to a long term that is read several times.
func (x *executor) nameLong(like string, t term) term {
	if t.node.size < 40 || x.inline {
		return t
	}
	return x.nameRegion(&cell{name: like}, region{value: t})
}

// join merges the states of a variable after two branches.
func (x *executor) join(c *cell, cond term, before, a, b *state) *state {
	if len(c.dims) == 0 {
		x1, x2 := numberOf(c, a), numberOf(c, b)
		v := scalar(choose(cond, x1, x2))
		v.typ = c.typ
		return &state{base: &v}
	}
	common := 0
	for common < min(len(a.regions), len(b.regions)) && sameRegion(a.regions[common], b.regions[common]) {
		common++
	}
	if a.base != b.base || a.base != before.base {
		return x.joinWhole(c, cond, a, b)
	}
	if overlap(a.regions[common:], b.regions[common:]) {
		return x.joinBox(c, cond, before, a.regions[common:], b.regions[common:])
	}
	out := &state{base: before.base, regions: slices.Clone(a.regions[:common]), promise: before.promise,
		layered: a.layered || b.layered}
	rest := slices.Clone(b.regions[common:])
	for _, r := range a.regions[common:] {
		other, found := term{}, false
		for i, q := range rest {
			if sameSubs(r, q) {
				other, found = alike(q, r), true
				rest = slices.Delete(rest, i, i+1)
				break
			}
		}
		if !found {
			other = x.beforeRegion(c, before, r)
		}
		out.regions = append(out.regions, region{r.subs, r.plates, choose(cond, r.value, other)})
	}
	for _, r := range rest {
		out.regions = append(out.regions, region{r.subs, r.plates, choose(cond, x.beforeRegion(c, before, r),
			r.value)})
	}
	return out
}

// joinBox merges branches whose regions overlap: all regions become one.
func (x *executor) joinBox(c *cell, cond term, before *state, a, b []region) *state {
	all := slices.Concat(a, b)
	for _, r := range all {
		r.mustBeAlongAxes()
	}
	box := region{subs: make([]term, len(c.dims)), plates: x.promisedPlates(c)}
	for i, d := range c.dims {
		box.subs[i] = all[0].subs[i]
		equal := func(r region) bool {
			return r.subs[i].node.equalTo(box.subs[i].node) && samePlates(r.subs[i], box.subs[i])
		}
		if !slices.ContainsFunc(all, func(r region) bool { return !equal(r) }) {
			continue
		}
		p := x.freshPlate("i", constant(1), d)
		box.plates, box.subs[i] = append(box.plates, p), p.index()
	}
	side := func(regions []region) term {
		return x.latest(c, regions, box.subs, x.beforeRegion(c, before, box))
	}
	box.value = choose(cond, side(a), side(b))
	out := &state{base: before.base, promise: before.promise, layered: before.layered}
	for _, r := range before.regions {
		if sameSubs(r, box) && x.isPresent(r) {
			continue
		}
		out.regions = append(out.regions, r)
		out.layered = out.layered || relation(r, box.subs) != disjoint
	}
	out.regions = append(out.regions, box)
	return out
}

// overlap reports whether regions of two branches may share elements without being equal.
func overlap(a, b []region) bool {
	return slices.ContainsFunc(a, func(r region) bool {
		return slices.ContainsFunc(b, func(q region) bool { return !sameSubs(r, q) && relation(q, r.subs) != disjoint })
	})
}

// alike returns the value of region q in terms of the indices of r, which covers the same elements.
func alike(q, r region) term {
	v := q.value
	for i, s := range q.subs {
		for _, p := range s.plates {
			for _, o := range r.subs[i].plates {
				if s.isIndex(p) && r.subs[i].isIndex(o) && p != o {
					v = v.substitute(p, o.index())
				}
			}
		}
	}
	return v
}

func sameSubs(a, b region) bool {
	if len(a.subs) != len(b.subs) {
		return false
	}
	to, from := map[*plate]*plate{}, map[*plate]*plate{} // plates that index the same axis, in both directions
	for i := range a.subs {
		if a.subs[i].node.equalTo(b.subs[i].node) && samePlates(a.subs[i], b.subs[i]) {
			continue
		}
		if len(a.subs[i].plates) != 1 || len(b.subs[i].plates) != 1 {
			return false
		}
		p, q := a.subs[i].plates[0], b.subs[i].plates[0]
		if !a.subs[i].isIndex(p) || !b.subs[i].isIndex(q) || !same(p.lo, q.lo) || !same(p.hi, q.hi) ||
			to[p] != nil || from[q] != nil {
			return false
		}
		to[p], from[q] = q, p
	}
	return true
}

func sameRegion(a, b region) bool { return sameSubs(a, b) && a.value.node.equalTo(b.value.node) }

// beforeRegion returns the elements of a region as they were before a branch assigned them.
func (x *executor) beforeRegion(c *cell, st *state, r region) term {
	if st.base == nil && len(st.regions) == 0 {
		return undefined(c)
	}
	if st.base == nil {
		none := true
		for _, q := range st.regions {
			none = none && relation(q, r.subs) == disjoint
		}
		if none {
			return undefined(c)
		}
	}
	return x.readElement(c, st, r.subs)
}

// undefined returns the value of a variable or element that was never assigned. As in Stan, this is NaN, or the least
// integer.
func undefined(c *cell) term {
	if c.typ.Word == "int" {
		return constant(math.MinInt32)
	}
	return term{node: binaryOf("/", literalOf("0"), literalOf("0")), eval: known(math.NaN())}
}

func numberOf(c *cell, st *state) term {
	switch {
	case st.written != nil:
		return st.written.number()
	case st.base != nil:
		return st.base.number()
	}
	return undefined(c)
}

// joinWhole merges branches of which one assigned the entire array.
func (x *executor) joinWhole(c *cell, cond term, a, b *state) *state {
	side := func(st *state) value {
		if st.base == nil && len(st.regions) == 0 {
			return lazily(c.typ, c.dims, nil, func([]term) term { return undefined(c) })
		}
		return x.readState(c, st)
	}
	v := chooseValue(cond, side(a), side(b))
	v.typ = c.typ
	return &state{base: &v}
}

// Declarations and assignments.

func (x *executor) decl(d *stan.Decl) {
	c := x.newCell(d)
	c.result = x.calls == 0 && len(x.scopes) == 1
	x.declare(c)
	x.states[c] = &state{}
	if d.Value != nil {
		x.assigning = c.name
		x.assignWhole(c, x.eval(d.Value))
		x.assigning = ""
	}
}

func (x *executor) newCell(d *stan.Decl) *cell {
	return &cell{name: d.Name.Name, at: d.At, typ: d.Type.Plain(), dims: x.sizes(d.Type),
		outer: slices.Clone(x.plates)}
}

// sizes returns the lengths of the axes of a declared type.
func (x *executor) sizes(t *stan.SizedType) []term {
	if t.Word == "tuple" {
		panic("internal error: a variable of a tuple type, which SplitTuples replaces")
	}
	if strings.HasPrefix(t.Word, "complex") {
		refuse("ppl does not support complex numbers")
	}
	var out []term
	for _, e := range append(append([]stan.Expr{}, t.ArrayDims...), t.Dims...) {
		out = append(out, x.eval(e).number())
	}
	switch t.Word {
	case "cov_matrix", "corr_matrix", "cholesky_factor_corr":
		out = append(out, out[len(out)-1])
	case "cholesky_factor_cov":
		if len(t.Dims) == 1 {
			out = append(out, out[len(out)-1])
		}
	}
	return out
}

// assignWhole assigns a value to an entire variable.
func (x *executor) assignWhole(c *cell, v value) {
	if len(v.parts) > 0 {
		panic("internal error: a variable of a tuple type, which SplitTuples replaces")
	}
	v.typ = c.typ
	if len(c.dims) == 0 {
		t := v.number()
		if c.typ.Word == "real" {
			t = t.real()
		}
		v = scalar(t)
		v.typ = c.typ
	}
	if len(v.dims) != len(c.dims) {
		refuse(fmt.Sprintf("the value of `%s` has %d axes, but its type has %d", c.name, len(v.dims), len(c.dims)))
	}
	x.states[c] = &state{base: &v}
}

func (x *executor) assign(s *stan.Assign) {
	if n, ok := s.Left.(*stan.Name); ok && (n.Name == "target" || n.Name == "jacobian") {
		x.increment(s.Right)
		return
	}
	if n := rootName(s.Left); n != "" {
		x.assigning = n
	}
	right := x.eval(s.Right)
	x.assigning = ""
	if s.Op != "=" {
		right = x.infix(s.Op[:len(s.Op)-1], x.eval(s.Left), right)
	}
	x.assignTo(s.Left, right)
}

func (x *executor) assignTo(left stan.Expr, v value) {
	switch l := stan.Bare(left).(type) {
	case *stan.List:
		for i, left := range l.Items {
			x.assignTo(left, v.parts[i])
		}
	case *stan.Name:
		x.assignWhole(x.variable(l.Name), v)
	case *stan.Index:
		name, subs := subscripts(l)
		if name == nil {
			refuse("this left side of an assignment is not translated yet")
		}
		c := x.variable(name.Name)
		x.assignPart(c, x.evalSubs(subs), v)
	default:
		refuse("this left side of an assignment is not translated yet")
	}
}

// subscripts returns the variable and all subscripts of x[a][b], as if it were x[a, b].
func subscripts(e *stan.Index) (*stan.Name, []stan.Sub) {
	switch inner := stan.Bare(e.X).(type) {
	case *stan.Name:
		return inner, e.Subs
	case *stan.Index:
		name, first := subscripts(inner)
		for _, s := range first {
			if s.Range { // x[2:3][1] differs from x[2:3, 1]
				return nil, nil
			}
		}
		return name, append(slices.Clone(first), e.Subs...)
	}
	return nil, nil
}

// assignPart assigns the elements that subscripts select.
func (x *executor) assignPart(c *cell, subs []subscript, v value) {
	r := region{plates: x.promisedPlates(c)}
	var index []term // index into the assigned value
	place := 0
	for axis := range c.dims {
		s := subscript{}
		if axis < len(subs) {
			s = subs[axis]
		} else {
			s = subscript{all: true}
		}
		if s.one != nil {
			r.subs = append(r.subs, *s.one)
			continue
		}
		lo, n := constant(1), c.dims[axis]
		if s.list != nil {
			x.scatter(c, subs, axis, v)
			return
		}
		if s.lo != nil {
			lo = *s.lo
		}
		if s.hi != nil {
			n = add(subtract(*s.hi, lo), constant(1))
		} else if s.lo != nil {
			n = add(subtract(n, lo), constant(1))
		}
		p := x.freshPlate("i", lo, subtract(add(lo, n), constant(1)))
		r.plates = append(r.plates, p)
		r.subs = append(r.subs, p.index())
		index = append(index, add(subtract(p.index(), lo), constant(1)))
		place++
	}
	if place == 0 && !v.isScalar() || place > 0 && len(v.dims) != place {
		refuse(fmt.Sprintf("a value with %d axes is assigned to a part of `%s` with %d", len(v.dims), c.name, place))
	}
	t := v.elem(index)
	if c.typ.Word != "int" {
		t = t.real()
	}
	r.value = t
	x.store(c, r)
}

// promisedPlates returns the enclosing loops whose iterations write different elements. An assignment's region extends
// over these loops. For other loops, it belongs to the present iteration.
func (x *executor) promisedPlates(c *cell) (plates []*plate) {
	for pr := x.states[c].promise; pr != nil; pr = pr.prior.promise {
		plates = append(plates, pr.plate)
	}
	slices.Reverse(plates)
	return plates
}

// scatter assigns elements that a list of indices selects, one by one.
func (x *executor) scatter(c *cell, subs []subscript, axis int, v value) {
	list := subs[axis].list
	ok := elements(list.dims[:1], nil, maxUnrolled, func(index []term) {
		at := list.elem(index)
		n, known := at.whole()
		if !known {
			cannot("the elements that are assigned are not known without data")
		}
		one := constant(n)
		inner := slices.Clone(subs)
		inner[axis] = subscript{one: &one}
		before := 0
		for _, s := range subs[:axis] {
			if s.one == nil {
				before++
			}
		}
		part := v
		if !v.isScalar() {
			part = dropAxis(v, before, index[0])
		}
		x.assignPart(c, inner, part)
	})
	if !ok {
		cannot("the elements that are assigned are not known without data")
	}
}

// dropAxis returns the part of a value at one index of an axis.
func dropAxis(v value, axis int, at term) value {
	dims := slices.Delete(slices.Clone(v.dims), axis, axis+1)
	if len(dims) == 0 {
		return scalar(v.elem([]term{at}))
	}
	return lazily(v.typ, dims, []value{v, scalar(at)}, func(index []term) term {
		return v.elem(slices.Insert(slices.Clone(index), axis, at))
	})
}

// store adds a region to the state of a cell.
func (x *executor) store(c *cell, r region) {
	st := x.states[c]
	next := &state{base: st.base, promise: st.promise, layered: st.layered}
	for _, old := range st.regions {
		switch {
		case sameSubs(old, r) && (x.isPresent(old) || samePlace(old, r)):
			continue // the new value replaces it
		case relation(old, r.subs) == disjoint:
		default:
			if st.promise != nil {
				next.layered = true
				break
			}
			before := x.write(c, st)
			next = &state{base: &before, regions: []region{r}}
			x.states[c] = next
			return
		}
		next.regions = append(next.regions, old)
	}
	next.regions = append(next.regions, r)
	x.states[c] = next
}

// samePlace reports whether two regions certainly cover the same elements, each with its own loop indices.
func samePlace(a, b region) bool {
	for i, s := range a.subs {
		for _, p := range s.plates {
			if !slices.Contains(a.plates, p) && !slices.Contains(b.subs[i].plates, p) {
				return false
			}
		}
	}
	return true
}
