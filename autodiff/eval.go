package autodiff

import "gonum.org/v1/gonum/floats"

// Eval computes nodes for one lane by plain loops. It is the reference for devices, and computes static values. inputs
// maps names of Inputs to their row-major values. The caller owns the results. Eval panics if an input is missing or if
// a node depends on noise or a Shuffle.
func Eval(inputs map[string][]float64, nodes ...Node) [][]float64 {
	return NewRoutine(nodes...).Eval(inputs)
}

// Compute returns the value of a node that is not an Input, from the values of its arguments. The result may be one of
// the argument slices.
func (n Node) Compute(args ...[]float64) []float64 {
	switch n.op.Kind {
	case OpData:
		return n.op.Values.Doubles()
	case OpConst:
		return constant(n.op.Value, n.Size())
	case OpReshape:
		return args[0]
	}
	out := make([]float64, n.Size())
	kernelOf(n)(out, args)
	return out
}

func constant(v float64, n int) []float64 {
	out := make([]float64, n)
	setAll(out, v)
	return out
}

func setAll(out []float64, v float64) {
	for i := range out {
		out[i] = v
	}
}

// A kernel computes the value of a node into out, from the values of its arguments. The former content of out has no
// influence. out and the arguments do not overlap.
type kernel func(out []float64, args [][]float64)

// kernelOf returns the kernel of a node that is neither a leaf nor a Reshape.
func kernelOf(n Node) kernel {
	switch n.op.Kind.class() {
	case unary:
		return unaryKernel(n.op.Kind.Row().Unary)
	case binary:
		return binaryKernel(n.op.Kind)
	}
	switch n.op.Kind {
	case OpSelect:
		return choose
	case OpBroadcast, OpPermute, OpSlice:
		return viewKernel(n)
	case OpPad, OpConcat:
		return placeKernel(n)
	case OpGather:
		return gatherKernel(n)
	case OpScatterAdd:
		return scatterKernel(n)
	case OpSum, OpMax, OpMin:
		return foldKernel(n)
	case OpLogSumExp:
		return logSumExpKernel(n)
	case OpCumSum:
		return cumSumKernel(n)
	case OpMatMul:
		return matMulKernel(n)
	case OpCholesky:
		return choleskyKernel(n)
	case OpEigen:
		return eigenKernel(n)
	case OpTriSolve:
		return triSolveKernel(n)
	case OpCholeskyPull:
		return choleskyPullKernel(n)
	case OpScan:
		return scanKernel(n)
	case OpNoise, OpShuffle, OpAddressed:
		bug("evaluation of %v, which depends on the seed of a run", n.op)
	}
	bug("%v has no value", n.op)
	return nil
}

func unaryKernel(f func(float64) float64) kernel {
	return func(out []float64, args [][]float64) {
		for i, x := range args[0] {
			out[i] = f(x)
		}
	}
}

func binaryKernel(k Kind) kernel {
	switch k {
	case OpAdd:
		return func(out []float64, args [][]float64) { floats.AddTo(out, args[0], args[1]) }
	case OpSub:
		return func(out []float64, args [][]float64) { floats.SubTo(out, args[0], args[1]) }
	case OpMul:
		return func(out []float64, args [][]float64) { floats.MulTo(out, args[0], args[1]) }
	case OpDiv:
		return func(out []float64, args [][]float64) { floats.DivTo(out, args[0], args[1]) }
	}
	f := k.Row().Binary
	return func(out []float64, args [][]float64) {
		y := args[1]
		for i, x := range args[0] {
			out[i] = f(x, y[i])
		}
	}
}

func choose(out []float64, args [][]float64) {
	a, b := args[1], args[2]
	for i, c := range args[0] {
		if c != 0 {
			out[i] = a[i]
		} else {
			out[i] = b[i]
		}
	}
}
