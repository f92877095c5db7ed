package autodiff

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Do runs the op on Gorgonia's machine, which is the oracle in tests: by the tensor library's own primitive where it
// has one that can be relied on, else by the interpreter.
func (o *Op) Do(args ...gorgonia.Value) (gorgonia.Value, error) {
	if o.Kind == OpNoise || o.Kind == OpShuffle {
		return nil, fmt.Errorf("%v depends on the seed of a run and has no value here", o)
	}
	if o.node.Rank() > 0 && len(args) > 0 && args[0].Shape().Dims() > 0 {
		if v, err := o.byTensor(args); v != nil || err != nil {
			return v, err
		}
	}
	xs := make([][]float64, len(args))
	for i, a := range args {
		xs[i] = Floats(a)
	}
	v := compute(o.node, xs)
	return Value(v, o.node.Shape()), nil
}

// Value makes an array for Gorgonia; it copies values.
func Value(values []float64, shape []int) gorgonia.Value {
	if len(shape) == 0 {
		return gorgonia.NewF64(values[0])
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(append([]float64(nil), values...)))
}

// Floats are the elements of Gorgonia's array, row-major.
func Floats(v gorgonia.Value) []float64 {
	switch d := v.Data().(type) {
	case float64:
		return []float64{d}
	case []float64:
		return d
	}
	panic(fmt.Sprintf("internal error: autodiff: value of type %T", v.Data()))
}

// byTensor is the op by the tensor library, or nil.
func (o *Op) byTensor(args []gorgonia.Value) (gorgonia.Value, error) {
	x := args[0].(*tensor.Dense)
	if f := tensorUnary(o.Kind); f != nil {
		return f(x)
	}
	switch o.Kind {
	case OpAdd:
		return tensor.Add(x, args[1])
	case OpSub:
		return tensor.Sub(x, args[1])
	case OpMul:
		return tensor.Mul(x, args[1])
	case OpDiv:
		return tensor.Div(x, args[1])
	case OpPow:
		return tensor.Pow(x, args[1])
	case OpLt:
		return tensor.Lt(x, args[1], tensor.AsSameType())
	case OpLe:
		return tensor.Lte(x, args[1], tensor.AsSameType())
	case OpEq:
		return tensor.ElEq(x, args[1], tensor.AsSameType())
	case OpPermute:
		return tensor.Transpose(x, o.Axes...)
	case OpConcat:
		return tensor.Concat(o.Axes[0], x, tensors(args[1:])...)
	case OpSum:
		if x.Dims() > 3 { // Gorgonia sums wrongly over an axis between others of four
			return nil, nil
		}
		return tensor.Sum(x, o.Axes...)
	case OpMatMul:
		return o.productByTensor(x, args[1].(*tensor.Dense))
	}
	return nil, nil
}

func tensorUnary(k Kind) func(tensor.Tensor, ...tensor.FuncOpt) (tensor.Tensor, error) {
	switch k {
	case OpNeg:
		return tensor.Neg
	case OpAbs:
		return tensor.Abs
	case OpSign:
		return tensor.Sign
	case OpExp:
		return tensor.Exp
	case OpLog:
		return tensor.Log
	case OpSqrt:
		return tensor.Sqrt
	case OpTanh:
		return tensor.Tanh
	}
	return nil
}

func tensors(vs []gorgonia.Value) []tensor.Tensor {
	out := make([]tensor.Tensor, len(vs))
	for i, v := range vs {
		out[i] = v.(tensor.Tensor)
	}
	return out
}

// productByTensor multiplies plain matrices; stacks of them are left to the interpreter.
func (o *Op) productByTensor(a, b *tensor.Dense) (gorgonia.Value, error) {
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
