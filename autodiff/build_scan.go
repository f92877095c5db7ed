package autodiff

import (
	"fmt"
	"slices"
	"strings"
)

// A Body is one step of a Scan, as a graph of its own. Next, the carry after the step, is computed from three kinds of
// Inputs: the carry before the step, a slice of each array that the scan walks along, and arrays that every step sees
// as a whole. The arguments of the Scan are the initial carry, the arrays of Xs, the arrays of Shared.
type Body struct {
	Carry, Next Node
	Xs, Shared  []Node
}

// Scan returns a recurrence: all carries of cₜ₊₁ = step(cₜ, xs[…][t], shared) for t = 0 … N−1 from c₀ = init, stacked
// to [N+1] + C for a carry of shape C. For example, with
//
//	init = 0, xs = {[1, 2, 3]}, shared = {0.5}, step(c, x, s) = s·c + x
//
// the result is [0, 1, 2.5, 4.25]. The arrays xs have leading axis N, and there is at least one of them (an Iota if the
// step needs none). Row t of the result is the carry before step t, row t+1 the carry after it. With reverse, t runs
// from N−1 to 0: row N is init, row t+1 the carry before step t, row t the carry after it.
//
// The step is called once, on nodes of a graph of its own. It may make constants there (carry.Graph()), but nodes from
// outside must be passed as its arguments; of noise it may have Addressed alone, and it has no Scan. Expressions in it
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

// entry returns the step's Input for a slice of an array, or for a whole array; a constant stays a constant.
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

// scan makes the node. env maps the step's Inputs, other than the carry, to the outer arrays.
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

// separateIndependent rewrites a step that ends in a sum: the terms that do not depend on the carry are added among
// themselves, so that their sum can be computed outside the loop, where no turn has to wait for the one before. A
// factor that does not depend on the carry and multiplies a sum is multiplied out: a(c − m) becomes a·c − a·m.
func separateIndependent(next, carry Node) Node {
	t := terms{carry: carry}
	t.add(flat(next))
	if t.still < 2 {
		return next
	}
	return Reshape(Add(t.sum[1], t.sum[0]), next.Shape()...)
}

// terms are those of a sum: sum[1] of those that depend on the carry, sum[0] of the others; `still` counts the others.
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

// split is n as a + b.
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

// runningSum returns the rows of a random walk, cₜ₊₁ = cₜ + x[t], which has a separate op; of other steps none.
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

// rowsOfScan recognises a concatenation of a Scan's first row and its later rows, the way in which a recurrence is
// written; none for other concatenations.
func rowsOfScan(axis int, parts []Node) Node {
	if axis != 0 || len(parts) != 2 {
		return Node{}
	}
	for k, part := range parts { // along the first axis, elements are in order for every shape
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

// flat returns a value before reshapes, which leave its elements in order.
func flat(n Node) Node {
	for n.is(OpReshape) {
		n = n.args[0]
	}
	return n
}

// A loop is a step divided into body, which stays inside the loop, and expressions computed outside, which become
// arguments.
type loop struct {
	body       Body
	xs, shared []Node // arguments in order of body.Xs and body.Shared
	inside     replay
	outside    replay
	inputs     map[lifted]Node // the input of the step for each argument that is lifted
	moves      map[Node]bool   // nodes that depend on the carry
	walks      map[Node]bool   // nodes that depend on slices of xs
	heavy      bool            // the step has a large product
}

// maxHoisted is the number of elements per step up to which values larger than the carry leave the loop as well: on
// small arrays a step costs more than its arithmetic, on large ones memory does.
const maxHoisted = 64

// split divides a step. Inside stays everything that depends on the carry, and cheap movement of elements that does
// not; the rest goes outside. Order is kept, so that equal steps give equal bodies.
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

// hoisted reports whether a node is computed outside. Movement alone is not: repeated elements would only take memory.
func (l *loop) hoisted(n Node) bool {
	switch {
	case l.moves[n] || n.is(OpConst) || n.is(OpData):
		return false
	case n.is(OpInput):
		return true
	case n.op.Kind >= OpBroadcast && n.op.Kind <= OpConcat:
		return false
	}
	if l.heavy { // elementwise functions of what arrives anyway would take as much memory as the rows themselves
		return !l.walks[n] || heavy(n)
	}
	return !l.walks[n] || n.Size() <= max(maxHoisted, l.body.Carry.Size())
}

// argument returns the Input for something outside, the same for the same.
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

// Key is equal for bodies that compute the same.
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
