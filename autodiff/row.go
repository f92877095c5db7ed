package autodiff

import (
	"math"

	"ppl/autodiff/special"
)

// An Elementwise is a row of the table of ops that compute each element of the result from the elements of the
// arguments at the same position. Interpreters use its value functions; the generators of C and CUDA use its Operator
// and Source.
type Elementwise struct {
	Name   string
	Unary  func(x float64) float64    // the value, for ops of one argument
	Binary func(x, y float64) float64 // the value, for ops of two arguments
	// pull returns the part of the gradient bar of node n that passes to argument k. It is nil if no gradient passes.
	pull     func(n, bar Node, k int) Node
	closed   bool    // the value is finite for finite arguments, see kinds
	commutes bool    // the two arguments can be swapped
	Truth    bool    // the value is 0 or 1
	Cost     float64 // approximate cost per element, in additions

	Operator string // format of an expression in C, "%s + %s"; "" for a function
	Source   Source // origin of the C function

	// Tolerance is the error that devices may have; 0 means that they compute the same number. It is relative where
	// |value| ≥ 1. Elsewhere it is absolute, unless Relative is set.
	Tolerance float64
	Relative  bool
	Lo, Hi    float64 // interval of arguments in tests; both 0: any arguments

	Function Function
}

// A Source identifies where C and CUDA programs get the function of an op from.
type Source uint8

const (
	Written       Source = iota // generated headers define it
	Library                     // the C library has it under the same name
	VectorLibrary               // like Library; libmvec has it for vectors, including single precision
	Special                     // a separate header defines it for all lanes, in double precision
)

// A Function describes the op as a function of the language. Its Name is empty if the language has no such function.
type Function struct {
	Name  string
	Doc   string                                     // a sentence without its full stop
	Range func(lo, hi float64) (least, most float64) // range of values for arguments in lo…hi
	Whole bool                                       // values are integers
}

// elementwise has a row for each elementwise kind. It is filled in init, because gradients refer to other rows.
var elementwise [endElementwise]Elementwise

// Row returns the row of an elementwise kind, or nil for other kinds.
func (k Kind) Row() *Elementwise {
	if k < OpNeg || k >= endElementwise {
		return nil
	}
	return &elementwise[k]
}

// LastElementwise is the last of the elementwise kinds.
const LastElementwise = endElementwise - 1

// ElementwiseKinds lists the elementwise kinds.
func ElementwiseKinds() (all []Kind) {
	for k := OpNeg; k < endElementwise; k++ {
		all = append(all, k)
	}
	return all
}

// Arity returns the number of arguments.
func (e *Elementwise) Arity() int {
	switch {
	case e.Unary != nil:
		return 1
	case e.Binary != nil:
		return 2
	}
	return 3
}

// by returns the pull of an op of one argument, given its derivative slope(x, y), where y is the op's value.
func by(slope func(x, y Node) Node) func(n, bar Node, k int) Node {
	return func(n, bar Node, _ int) Node { return chain(bar, slope(n.args[0], n)) }
}

// like returns a constant with the shape of x.
func like(x Node, v float64) Node { return x.Graph().Full(v, x.Shape()...) }

var inf = math.Inf(1)

// Rising returns the Function.Range of an increasing function with values in least…most. If f is NaN at an end, because
// that end is outside the function's domain, least or most is used.
func Rising(f func(float64) float64, least, most float64) func(lo, hi float64) (float64, float64) {
	return func(lo, hi float64) (float64, float64) {
		return math.Max(orElse(f(lo), least), least), math.Min(orElse(f(hi), most), most)
	}
}

// Falling returns the Function.Range of a decreasing function, like Rising.
func Falling(f func(float64) float64, least, most float64) func(lo, hi float64) (float64, float64) {
	return func(lo, hi float64) (float64, float64) { return Rising(f, least, most)(hi, lo) }
}

// Between returns a Function.Range that is least…most for all arguments.
func Between(least, most float64) func(lo, hi float64) (float64, float64) {
	return func(float64, float64) (float64, float64) { return least, most }
}

// orElse returns v, or other if v is NaN.
func orElse(v, other float64) float64 {
	if math.IsNaN(v) {
		return other
	}
	return v
}

func coshRange(lo, hi float64) (float64, float64) {
	nearest := math.Max(0, math.Max(lo, -hi))
	return Rising(math.Cosh, 1, inf)(nearest, math.Max(-lo, hi))
}

// lgammaRange returns the range of log|Γ(x)|. For positive x it starts at the minimum, which is at 1.46163 (Abramowitz
// & Stegun 6.1).
func lgammaRange(lo, _ float64) (float64, float64) {
	if lo >= 0 {
		return -0.12148629053584961, inf
	}
	return -inf, inf
}

func trigammaRange(lo, _ float64) (float64, float64) {
	if lo >= 0 {
		return math.SmallestNonzeroFloat64, inf
	}
	return -inf, inf
}

// lambertRange returns a range whose values are at least −1, have the sign of the argument, and are at most log(1 + x).
func lambertRange(lo, hi float64) (least, most float64) {
	least, most = -1, math.Log1p(math.Max(hi, 0))
	switch {
	case lo > 0:
		least = math.SmallestNonzeroFloat64
	case lo == 0:
		least = 0
	}
	return least, most
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func sigmoid(x float64) float64    { return special.Sigmoid(x, math.Exp(-math.Abs(x))) }
func softplus(x float64) float64   { return special.Softplus(x, math.Exp(-math.Abs(x))) }
func logSigmoid(x float64) float64 { return -softplus(-x) }
