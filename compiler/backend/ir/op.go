package ir

import "ppl/autodiff"

// Op is the operation of an instruction in a kernel body.
type Op uint8

// Operations. Arithmetic is IEEE 754 binary64; an F32 instruction computes in binary32 or better (a device may keep all
// registers in binary64). Functions of C's math.h have the same meaning here. Comparisons and logic give 1 or 0, and 0
// if an argument is NaN. Integers are exact up to 2⁵³, or 2²⁴ in F32. All devices give identical results for
// arithmetic; for transcendental functions they agree to a few units in the last place. A finite nonzero Const outside
// the range of normal F32 numbers becomes the smallest or the largest of these, with the same sign.
const (
	Const   Op = iota // Imm
	Counter           // the counter of loop Axis
	Load              // Buf[Index]
	Normal            // standard normal noise, a function of (seed, lane, step, Site, point); F32 and F64 differ
	Uniform           // uniform noise on (0, 1), a function of the same numbers
	Common            // uniform noise on (0, 1), a function of (seed, step, Site): one number for all lanes and points
	// uniform noise on (0, 1), a function of (seed, lane, step, Site, point). Lane, step and point are the arguments,
	// integers below 2³², 2⁴⁰ and 2³².
	Addressed
	// The arguments are a key and a position in an infinite sequence of rows. Each block of Rows positions is a
	// permutation of 0…Rows−1 that is a function of (seed, key, ⌊position/Rows⌋). The result is the row at the
	// position.
	Shuffle

	firstArithmetic = iota
)

// Arithmetic ops are the elementwise kinds of autodiff except Single and Double, which are types of instructions here.
// The constants name the ops that Go code uses.
const (
	Neg          = Op(autodiff.OpNeg) + shift
	Abs          = Op(autodiff.OpAbs) + shift
	Exp          = Op(autodiff.OpExp) + shift
	Log          = Op(autodiff.OpLog) + shift
	Log1p        = Op(autodiff.OpLog1p) + shift
	Sqrt         = Op(autodiff.OpSqrt) + shift
	Sin          = Op(autodiff.OpSin) + shift
	Cos          = Op(autodiff.OpCos) + shift
	Atan         = Op(autodiff.OpAtan) + shift
	Tanh         = Op(autodiff.OpTanh) + shift
	Sigmoid      = Op(autodiff.OpSigmoid) + shift
	Softplus     = Op(autodiff.OpSoftplus) + shift
	LogSigmoid   = Op(autodiff.OpLogSigmoid) + shift
	Lgamma       = Op(autodiff.OpLgamma) + shift
	Digamma      = Op(autodiff.OpDigamma) + shift
	Erf          = Op(autodiff.OpErf) + shift
	LogNormCDF   = Op(autodiff.OpLogNormCDF) + shift
	NormQuantile = Op(autodiff.OpNormQuantile) + shift
	Not          = Op(autodiff.OpNot) + shift
	IsFinite     = Op(autodiff.OpIsFinite) + shift
	Add          = Op(autodiff.OpAdd) + shift
	Sub          = Op(autodiff.OpSub) + shift
	Mul          = Op(autodiff.OpMul) + shift
	Div          = Op(autodiff.OpDiv) + shift
	Pow          = Op(autodiff.OpPow) + shift
	Mod          = Op(autodiff.OpMod) + shift
	Maximum      = Op(autodiff.OpMaximum) + shift
	Minimum      = Op(autodiff.OpMinimum) + shift
	Lt           = Op(autodiff.OpLt) + shift
	Le           = Op(autodiff.OpLe) + shift
	Eq           = Op(autodiff.OpEq) + shift
	MulZero      = Op(autodiff.OpMulZero) + shift
	Select       = Op(autodiff.OpSelect) + shift

	shift = firstArithmetic - Op(autodiff.OpNeg)
)

// Of returns the op for an elementwise kind.
func Of(k autodiff.Kind) Op { return Op(k) + shift }

// Ops is the number of operations, for tables indexed by Op.
const Ops = int(shift) + int(autodiff.LastElementwise) + 1

// Row returns the row of an arithmetic op in the table of elementwise ops; nil for other ops.
func (o Op) Row() *autodiff.Elementwise {
	if o < firstArithmetic {
		return nil
	}
	return autodiff.Kind(o - shift).Row()
}

// Arithmetic lists the arithmetic ops.
func Arithmetic() (all []Op) {
	for _, k := range autodiff.ElementwiseKinds() {
		if k != autodiff.OpSingle && k != autodiff.OpDouble {
			all = append(all, Of(k))
		}
	}
	return all
}

// Arity returns the number of register arguments.
func (o Op) Arity() int {
	if row := o.Row(); row != nil {
		return row.Arity()
	}
	return nonArithmetic[o].arity
}

func (o Op) String() string {
	if row := o.Row(); row != nil {
		return row.Name
	}
	return nonArithmetic[o].name
}

// double reports whether instructions with this op always have type F64 or the type of a buffer.
func (o Op) double() bool {
	return o == Load || o == Uniform || o == Common || o == Addressed || o == Shuffle
}

// nonArithmetic lists the ops that are not arithmetic.
var nonArithmetic = [firstArithmetic]struct {
	name  string
	arity int
}{
	Const: {"const", 0}, Counter: {"counter", 0}, Load: {"load", 0}, Normal: {"normal", 0}, Uniform: {"uniform", 0},
	Common: {"common", 0}, Addressed: {"addressed", 3}, Shuffle: {"shuffle", 2},
}
