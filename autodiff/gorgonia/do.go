package gorgonia

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ppl/autodiff"
)

// Do computes the op: with a primitive of the tensor library if there is a reliable one, else with autodiff's
// interpreter.
func (o *op) Do(args ...G.Value) (G.Value, error) {
	if o.output {
		return G.CloneValue(args[0])
	}
	if len(o.shape) > 0 && len(args) > 0 && args[0].Shape().Dims() > 0 {
		if v, err := byTensor(o.node.Op(), args); v != nil || err != nil {
			return v, err
		}
	}
	xs := make([][]float64, len(args))
	for i, a := range args {
		xs[i] = Floats(a)
	}
	v, err := o.compute(xs)
	if err != nil {
		return nil, err
	}
	return Value(v, o.shape), nil
}

// compute evaluates the op with plain loops. A tape machine runs the steps of a Scan.
func (o *op) compute(xs [][]float64) ([]float64, error) {
	switch k := o.node.Op().Kind; {
	case k == autodiff.OpScan:
		return o.scan(xs)
	case k != autodiff.OpNoise && k != autodiff.OpShuffle && k != autodiff.OpAddressed:
		return o.node.Compute(xs...), nil
	case o.graph.random == nil:
		return nil, fmt.Errorf("gorgonia: %v depends on the seed of a run and has no value here", o)
	case k == autodiff.OpNoise:
		dst := make([]float64, o.node.Size())
		o.graph.random.Noise(o.node.Op().Name, o.node.Op().Site, dst)
		return dst, nil
	}
	dst := make([]float64, len(xs[0]))
	if o.node.Op().Kind == autodiff.OpAddressed {
		for i, lane := range xs[0] {
			dst[i] = o.graph.random.Addressed(o.node.Op().Site, lane, xs[1][i], xs[2][i])
		}
		return dst, nil
	}
	for i, key := range xs[0] {
		dst[i] = o.graph.random.Shuffle(o.node.Op().Rows, key, xs[1][i])
	}
	return dst, nil
}

// scan evaluates a recurrence: row t+1 of the result is the carry after step t. With Reverse, which starts at the last
// step, row t is the carry after step t.
func (o *op) scan(xs [][]float64) ([]float64, error) {
	body, reverse := o.node.Op().Body, o.node.Op().Reverse
	steps := o.shape[0] - 1
	rows := [][]float64{xs[0]}
	inputs := map[string][]float64{}
	for k, s := range body.Shared {
		inputs[s.Op().Name] = xs[1+len(body.Xs)+k]
	}
	for turn := range steps {
		t := turn
		if reverse {
			t = steps - 1 - turn
		}
		for k, x := range body.Xs {
			inputs[x.Op().Name] = xs[1+k][t*x.Size() : (t+1)*x.Size()]
		}
		inputs[body.Carry.Op().Name] = rows[turn]
		next, err := o.step.Run(inputs, o.graph.random)
		if err != nil {
			return nil, err
		}
		rows = append(rows, next[carry])
	}
	if reverse {
		slices.Reverse(rows)
	}
	return slices.Concat(rows...), nil
}

// Value converts an array to a Gorgonia value. It copies the numbers.
func Value(values []float64, shape []int) G.Value {
	if len(shape) == 0 {
		return G.NewF64(values[0])
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(append([]float64(nil), values...)))
}

// Floats returns the elements of a Gorgonia array, row-major.
func Floats(v G.Value) []float64 {
	switch d := v.Data().(type) {
	case float64:
		return []float64{d}
	case []float64:
		return d
	}
	panic(fmt.Sprintf("internal error: gorgonia: value of type %T", v.Data()))
}

// byTensor computes the op with the tensor library. It returns nil if the library has no reliable primitive.
func byTensor(o *autodiff.Op, args []G.Value) (G.Value, error) {
	x := args[0].(*tensor.Dense)
	if f := tensorUnary(o.Kind); f != nil {
		return f(x)
	}
	switch o.Kind {
	case autodiff.OpAdd:
		return tensor.Add(x, args[1])
	case autodiff.OpSub:
		return tensor.Sub(x, args[1])
	case autodiff.OpMul:
		return tensor.Mul(x, args[1])
	case autodiff.OpDiv:
		return tensor.Div(x, args[1])
	case autodiff.OpPow:
		return tensor.Pow(x, args[1])
	case autodiff.OpLt:
		return tensor.Lt(x, args[1], tensor.AsSameType())
	case autodiff.OpLe:
		return tensor.Lte(x, args[1], tensor.AsSameType())
	case autodiff.OpEq:
		return tensor.ElEq(x, args[1], tensor.AsSameType())
	case autodiff.OpPermute:
		return tensor.Transpose(x, o.Axes...)
	case autodiff.OpConcat:
		return tensor.Concat(o.Axes[0], x, tensors(args[1:])...)
	case autodiff.OpSum:
		if x.Dims() > 3 { // for arrays of four axes, Gorgonia sums wrongly over an inner axis
			return nil, nil
		}
		return tensor.Sum(x, o.Axes...)
	case autodiff.OpMatMul:
		return productByTensor(o, x, args[1].(*tensor.Dense))
	}
	return nil, nil
}

func tensorUnary(k autodiff.Kind) func(tensor.Tensor, ...tensor.FuncOpt) (tensor.Tensor, error) {
	switch k {
	case autodiff.OpNeg:
		return tensor.Neg
	case autodiff.OpAbs:
		return tensor.Abs
	case autodiff.OpSign:
		return tensor.Sign
	case autodiff.OpExp:
		return tensor.Exp
	case autodiff.OpLog:
		return tensor.Log
	case autodiff.OpSqrt:
		return tensor.Sqrt
	case autodiff.OpTanh:
		return tensor.Tanh
	}
	return nil
}

func tensors(vs []G.Value) []tensor.Tensor {
	out := make([]tensor.Tensor, len(vs))
	for i, v := range vs {
		out[i] = v.(tensor.Tensor)
	}
	return out
}

// productByTensor multiplies two matrices. It returns nil for stacks of matrices.
func productByTensor(o *autodiff.Op, a, b *tensor.Dense) (G.Value, error) {
	if a.Dims() != 2 || b.Dims() != 2 {
		return nil, nil
	}
	a, b = a.Clone().(*tensor.Dense), b.Clone().(*tensor.Dense)
	if o.TransA {
		if err := a.T(); err != nil {
			return nil, err
		}
	}
	if o.TransB {
		if err := b.T(); err != nil {
			return nil, err
		}
	}
	return tensor.MatMul(a, b)
}
