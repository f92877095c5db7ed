package autodiff

import "slices"

// A replay rebuilds nodes of a Scan's step in another graph, either for one step or for all steps at once. In the
// second case, values that differ between steps get a leading axis of steps. (This is vmap: Frostig, Johnson, Leary,
// Compiling machine learning programs via high-level tracing, 2018.)
type replay struct {
	graph *Graph
	steps int
	done  map[Node]lifted // maps rebuilt nodes of the step to new ones; at first only its Inputs
}

// A lifted is a node in the new graph. stacked reports whether it has the leading axis.
type lifted struct {
	Node
	stacked bool
}

// settled removes the leading axis if v is only repeated along it.
func (v lifted) settled() lifted {
	if !v.stacked || !v.is(OpBroadcast) || slices.Contains(v.op.Axes, 0) {
		return v
	}
	axes := make([]int, len(v.op.Axes))
	for k, a := range v.op.Axes {
		axes[k] = a - 1
	}
	return lifted{Broadcast(v.args[0], v.Shape()[1:], axes), false}
}

func (r replay) value(n Node) lifted {
	if v, ok := r.done[n]; ok {
		return v
	}
	args := make([]lifted, len(n.args))
	stacked := false
	for k, a := range n.args {
		args[k] = r.value(a)
		stacked = stacked || args[k].stacked
	}
	v := lifted{r.again(n, args, stacked), stacked}
	r.done[n] = v
	return v
}

// raise returns v with the leading axis and trailing axes of the given shape.
func (r replay) raise(v lifted, shape []int) Node {
	return r.widen(v, slices.Concat([]int{r.steps}, shape))
}

// widen repeats v over the axes of shape that it lacks. The last axes of v are aligned with the last axes of shape, and
// the leading axis of a stacked v with the first.
func (r replay) widen(v lifted, shape []int) Node {
	axes, rank := []int(nil), v.Rank()
	if v.stacked {
		axes, rank = []int{0}, rank-1
	}
	for k := range rank {
		axes = append(axes, len(shape)-rank+k)
	}
	return Broadcast(v.Node, shape, axes)
}

// again applies n's op to new arguments.
func (r replay) again(n Node, args []lifted, stacked bool) Node {
	var lead []int
	if stacked {
		lead = []int{r.steps}
	}
	op := n.op
	full := func(k int) Node { return r.widen(args[k], slices.Concat(lead, n.args[k].Shape())) }
	switch c := op.Kind.class(); {
	case c == leaf:
		return r.leaf(n)
	case c == unary:
		return Unary(op.Kind, full(0))
	case c == binary:
		return Binary(op.Kind, full(0), full(1))
	case op.Kind == OpSelect:
		return Where(full(0), full(1), full(2))
	case op.Kind == OpAddressed:
		return r.graph.Addressed(op.Site, full(0), full(1), full(2))
	case op.Kind == OpShuffle:
		return r.graph.Shuffle(op.Rows, full(0), full(1))
	case op.Kind == OpGather:
		return r.gather(n, args, full, lead)
	case op.Kind == OpScatterAdd:
		return ScatterAdd(slices.Concat(lead, op.Shape), full(0), r.index(n, full, lead)...)
	case op.Kind == OpMatMul:
		return MatMul(r.operand(n, args, 0, lead), r.operand(n, args, 1, lead), op.TransA, op.TransB)
	}
	x := make([]Node, len(args))
	for k := range x {
		x[k] = full(k)
	}
	return rearranged(op, slices.Concat(lead, n.Shape()), x, len(lead))
}

func (r replay) leaf(n Node) Node {
	switch n.op.Kind {
	case OpConst:
		return r.graph.Full(n.op.Value, n.Shape()...)
	case OpData:
		return r.graph.data(n.op.Name, n.op.Values, n.finite, n.Shape())
	}
	bug("%v inside a scan: pass it as an argument", n.op)
	return Node{}
}

// rearranged applies an op that moves, reduces or solves to x, which has k additional leading axes.
func rearranged(op *Op, shape []int, x []Node, k int) Node {
	before := func(zeros []int) []int { return slices.Concat(make([]int, k), zeros) }
	axes := make([]int, len(op.Axes))
	for i, a := range op.Axes {
		axes[i] = a + k
	}
	switch op.Kind {
	case OpBroadcast:
		return Broadcast(x[0], shape, slices.Concat(iota0(k), axes))
	case OpPermute:
		return Permute(x[0], slices.Concat(iota0(k), axes)...)
	case OpReshape:
		return Reshape(x[0], shape...)
	case OpSlice:
		return Slice(x[0], before(op.Lo), slices.Concat(shape[:k], op.Hi))
	case OpPad:
		return Pad(x[0], before(op.Lo), before(op.Hi))
	case OpConcat:
		return Concat(axes[0], x...)
	case OpSum, OpMax, OpMin, OpLogSumExp:
		return reduce(op.Kind, x[0], axes)
	case OpCumSum:
		return CumSum(x[0], axes[0], op.Reverse)
	case OpCholesky:
		return Cholesky(x[0])
	case OpEigen:
		return Eigen(x[0])
	case OpTriSolve:
		return TriSolve(x[0], x[1], op.TransA)
	case OpCholeskyPull:
		return CholeskyPull(x[0], x[1])
	}
	bug("%v inside a scan", op)
	return Node{}
}

// gather rebuilds a Gather. If the array itself is stacked, each step reads its own slice.
func (r replay) gather(n Node, args []lifted, full func(int) Node, lead []int) Node {
	index := r.index(n, full, lead)
	if !args[0].stacked {
		index = index[len(lead):]
	}
	return Gather(args[0].Node, index...)
}

// index returns the indices of a Gather or ScatterAdd. If lead has the axis of steps, the step number comes first.
func (r replay) index(n Node, full func(int) Node, lead []int) []Node {
	var out []Node
	if len(lead) > 0 {
		out = append(out, Broadcast(r.graph.Iota(r.steps), slices.Concat(lead, n.args[1].Shape()), []int{0}))
	}
	for k := range n.args[1:] {
		out = append(out, full(k+1))
	}
	return out
}

// operand returns an argument of a matrix product. A matrix that is the same for all steps is not repeated.
func (r replay) operand(n Node, args []lifted, k int, lead []int) Node {
	if !args[k].stacked && args[k].Rank() == 2 {
		return args[k].Node
	}
	matrix := n.args[k].Shape()[n.args[k].Rank()-2:]
	return r.widen(args[k], slices.Concat(lead, batchOf(n), matrix))
}
