package autodiff

import "slices"

// Eval computes nodes for one lane by plain loops: the reference for devices, and the source of static values. inputs are the
// lane buffers by name, row-major. The results are the caller's to keep. Noise and Shuffle panic, and so does a missing input.
func Eval(inputs map[string][]float64, nodes ...Node) [][]float64 {
	e := evaluation{inputs, map[*vertex][]float64{}}
	out := make([][]float64, len(nodes))
	for i, n := range nodes {
		out[i] = slices.Clone(e.value(n))
	}
	return out
}

type evaluation struct {
	inputs map[string][]float64
	done   map[*vertex][]float64
}

func (e evaluation) value(n Node) []float64 {
	if v, ok := e.done[n.vertex]; ok {
		return v
	}
	args := make([][]float64, len(n.args))
	for i, a := range n.args {
		args[i] = e.value(a)
	}
	v := e.compute(n, args)
	e.done[n.vertex] = v
	return v
}

func (e evaluation) compute(n Node, args [][]float64) []float64 {
	switch n.op.Kind {
	case OpInput:
		return e.input(n)
	case OpData:
		return n.op.Values
	case OpConst:
		return constant(n.op.Value, n.Size())
	case OpNoise, OpShuffle:
		bug("evaluation of %v, which depends on the seed of a run", n.op)
	}
	return apply(n, args)
}

func (e evaluation) input(n Node) []float64 {
	v, ok := e.inputs[n.op.Name]
	if !ok || len(v) != n.Size() {
		bug("input %s has shape %v and %d values (given: %v)", n.op.Name, n.Shape(), len(v), ok)
	}
	return v
}

// apply computes a node that is not a leaf from its arguments' values.
func apply(n Node, args [][]float64) []float64 {
	switch kinds[n.op.Kind].class {
	case unary:
		return mapUnary(unaryFuncs[n.op.Kind], args[0])
	case binary:
		return mapBinary(binaryFuncs[n.op.Kind], args[0], args[1])
	}
	switch n.op.Kind {
	case OpSelect:
		return choose(args[0], args[1], args[2])
	case OpReshape:
		return args[0]
	case OpBroadcast, OpPermute, OpSlice:
		return view(n, args[0])
	case OpPad, OpConcat:
		return place(n, args)
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
