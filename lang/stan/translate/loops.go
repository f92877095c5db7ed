package translate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"ppl/lang/stan"
)

// loop translates a for loop. If its iterations are alike, the loop variable becomes an index of the statements inside:
// a plate. A value that one iteration passes to the next is carried: a sum becomes a sum over the index, and other
// values become an array with an element for each iteration. If this fails and data determine the range, the iterations
// are written out one by one.

func (x *executor) loop(s *stan.For) result {
	if s.Hi == nil {
		return x.loopOver(s)
	}
	lo, hi := x.fixed(x.eval(s.Lo).number()), x.fixed(x.eval(s.Hi).number())
	if n, ok := difference(hi, lo); ok && n < 0 {
		return result{}
	}
	bind := func(t term) *cell { return x.constantCell(s.Index.Name, t) }
	return x.iterate(s, lo, hi, bind)
}

// loopOver translates a loop over the elements of an array.
func (x *executor) loopOver(s *stan.For) result {
	v := x.eval(s.Lo)
	if v.isScalar() || v.typ.Depth == 0 && v.typ.InnerAxes() == 2 {
		refuse("a loop over the elements of a matrix is not translated yet")
	}
	bind := func(t term) *cell {
		inner := dropAxis(v, 0, t)
		typ := v.typ.Element()
		if v.typ.Depth == 0 {
			typ = stan.Type{Word: "real"}
		}
		inner.typ = typ
		c := &cell{name: s.Index.Name, typ: typ, dims: inner.dims, outer: slices.Clone(x.plates)}
		x.states[c] = &state{base: &inner}
		return c
	}
	return x.iterate(s, constant(1), v.dims[0], bind)
}

// constantCell returns a variable that keeps the given value.
func (x *executor) constantCell(name string, t term) *cell {
	v := scalar(t)
	c := &cell{name: name, typ: v.typ, outer: slices.Clone(x.plates)}
	x.states[c] = &state{base: &v}
	return c
}

// iterate translates the loop s over lo to hi. bind returns the loop variable with the given value.
func (x *executor) iterate(s *stan.For, lo, hi term, bind func(term) *cell) result {
	var failed *refusal
	if x.options.Unrolled && isRange(lo, hi) {
		failed = &refusal{s.At, "the model with loops does not compile"}
	} else if !jumps(s.Body) && !inLoopJump(s.Body) {
		failed = x.try(func() { x.plateLoop(s, lo, hi, bind, false) })
		if failed != nil && x.hasWorkspace(s) && x.try(func() { x.plateLoop(s, lo, hi, bind, true) }) == nil {
			failed = nil
		}
		if failed == nil {
			return result{}
		}
	} else {
		failed = &refusal{s.At, "a loop with `break`, `continue` or `return` needs a range that data determine"}
	}
	if !isRange(lo, hi) {
		panic(failed)
	}
	first, _ := lo.whole()
	last, _ := hi.whole()
	x.unrolled++
	if x.unrolled == 1 {
		x.because = failed.reason
	}
	defer func() { x.unrolled-- }()
	for i := first; i <= last; i++ {
		x.iterated++
		if x.iterated > maxUnrolled {
			cannot("the iterations of this loop depend on each other, and there are more than %d; %s", maxUnrolled,
				failed.reason)
		}
		var r result
		x.scoped(func() {
			c := bind(constant(i))
			x.declare(c)
			r = x.stmt(s.Body)
		})
		switch r.flow {
		case broke:
			return result{}
		case returned:
			return r
		}
	}
	return result{}
}

// isRange reports whether data determine both ends of a range.
func isRange(lo, hi term) bool {
	_, ok := lo.whole()
	_, also := hi.whole()
	return ok && also && len(lo.plates)+len(hi.plates) == 0
}

// inLoopJump reports whether a statement contains a break or continue for the enclosing loop.
func inLoopJump(s stan.Stmt) bool {
	switch s := s.(type) {
	case *stan.Jump:
		return true
	case *stan.Block:
		return slices.ContainsFunc(s.Stmts, inLoopJump)
	case *stan.If:
		return inLoopJump(s.Then) || s.Else != nil && inLoopJump(s.Else)
	}
	return false
}

// fixed replaces an integer that data determine by its value. It does so in unrolled loops and for elements of data.
func (x *executor) fixed(t term) term {
	if n, ok := t.whole(); ok && t.integer && len(t.plates) == 0 && (x.unrolled > 0 || t.node.isSubscripted()) {
		return constant(n)
	}
	return t
}

func (x *executor) while(s *stan.While) result {
	for {
		v, ok := x.condition(s.Cond).value()
		if !ok {
			cannot("the condition of this loop is not known without data")
		}
		if v == 0 {
			return result{}
		}
		x.iterated++
		if x.iterated > maxUnrolled {
			refuse(fmt.Sprintf("this loop has more than %d iterations; it may never end", maxUnrolled))
		}
		if r := x.inScope([]stan.Stmt{s.Body}); r.flow == broke {
			return result{}
		} else if r.flow == returned {
			return r
		}
	}
}

// isWorkspace reports whether a loop may reuse an array as workspace in each iteration: the array has no known value
// before the loop, and results do not contain it.
func (x *executor) isWorkspace(c *cell) bool {
	st := x.states[c]
	return len(c.dims) > 0 && (st.base == nil || st.base.lost) && len(st.regions) == 0 && st.promise == nil && !c.result
}

// lostIn returns the value of an array after a loop that used it as workspace. Reading it ends the translation.
func lostIn(c *cell) *value {
	v := lazily(c.typ, c.dims, nil, func([]term) term {
		cannot("`%s` is read after a loop that used it as workspace", c.name)
		return term{}
	})
	v.lost = true
	return &v
}

func (x *executor) hasWorkspace(s *stan.For) bool {
	some := false
	for _, c := range x.assigned(s.Body) {
		if x.isWorkspace(c) {
			if x.readBehind(s, c) {
				return false
			}
			some = true
		}
	}
	return some
}

// readBehind reports whether the program reads a variable after a loop before assigning it.
func (x *executor) readBehind(s *stan.For, c *cell) bool {
	rest := x.program.Source.Text[s.At.End:max(s.At.End, x.end)]
	found := regexp.MustCompile(`\b` + regexp.QuoteMeta(c.name) + `\b`).FindStringIndex(rest)
	return found != nil && !assigns.MatchString(rest[found[1]:])
}

// assigns matches the text after a variable on the left side of an assignment.
var assigns = regexp.MustCompile(`^\s*(\[[^=;]*\])?\s*(=[^=]|<-)`)

// plateLoop translates the body once, for an arbitrary index. If own is set, arrays that have no value before the loop
// are treated as declared inside it: an iteration that reads an element that another iteration wrote gets an undefined
// value.
func (x *executor) plateLoop(s *stan.For, lo, hi term, bind func(term) *cell, own bool) {
	p, now := x.plateOf(s, lo, hi)
	before := maps.Clone(x.states)
	x.plates = append(x.plates, p)
	var carried []*carry
	var elements []*elementCarry
	var promises, workspaces []*cell
	for _, c := range x.assigned(s.Body) {
		st := x.states[c]
		if subs, own := x.ownElements(s, c, p, now); own {
			pr := &promise{plate: p, subs: subs, prior: st, label: &label{outer: slices.Clone(c.outer)}}
			if st.promise != nil {
				pr.label = st.promise.label
			}
			x.states[c] = &state{base: st.base, regions: slices.Clone(st.regions), promise: pr,
				layered: st.layered}
			promises = append(promises, c)
			continue
		}
		if own && x.isWorkspace(c) {
			outer := c.outer
			defer func() { c.outer = outer }()
			c.outer = append(slices.Clone(outer), p)
			x.states[c] = &state{}
			workspaces = append(workspaces, c)
			continue
		}
		if subs, one := x.oneElement(s, c); one {
			elements = append(elements, x.carryElement(c, p, subs))
			continue
		}
		carried = append(carried, x.carry(c, p))
	}
	x.scoped(func() {
		c := bind(now)
		x.declare(c)
		if r := x.stmt(s.Body); r.flow != continues {
			cannot("the loop contains `break`, `continue` or `return`")
		}
	})
	for _, k := range carried {
		x.settle(k, p, before)
	}
	for _, k := range elements {
		x.settleElement(k, p, before)
	}
	x.plates = x.plates[:len(x.plates)-1]
	for _, c := range promises {
		x.keepPromise(c, before[c])
	}
	for _, c := range workspaces {
		x.states[c] = &state{base: lostIn(c)}
	}
	for c := range x.states { // variables of the body go out of scope
		if _, ok := before[c]; !ok {
			delete(x.states, c)
		}
	}
}

// plateOf returns the plate of a loop, and the loop variable's value in terms of the plate's index. If a loop writes
// elements of arrays from the end to the beginning, as x[n - i], the plate's index is that of the elements.
func (x *executor) plateOf(s *stan.For, lo, hi term) (p *plate, now term) {
	p = x.freshPlate(s.Index.Name, lo, hi)
	var sum *linear // subscript + loop index; constant if elements are written in reverse
	for _, c := range x.assigned(s.Body) {
		subs, own := x.ownElements(s, c, p, p.index())
		if !own && (x.isWorkspace(c) || slices.Contains(leading(s.Body), c.name)) {
			continue
		}
		if !own {
			return p, p.index()
		}
		for _, sub := range subs {
			switch l := linearOf(sub); l.coefs[p.name] {
			case 0:
			case -1:
				here := combine(l, linearOf(p.index()), 1)
				if sum == nil {
					sum = here
				}
			default:
				return p, p.index()
			}
		}
	}
	if sum == nil {
		return p, p.index()
	}
	from := func(t term) term { return combine(sum, linearOf(t), -1).term() }
	q := x.freshPlate(s.Index.Name, from(hi), from(lo))
	q.falls = true
	return q, from(q.index())
}

// keepPromise finishes the writing of an array by a loop. If statements read elements that earlier iterations wrote,
// the array now gets the name that they used.
func (x *executor) keepPromise(c *cell, prior *state) {
	st := x.states[c]
	pr := st.promise
	if pr == nil {
		cannot("a loop assigns `%s` as a whole and by elements", c.name)
	}
	next := &state{base: st.base, regions: st.regions, promise: prior.promise, layered: st.layered}
	x.states[c] = next
	if prior.promise == nil && pr.label.name != "" {
		x.writeAs(c, next, pr.label.name)
	}
}

// assigned returns the variables of outer blocks that a statement assigns.
func (x *executor) assigned(s stan.Stmt) []*cell {
	var out []*cell
	names, declared := writtenIn(s)
	for _, n := range names {
		if c := x.lookup(n); c != nil && n != "target" && !declared[n] && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// writtenIn returns the names of the variables that a statement assigns, in order, and those that it declares.
func writtenIn(s stan.Stmt) (assigned []string, declared map[string]bool) {
	var add func(e stan.Expr)
	add = func(e stan.Expr) {
		if l, ok := e.(*stan.List); ok {
			for _, e := range l.Items {
				add(e)
			}
		}
		if n := rootName(e); n != "" {
			assigned = append(assigned, n)
		}
	}
	declared = map[string]bool{}
	walk(s, func(s stan.Stmt) {
		switch s := s.(type) {
		case *stan.Decl:
			declared[s.Name.Name] = true
		case *stan.Assign:
			add(s.Left)
		}
	})
	return assigned, declared
}

func rootName(e stan.Expr) string {
	for {
		switch v := e.(type) {
		case *stan.Name:
			return v.Name
		case *stan.Index:
			e = v.X
		case *stan.Paren:
			e = v.X
		default:
			return ""
		}
	}
}

// walk calls f for a statement and all statements in it.
func walk(s stan.Stmt, f func(stan.Stmt)) {
	f(s)
	switch s := s.(type) {
	case *stan.Block:
		for _, inner := range s.Stmts {
			walk(inner, f)
		}
	case *stan.If:
		walk(s.Then, f)
		if s.Else != nil {
			walk(s.Else, f)
		}
	case *stan.For:
		walk(s.Body, f)
	case *stan.While:
		walk(s.Body, f)
	}
}

// ownElements reports whether every assignment to a variable in a loop has the loop index as a subscript, so that
// different iterations write different elements. It returns the subscripts of the first assignment.
func (x *executor) ownElements(loop *stan.For, c *cell, p *plate, now term) (subs []term, own bool) {
	own = true
	first := true
	locals := localsOf(loop.Body)
	walk(loop.Body, func(s stan.Stmt) {
		a, ok := s.(*stan.Assign)
		if !ok || rootName(a.Left) != c.name {
			return
		}
		l, ok := stan.Bare(a.Left).(*stan.Index)
		if !ok {
			own = false
			return
		}
		_, all := subscripts(l)
		has := false
		var here []term
		for _, sub := range all {
			t := termOf(nameOf("?"))
			if !sub.Range && sub.Lo != nil {
				if simple, ok := x.simpleIndex(sub.Lo, loop.Index.Name, now, locals); ok {
					t, has = simple, has || slices.Contains(simple.plates, p)
				}
			}
			here = append(here, t)
		}
		own = own && has
		if first {
			subs, first = here, false
		}
	})
	return subs, own
}

// leading returns the scalar variables that a loop assigns at its beginning, by formulas that do not read them.
func leading(body stan.Stmt) (names []string) {
	b, ok := body.(*stan.Block)
	if !ok {
		return nil
	}
	for _, s := range b.Stmts {
		if _, declares := s.(*stan.Decl); declares {
			continue
		}
		a, ok := s.(*stan.Assign)
		if !ok || a.Op != "=" {
			return names
		}
		n, ok := a.Left.(*stan.Name)
		if !ok || n.Name == "target" || slices.Contains(words.FindAllString(a.Right.Span().Text(), -1), n.Name) {
			return names
		}
		names = append(names, n.Name)
	}
	return names
}

// localsOf returns the variables that a loop declares or assigns first, each with its only value, or nil if it has
// several.
func localsOf(body stan.Stmt) map[string]stan.Expr {
	all := map[string]stan.Expr{}
	for _, name := range leading(body) {
		all[name] = nil
	}
	walk(body, func(s stan.Stmt) {
		switch s := s.(type) {
		case *stan.Decl:
			all[s.Name.Name] = s.Value
		case *stan.For:
			all[s.Index.Name] = nil
		case *stan.Assign:
			name := rootName(s.Left)
			before, local := all[name]
			switch _, whole := s.Left.(*stan.Name); {
			case !local && whole: // the value is carried between iterations
				all[name] = nil
			case !local:
			case before == nil && whole && s.Op == "=":
				all[name] = s.Right
			default:
				all[name] = nil
			}
		}
	})
	return all
}

// simpleIndex returns a subscript that is the loop index plus or minus a term that is constant in the loop.
func (x *executor) simpleIndex(e stan.Expr, index string, now term, locals map[string]stan.Expr) (t term, ok bool) {
	switch e := stan.Bare(e).(type) {
	case *stan.Name:
		if e.Name == index {
			return now, true
		}
		c := x.lookup(e.Name)
		if value, once := locals[e.Name]; once && value != nil {
			return x.simpleIndex(value, index, now, nil)
		} else if once || c == nil { // declared in the loop
			return termOf(nameOf("?" + e.Name)), true
		}
		if st := x.states[c]; st != nil && st.base != nil && len(c.dims) == 0 {
			return st.base.number(), true
		}
	case *stan.Number:
		if e.IsInt {
			return constant(int(e.Value)), true
		}
	case *stan.Binary:
		a, ok := x.simpleIndex(e.X, index, now, locals)
		b, also := x.simpleIndex(e.Y, index, now, locals)
		if !ok || !also || !a.integer || !b.integer {
			return term{}, false
		}
		switch e.Op {
		case "+":
			return add(a, b), true
		case "-":
			return subtract(a, b), true
		}
	}
	return term{}, false
}

// A carry is a variable whose value one iteration passes to the next.
type carry struct {
	c      *cell
	name   string // placeholder for the value at the beginning of an iteration; settle replaces it
	prior  *state
	start  *state
	before int // number of statements before the loop
}

// carry replaces the value from the last iteration by a placeholder.
func (x *executor) carry(c *cell, p *plate) *carry {
	x.carried++
	k := &carry{c: c, name: fmt.Sprintf("%sc%d", carriedMark, x.carried), prior: x.states[c], before: len(x.items)}
	last := subtract(p.index(), constant(1))
	v := value{typ: c.typ, dims: c.dims, level: k.prior.level(), from: []*plate{p}}
	v.whole = element(k.name, []term{last})
	v.elem = func(index []term) term {
		all := append([]term{last}, index...)
		t := termOf(element(k.name, all), all...)
		t.level = max(t.level, v.level)
		t.integer = c.typ.Word == "int"
		if t.integer {
			t.linear = atomLinear(t)
		}
		return t
	}
	k.start = &state{base: &v}
	if len(c.dims) > 0 {
		k.start.written = &v
		k.start = &state{base: &v}
	}
	x.states[c] = k.start
	return k
}

// oneElement reports whether a loop assigns only one element of an array, the same in each iteration. It returns its
// subscripts.
func (x *executor) oneElement(loop *stan.For, c *cell) (subs []term, one bool) {
	one = len(c.dims) > 0
	locals := localsOf(loop.Body)
	locals[loop.Index.Name] = nil
	walk(loop.Body, func(s stan.Stmt) {
		a, ok := s.(*stan.Assign)
		if !ok || rootName(a.Left) != c.name || !one {
			return
		}
		l, ok := stan.Bare(a.Left).(*stan.Index)
		if !ok {
			one = false
			return
		}
		_, all := subscripts(l)
		one = len(all) == len(c.dims)
		if !one {
			return
		}
		here := make([]term, len(all))
		for i, sub := range all {
			if sub.Range || x.changes(sub.Lo, locals) || x.info.Types[sub.Lo].Depth > 0 {
				one = false
				return
			}
			here[i] = x.fixed(x.eval(sub.Lo).number())
			one = one && (subs == nil || subs[i].node.equalTo(here[i].node))
		}
		subs = here
	})
	return subs, one && subs != nil
}

// changes reports whether an expression contains variables of the loop, or variables that the loop may assign.
func (x *executor) changes(e stan.Expr, locals map[string]stan.Expr) bool {
	switch e := stan.Bare(e).(type) {
	case *stan.Number:
		return false
	case *stan.Name:
		_, local := locals[e.Name]
		return local || x.lookup(e.Name) == nil
	case *stan.Binary:
		return x.changes(e.X, locals) || x.changes(e.Y, locals)
	case *stan.Index:
		for _, s := range e.Subs {
			if s.Range || x.changes(s.Lo, locals) {
				return true
			}
		}
		return x.changes(e.X, locals)
	}
	return true
}

// An elementCarry is an element of an array that one iteration passes to the next.
type elementCarry struct {
	*carry
	array *cell
	subs  []term
	prior *state // state of the array before the loop
}

// carryElement replaces the value of one element by a placeholder.
func (x *executor) carryElement(c *cell, p *plate, subs []term) *elementCarry {
	prior := x.states[c]
	r := region{subs: subs}
	for _, q := range x.plates {
		if q != p && !slices.Contains(c.outer, q) {
			r.plates = append(r.plates, q)
		}
	}
	number := &cell{name: c.name, typ: stan.Type{Word: c.typ.Word}}
	if c.typ.Word != "int" {
		number.typ.Word = "real"
	}
	first := &state{}
	next := &state{base: prior.base, promise: prior.promise, layered: prior.layered}
	for _, old := range prior.regions {
		if sameSubs(old, r) {
			v := scalar(old.value)
			first.base = &v
			continue
		}
		next.regions = append(next.regions, old)
	}
	if first.base == nil && (prior.base != nil || len(prior.regions) > 0) {
		first.base = x.elementBefore(c, prior, r)
	}
	x.states[number] = first
	k := &elementCarry{carry: x.carry(number, p), array: c, subs: subs, prior: prior}
	r.value = k.start.base.number()
	next.regions = append(next.regions, r)
	x.states[c] = next
	return k
}

// elementBefore returns the value of an element before a loop, or nil if it was not assigned.
func (x *executor) elementBefore(c *cell, prior *state, r region) *value {
	if prior.base == nil {
		none := true
		for _, old := range prior.regions {
			none = none && relation(old, r.subs) == disjoint
		}
		if none || prior.promise != nil {
			return nil
		}
	}
	v := scalar(x.readElement(c, prior, r.subs))
	return &v
}

// settleElement decides how a carried element is written.
func (x *executor) settleElement(k *elementCarry, p *plate, before map[*cell]*state) {
	st := x.states[k.array]
	at := slices.IndexFunc(st.regions, func(r region) bool { return sameSubs(r, region{subs: k.subs}) })
	if at < 0 {
		cannot("a loop assigns `%s` in two ways", k.array.name)
	}
	r := st.regions[at]
	if !r.value.node.equalTo(k.start.base.number().node) {
		v := scalar(r.value)
		v.typ = k.c.typ
		x.states[k.c] = &state{base: &v}
	}
	if k.carry.prior.base == nil {
		none := scalar(undefined(k.array))
		k.carry.prior.base = &none
	}
	x.settle(k.carry, p, before)
	next := &state{base: k.prior.base, promise: k.prior.promise, layered: k.prior.layered}
	for _, old := range k.prior.regions { // other elements keep their values
		if !sameSubs(old, r) {
			next.regions = append(next.regions, old)
			next.layered = next.layered || relation(old, r.subs) != disjoint
		}
	}
	r.plates = slices.DeleteFunc(slices.Clone(r.plates), func(q *plate) bool { return q == p })
	r.value = x.states[k.c].base.number()
	next.regions = append(next.regions, r)
	x.states[k.array] = next
	delete(x.states, k.c)
}

// settle decides how a carried variable is written, at the end of a loop.
func (x *executor) settle(k *carry, p *plate, before map[*cell]*state) {
	st := x.states[k.c]
	if st == k.start {
		x.states[k.c] = k.prior
		x.noCarry(k)
		return
	}
	if st.promise != nil {
		cannot("a loop assigns `%s` in two ways", k.c.name)
	}
	c := k.c
	var index []term
	var plates []*plate
	plates, index = x.axes(c.dims)
	now, single := *st, false // an iteration changes single elements
	now.regions = slices.Clone(st.regions)
	for i, r := range st.regions {
		if (term{}).from(r.subs...).has(p) {
			single = true
			now.regions[i].value = k.atIndex(r, index)
		}
	}
	final := x.generic(c, &now, index)
	mark := k.start.base.elem(index)
	rest, sum := term{}, false
	for _, part := range final.parts() {
		if part.node.equalTo(mark.node) {
			rest, sum = without(final, part), true
			break
		}
	}
	outside := x.mentioned(k.name, k.before) || x.held(k.name, c)
	switch {
	case !outside && sum && !rest.node.reads(k.name):
		x.settleSum(k, p, plates, rest)
	case single && isRange(p.lo, p.hi): // writing all elements for each iteration would be longer
		cannot("a loop changes single elements of `%s`, which its next iterations read", c.name)
	case !outside && !final.node.reads(k.name):
		v := lazily(c.typ, c.dims, nil, func(at []term) term { return x.settled(final, plates, at, p) })
		v.level, v.from = final.level, final.less(append(plates, p)).plates
		if len(c.dims) == 0 {
			v = scalar(v.elem(nil))
		}
		v.typ = c.typ
		x.states[c] = &state{base: &v}
	default:
		if len(c.dims) == 0 && st.written != nil { // the name is shorter than its definition
			final = st.written.number()
		}
		x.settleSeries(k, p, plates, final)
	}
}

// atIndex returns the value that a region gives to an element whose index depends on data. References to the previous
// iteration's value use that index.
func (k *carry) atIndex(r region, index []term) term {
	at := slices.Clone(r.subs)
	for axis, s := range r.subs {
		if !slices.ContainsFunc(s.plates, func(p *plate) bool { return !r.chosen(s, p) }) {
			at[axis] = index[axis]
		}
	}
	from, to := k.start.base.elem(r.subs).node, k.start.base.elem(at)
	var replace func(n *node) *node
	replace = func(n *node) *node {
		if n.equalTo(from) {
			return to.node
		}
		return n.rewritten(replace)
	}
	value := r.value.from(to)
	value.node = replace(value.node)
	value.addends = slices.Clone(value.addends)
	for i := range value.addends {
		value.addends[i].node = replace(value.addends[i].node)
	}
	return value
}

func (x *executor) settled(t term, plates []*plate, at []term, p *plate) term {
	for i, q := range plates {
		t = t.substitute(q, at[i])
	}
	if p.falls {
		return t.substitute(p, p.lo)
	}
	return t.substitute(p, p.hi)
}

// noCarry checks that nothing reads the placeholder of a variable whose value did not change.
func (x *executor) noCarry(k *carry) {
	if x.mentioned(k.name, k.before) {
		cannot("`%s` is read and assigned in ways that exclude each other", k.c.name)
	}
}

// mentioned reports whether a statement of the model reads a placeholder, beginning with statement number since.
func (x *executor) mentioned(name string, since int) bool {
	for _, it := range x.items[since:] {
		if it.body != nil && it.body.reads(name) {
			return true
		}
	}
	return false
}

// held reports whether the value of another variable contains a placeholder.
func (x *executor) held(name string, c *cell) bool {
	for other, st := range x.states {
		if other == c {
			continue
		}
		if st.base != nil && len(other.dims) == 0 && st.base.number().node.reads(name) {
			return true
		}
		for _, r := range st.regions {
			if r.value.node.reads(name) {
				return true
			}
		}
	}
	return false
}

// settleSum writes a carried sum as a sum over the index.
func (x *executor) settleSum(k *carry, p *plate, plates []*plate, rest term) {
	c := k.c
	total := func(at []term) term {
		t := rest
		for i, q := range plates {
			t = t.substitute(q, at[i])
		}
		s := bound("sum", []*plate{p}, t)
		s.eval = summed(p, t)
		return s
	}
	if k.prior.base == nil && len(k.prior.regions) == 0 {
		cannot("`%s` is added to before it has a value", c.name)
	}
	x.plates = x.plates[:len(x.plates)-1]
	prior := x.readState(c, k.prior)
	x.plates = append(x.plates, p)
	v := lazily(c.typ, c.dims, nil, func(at []term) term {
		return add(prior.elem(at), total(at))
	})
	v.level = max(rest.level, prior.level)
	v.from = rest.less([]*plate{p}).less(plates).plates
	for _, q := range prior.from {
		v.from = term{plates: v.from}.from(term{plates: []*plate{q}}).plates
	}
	if len(c.dims) == 0 {
		v = scalar(v.elem(nil))
	}
	v.typ = c.typ
	x.states[c] = &state{base: &v}
}

// summed returns a function that evaluates a sum over the range of a plate.
func summed(p *plate, t term) func(bindings) (float64, bool) {
	if t.eval == nil || p.lo.eval == nil || p.hi.eval == nil {
		return nil
	}
	return func(b bindings) (float64, bool) {
		lo, ok := p.lo.eval(b)
		hi, also := p.hi.eval(b)
		if !ok || !also || hi-lo > 1e6 {
			return 0, false
		}
		inner := maps.Clone(b)
		if inner == nil {
			inner = bindings{}
		}
		total := 0.0
		for i := lo; i <= hi; i++ {
			inner[p] = i
			v, ok := t.eval(inner)
			if !ok {
				return 0, false
			}
			total += v
		}
		return total, true
	}
}

// settleSeries writes a carried value as an array with one element for the start and one for each iteration.
func (x *executor) settleSeries(k *carry, p *plate, plates []*plate, final term) {
	c := k.c
	if p.falls {
		cannot("a loop with a decreasing index passes `%s` from one iteration to the next", c.name)
	}
	name := x.names.take(c.name)
	x.renamed[k.name] = name
	x.plates = x.plates[:len(x.plates)-1]
	if len(c.dims) > 0 && k.prior.base == nil && !x.covers(c, k.prior) {
		cannot("a loop changes elements of `%s`, of which some have no value", c.name)
	}
	prior := x.readState(c, k.prior)
	if len(p.lo.plates) > 0 {
		cannot("the beginning of a series depends on the index of another loop")
	}
	outer := x.sortedOuter(final, prior, p)
	if len(outer) > 0 && x.promised() {
		cannot("a series in a loop whose iterations depend on each other")
	}
	x.prefixes[k.name] = nodesOf(indices(outer))
	start := subtract(p.lo, constant(1))
	first := slot{plate: p, lo: start, hi: start}
	if start.node.isDigits() {
		first = single(start)
	}
	lvl := max(final.level, prior.level)
	x.emit(item{name: name, slots: append(append(slotsOf(outer), first), slotsOf(plates)...),
		body: prior.elem(indices(plates)).node, at: x.at, level: lvl})
	x.plates = append(x.plates, p)
	x.emit(item{name: name, slots: slices.Concat(slotsOf(outer), slotsOf([]*plate{p}), slotsOf(plates)),
		body: final.node, at: x.at, level: lvl})
	all := named(name, outer, c.typ, append([]term{p.hi}, c.dims...), lvl)
	v := lazily(c.typ, c.dims, nil, func(at []term) term {
		return all.elem(append([]term{p.hi}, at...))
	})
	v.level, v.from = lvl, append(slices.Clone(outer), p.hi.plates...)
	v.whole = element(name, append(indices(outer), p.hi))
	if len(c.dims) == 0 {
		v = scalar(v.elem(nil))
	}
	v.typ = c.typ
	x.states[c] = &state{base: &v}
}

// promised reports whether an enclosing loop writes an array whose elements its later iterations may read.
func (x *executor) promised() bool {
	for _, st := range x.states {
		for pr := st.promise; pr != nil; pr = pr.prior.promise {
			if pr.label.name != "" {
				return true
			}
		}
	}
	return false
}

// covers reports whether one region of a state is the entire array.
func (x *executor) covers(c *cell, st *state) bool {
	for _, r := range st.regions {
		full := false
		_, full = x.regionPiece(c, r)
		if full {
			return true
		}
	}
	return false
}

// sortedOuter returns the enclosing loops, except the present one, on whose index a carried value depends.
func (x *executor) sortedOuter(final term, prior value, p *plate) []*plate {
	all := closed(slices.Concat([]*plate{p}, final.plates, prior.from))
	var out []*plate
	for _, q := range x.plates {
		if q != p && slices.Contains(all, q) {
			out = append(out, q)
		}
	}
	return out
}
