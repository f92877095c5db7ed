package autodiff

import "slices"

// Eval computes nodes for one lane by plain loops. It is the reference for devices, and computes static values. inputs
// maps names of Inputs to their row-major values. The caller owns the results. Eval panics if an input is missing or if
// a node depends on noise or a Shuffle.
func Eval(inputs map[string][]float64, nodes ...Node) [][]float64 {
	return NewRoutine(nodes...).Eval(inputs)
}

// A Routine is a set of nodes prepared for repeated evaluation. It returns what Eval returns, but computes nodes that
// depend on no input only once.
type Routine struct {
	nodes []Node // all needed nodes, arguments first
	args  [][]int
	fixed [][]float64 // values of nodes that depend on no input; nil for others
	at    []int       // indices of the results in nodes
}

// NewRoutine prepares nodes of one graph.
func NewRoutine(nodes ...Node) *Routine {
	r, seen := &Routine{}, map[*vertex]int{}
	for _, n := range nodes {
		r.at = append(r.at, r.addNode(n, seen))
	}
	return r
}

// Numbers returns the total number of elements of all nodes that the given nodes depend on, which a Routine keeps in
// memory.
func Numbers(nodes ...Node) (n float64) {
	seen := map[*vertex]bool{}
	var visit func(Node)
	visit = func(x Node) {
		if seen[x.vertex] {
			return
		}
		seen[x.vertex] = true
		n += float64(x.Size())
		for _, a := range x.args {
			visit(a)
		}
	}
	for _, x := range nodes {
		visit(x)
	}
	return n
}

// addNode adds a node after its arguments and returns its index.
func (r *Routine) addNode(n Node, seen map[*vertex]int) int {
	if k, ok := seen[n.vertex]; ok {
		return k
	}
	args, values := make([]int, len(n.args)), make([][]float64, len(n.args))
	fixed := n.op.Kind != OpInput
	for i, a := range n.args {
		args[i] = r.addNode(a, seen)
		values[i] = r.fixed[args[i]]
		fixed = fixed && values[i] != nil
	}
	var value []float64
	if fixed {
		value = compute(n, values)
	}
	r.nodes, r.args, r.fixed = append(r.nodes, n), append(r.args, args), append(r.fixed, value)
	seen[n.vertex] = len(r.nodes) - 1
	return seen[n.vertex]
}

// Eval computes the nodes, as the function Eval does.
func (r *Routine) Eval(inputs map[string][]float64) [][]float64 {
	values, args := slices.Clone(r.fixed), [][]float64(nil)
	for k, n := range r.nodes {
		switch {
		case n.op.Kind == OpInput:
			values[k] = input(n, inputs)
		case r.fixed[k] == nil:
			args = args[:0]
			for _, a := range r.args[k] {
				args = append(args, values[a])
			}
			values[k] = compute(n, args)
		}
	}
	out := make([][]float64, len(r.at))
	for i, k := range r.at {
		out[i] = slices.Clone(values[k])
	}
	return out
}

// Compute returns the value of a node that is not an Input, from the values of its arguments. The result may be one of
// the argument slices.
func (n Node) Compute(args ...[]float64) []float64 { return compute(n, args) }

func compute(n Node, args [][]float64) []float64 {
	switch n.op.Kind {
	case OpData:
		return n.op.Values.Doubles()
	case OpConst:
		return constant(n.op.Value, n.Size())
	case OpNoise, OpShuffle, OpAddressed:
		bug("evaluation of %v, which depends on the seed of a run", n.op)
	}
	return apply(n, args)
}

func input(n Node, inputs map[string][]float64) []float64 {
	v, ok := inputs[n.op.Name]
	if !ok || len(v) != n.Size() {
		bug("input %s has shape %v and %d values (given: %v)", n.op.Name, n.Shape(), len(v), ok)
	}
	return v
}

// apply computes a node that is not a leaf from its arguments' values.
func apply(n Node, args [][]float64) []float64 {
	switch n.op.Kind.class() {
	case unary:
		return mapUnary(n.op.Kind.Row().Unary, args[0])
	case binary:
		return mapBinary(n.op.Kind.Row().Binary, args[0], args[1])
	}
	switch n.op.Kind {
	case OpSelect:
		return choose(args[0], args[1], args[2])
	case OpReshape:
		return args[0]
	case OpBroadcast, OpPermute, OpSlice:
		return view(n, args[0])
	case OpPad, OpConcat:
		return padOrConcat(n, args)
	case OpGather:
		return gather(n, args[0], args[1:])
	case OpScatterAdd:
		return scatterAdd(n, args[0], args[1:])
	case OpSum, OpMax, OpMin, OpLogSumExp:
		return fold(n, args[0])
	case OpCumSum:
		return cumSum(n, args[0])
	case OpMatMul:
		return matMul(n, args[0], args[1])
	case OpCholesky:
		return cholesky(n, args[0])
	case OpEigen:
		return eigen(n, args[0])
	case OpTriSolve:
		return triSolve(n, args[0], args[1])
	case OpCholeskyPull:
		return choleskyPull(n, args[0], args[1])
	case OpScan:
		return recur(n, args)
	}
	bug("%v has no value", n.op)
	return nil
}

func constant(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func mapUnary(f func(float64) float64, x []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = f(x[i])
	}
	return out
}

func mapBinary(f func(x, y float64) float64, x, y []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = f(x[i], y[i])
	}
	return out
}

func choose(c, a, b []float64) []float64 {
	out := make([]float64, len(c))
	for i := range c {
		if c[i] != 0 {
			out[i] = a[i]
		} else {
			out[i] = b[i]
		}
	}
	return out
}
