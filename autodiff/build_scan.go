package autodiff

import (
	"fmt"
	"slices"
	"strings"
)

// A Body is one step of a Scan, in a separate graph. Next, the carry after the step, depends on three kinds of Inputs:
// the carry before the step, a slice of each array in xs, and shared arrays that every step reads entirely. The
// arguments of the Scan node are the initial carry, the arrays of Xs, and the arrays of Shared.
type Body struct {
	Carry, Next Node
	Xs, Shared  []Node
}

// Scan returns a recurrence: all carries of cₜ₊₁ = step(cₜ, xs[…][t], shared) for t = 0 … N−1 from c₀ = init, stacked
// to [N+1] + C for a carry of shape C. For example, with
//
//	init = 0, xs = {[1, 2, 3]}, shared = {0.5}, step(c, x, s) = s·c + x
//
// the result is [0, 1, 2.5, 4.25]. All xs have leading axis N, and there must be at least one (an Iota if the step
// reads none). Row t of the result is the carry before step t, and row t+1 the carry after it. With reverse, t runs
// from N−1 to 0: row N is init, row t+1 the carry before step t, and row t the carry after it.
//
// Scan calls step once, with nodes of a separate graph. step may create constants there (carry.Graph()), but must
// receive all other nodes as arguments. Its only noise may be Addressed, and it may not contain a Scan. Expressions
// that do not depend on the carry are moved out of the loop and computed for all steps at once.
func Scan(init Node, xs, shared []Node, reverse bool, step func(carry Node, xs, shared []Node) Node) Node {
	if len(xs) == 0 || xs[0].Rank() == 0 {
		bug("scan along no array")
	}
	n := xs[0].Shape()[0]
	g, env := New(), map[Node]lifted{}
	enter := func(name string, args []Node, stacked bool) []Node {
		in := make([]Node, len(args))
		for k, a := range args {
			if stacked && (a.Rank() == 0 || a.Shape()[0] != n) {
				bug("scan of %d steps along shape %v", n, a.Shape())
			}
			arg := lifted{a, stacked}.settled()
			in[k] = g.entry(fmt.Sprint(name, k), arg)
			if in[k].is(OpInput) {
				env[in[k]] = arg
			}
		}
		return in
	}
	carry := g.Input("carry", init.Shape()...)
	carry.single = slices.ContainsFunc(slices.Concat([]Node{init}, xs, shared), Node.Single)
	next := step(carry, enter("x", xs, true), enter("shared", shared, false))
	if next.Graph() != g || !slices.Equal(next.Shape(), init.Shape()) {
		bug("scan whose step makes a carry of shape %v out of one of shape %v, or takes it from outside", next.Shape(),
			init.Shape())
	}
	return scan(init, n, reverse, carry, next, env)
}

// entry returns an Input of the step for a slice of an array, or for an entire array. A constant stays a constant.
func (g *Graph) entry(name string, a lifted) Node {
	shape := a.Shape()
	if a.stacked {
		shape = shape[1:]
	}
	if v, ok := a.IsConst(); ok {
		return g.Full(v, shape...)
	}
	n := g.Input(name, shape...)
	n.finite, n.single = a.finite, a.single
	return n
}

// scan creates the node. env maps the step's Inputs, other than the carry, to arrays outside the step.
func scan(init Node, n int, reverse bool, carry, next Node, env map[Node]lifted) Node {
	g, shape := init.Graph(), slices.Concat([]int{n + 1}, init.Shape())
	first := Reshape(init, slices.Concat([]int{1}, init.Shape())...)
	outside := replay{g, n, env}
	switch {
	case n == 0:
		return first
	case !slices.Contains(next.Graph().ancestors([]Node{next}), carry):
		rows := outside.raise(outside.value(next), next.Shape())
		if reverse {
			return Concat(0, rows, first)
		}
		return Concat(0, first, rows)
	}
	l := split(init, carry, separateIndependent(next, carry), outside)
	if rows := l.runningSum(first, reverse); rows.Valid() {
		return rows
	}
	args := slices.Concat([]Node{init}, l.xs, l.shared)
	return g.add(Op{Kind: OpScan, Reverse: reverse, Body: &l.body}, shape, args...)
}

// separateIndependent rewrites a step that ends in a sum: it first adds up the terms that do not depend on the carry.
// Their sum can be computed for all steps outside the loop, where no step waits for the previous one. If a factor that
// does not depend on the carry multiplies a sum, the product is expanded: a(c − m) becomes a·c − a·m.
func separateIndependent(next, carry Node) Node {
	t := terms{carry: carry}
	t.add(flat(next))
	if t.still < 2 {
		return next
	}
	return Reshape(Add(t.sum[1], t.sum[0]), next.Shape()...)
}

// terms collects the terms of a sum: sum[1] adds those that depend on the carry, sum[0] the others, and `still` is the
// number of the others.
type terms struct {
	carry Node
	sum   [2]Node
	still int
}

func (t *terms) moves(n Node) bool { return slices.Contains(n.Graph().ancestors([]Node{n}), t.carry) }

func (t *terms) add(n Node) {
	if a, b, ok := t.split(n); ok {
		t.add(a)
		t.add(b)
		return
	}
	at := 1
	if !t.moves(n) {
		at, t.still = 0, t.still+1
	}
	if t.sum[at].Valid() {
		n = Add(t.sum[at], n)
	}
	t.sum[at] = n
}

// split writes n as a + b, if it can.
func (t *terms) split(n Node) (a, b Node, ok bool) {
	switch {
	case n.is(OpAdd):
		return n.args[0], n.args[1], true
	case n.is(OpSub):
		return n.args[0], Neg(n.args[1]), true
	case n.is(OpMul):
		for k, factor := range n.args {
			if a, b, ok := t.split(n.args[1-k]); ok && !t.moves(factor) && t.moves(a) != t.moves(b) {
				return Mul(factor, a), Mul(factor, b), true
			}
		}
	}
	return Node{}, Node{}, false
}

// runningSum returns the rows of a random walk cₜ₊₁ = cₜ + x[t] by CumSum. It is invalid for other steps.
func (l *loop) runningSum(first Node, reverse bool) Node {
	next := flat(l.body.Next)
	if !next.is(OpAdd) || len(l.xs) != 1 {
		return Node{}
	}
	a, b := flat(next.args[0]), flat(next.args[1])
	if x := l.body.Xs[0]; !(a == l.body.Carry && b == x || a == x && b == l.body.Carry) {
		return Node{}
	}
	shape := slices.Concat([]int{l.outside.steps}, first.Shape()[1:])
	parts := []Node{first, Reshape(l.xs[0], shape...)}
	if reverse {
		slices.Reverse(parts)
	}
	return CumSum(Concat(0, parts...), 0, reverse)
}

// rowsOfScan recognises a concatenation of a Scan's first row and its later rows, which is how a recurrence is written,
// and returns the Scan. It is invalid for other concatenations.
func rowsOfScan(axis int, parts []Node) Node {
	if axis != 0 || len(parts) != 2 {
		return Node{}
	}
	for k, part := range parts { // along the first axis, reshapes keep the order
		cut := flat(part)
		if !cut.is(OpSlice) || !cut.args[0].is(OpScan) || cut.args[0].op.Reverse != (k == 0) {
			continue
		}
		scan, first := cut.args[0], parts[1-k]
		if cut == rows(scan, k == 1) && flat(first) == flat(scan.args[0]) {
			return scan
		}
	}
	return Node{}
}

// flat returns the node below reshapes, which keep the order of elements.
func flat(n Node) Node {
	for n.is(OpReshape) {
		n = n.args[0]
	}
	return n
}

// A loop is a step that is divided into body, which stays inside the loop, and expressions that are computed outside
// and passed as arguments.
type loop struct {
	body       Body
	xs, shared []Node // arguments in the order of body.Xs and body.Shared
	inside     replay
	outside    replay
	inputs     map[lifted]Node // maps an outside argument to the step's Input for it
	moves      map[Node]bool   // nodes that depend on the carry
	walks      map[Node]bool   // nodes that depend on slices of xs
	heavy      bool            // reports whether the step has a large matrix product
}

// maxHoisted is the number of elements per step up to which values larger than the carry are also moved out of the
// loop. For small arrays, the overhead of an op exceeds its arithmetic; for large ones, memory access dominates.
const maxHoisted = 64

// split divides a step. It keeps inside everything that depends on the carry, and cheap movement of elements; the rest
// is moved outside. The order of nodes is kept, so that equal steps give equal bodies.
func split(init, carry, next Node, outside replay) *loop {
	g := New()
	l := &loop{outside: outside, inputs: map[lifted]Node{}, moves: map[Node]bool{carry: true}, walks: map[Node]bool{}}
	l.body.Carry = g.Input("carry", carry.Shape()...)
	l.body.Carry.finite = init.finite
	l.inside = replay{graph: g, done: map[Node]lifted{carry: {l.body.Carry, false}}}
	nodes := next.Graph().ancestors([]Node{next})
	l.heavy = heavy(next)
	for _, n := range nodes {
		l.walks[n] = outside.done[n].stacked
		for _, a := range n.args {
			l.moves[n], l.walks[n] = l.moves[n] || l.moves[a], l.walks[n] || l.walks[a]
		}
	}
	needed := map[Node]bool{next: true}
	for _, n := range slices.Backward(nodes) {
		for _, a := range n.args {
			needed[a] = needed[a] || needed[n] && !l.hoisted(n)
		}
	}
	for _, n := range nodes {
		if needed[n] && l.hoisted(n) {
			l.inside.done[n] = lifted{l.argument(outside.value(n).settled()), false}
		}
		if needed[n] {
			l.body.Next = l.inside.value(n).Node
		}
	}
	return l
}

// hoisted reports whether a node is computed outside. Movement alone is not, because repeated elements would only use
// memory.
func (l *loop) hoisted(n Node) bool {
	switch {
	case l.moves[n] || n.is(OpConst) || n.is(OpData):
		return false
	case n.is(OpInput):
		return true
	case n.op.Kind >= OpBroadcast && n.op.Kind <= OpConcat:
		return false
	}
	if l.heavy { // outside, elementwise results would use as much memory as the inputs themselves
		return !l.walks[n] || heavy(n)
	}
	return !l.walks[n] || n.Size() <= max(maxHoisted, l.body.Carry.Size())
}

// argument returns the Input of the loop body for a value that is computed outside. Equal values have the same Input.
func (l *loop) argument(a lifted) Node {
	if in, ok := l.inputs[a]; ok {
		return in
	}
	list, args, name := &l.body.Shared, &l.shared, "shared"
	if a.stacked {
		list, args, name = &l.body.Xs, &l.xs, "x"
	}
	in := l.inside.graph.entry(fmt.Sprint(name, len(*list)), a)
	if in.is(OpInput) {
		*list, *args = append(*list, in), append(*args, a.Node)
	}
	l.inputs[a] = in
	return in
}

// Key returns a key that is the same for bodies with the same operations. It is "" for nil.
func (b *Body) Key() string {
	if b == nil {
		return ""
	}
	var text strings.Builder
	ids := map[Node]int{}
	for _, n := range b.Next.Graph().ancestors([]Node{b.Next}) {
		args := make([]int, len(n.args))
		for k, a := range n.args {
			args[k] = ids[a]
		}
		ids[n] = len(ids)
		fmt.Fprintln(&text, n.op.key(args))
	}
	return text.String()
}
