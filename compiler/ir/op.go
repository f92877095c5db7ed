package ir

// Op is an instruction of a kernel body.
type Op uint8

// Operations. Comparisons and logic give 1 or 0. Everything is on floating-point values; integers are exact in them.
const (
	Const   Op = iota // Imm
	Counter           // loop counter of Axis
	Load              // Buf[Index]
	Normal            // standard normal noise addressed by (seed, lane, step, Site, point)
	Uniform           // uniform noise on (0, 1), addressed likewise

	Neg
	Abs
	Sign
	Floor
	Ceil
	Round
	Exp
	Log
	Log1p
	Expm1
	Sqrt
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Sinh
	Cosh
	Tanh
	Sigmoid
	Softplus
	LogSigmoid
	Lgamma
	Digamma
	Trigamma
	Erf
	Erfc
	LogNormCDF
	NormQuantile
	Not
	IsFinite

	Add
	Sub
	Mul
	Div
	Pow
	Mod // x - y·floor(x/y)
	Maximum
	Minimum
	Lt
	Le
	Eq
	MulZero // x·y, but 0 where x is 0 whatever y is: the chain rule past a branch not taken

	Select // a ≠ 0 ? b : c
	numOps
)

// Arity is the number of register arguments.
func (o Op) Arity() int { return opTable[o].arity }

func (o Op) String() string { return opTable[o].name }

// Ops is the number of operations, for tables indexed by Op.
const Ops = int(numOps)

var opTable = [numOps]struct {
	name  string
	arity int
}{
	Const: {"const", 0}, Counter: {"counter", 0}, Load: {"load", 0}, Normal: {"normal", 0}, Uniform: {"uniform", 0},
	Neg: {"neg", 1}, Abs: {"abs", 1}, Sign: {"sign", 1}, Floor: {"floor", 1}, Ceil: {"ceil", 1}, Round: {"round", 1},
	Exp: {"exp", 1}, Log: {"log", 1}, Log1p: {"log1p", 1}, Expm1: {"expm1", 1}, Sqrt: {"sqrt", 1},
	Sin: {"sin", 1}, Cos: {"cos", 1}, Tan: {"tan", 1}, Asin: {"asin", 1}, Acos: {"acos", 1}, Atan: {"atan", 1},
	Sinh: {"sinh", 1}, Cosh: {"cosh", 1}, Tanh: {"tanh", 1}, Sigmoid: {"sigmoid", 1}, Softplus: {"softplus", 1},
	LogSigmoid: {"logsigmoid", 1}, Lgamma: {"lgamma", 1}, Digamma: {"digamma", 1}, Trigamma: {"trigamma", 1},
	Erf: {"erf", 1}, Erfc: {"erfc", 1}, LogNormCDF: {"lognormcdf", 1}, NormQuantile: {"normquantile", 1},
	Not: {"not", 1}, IsFinite: {"isfinite", 1},
	Add: {"add", 2}, Sub: {"sub", 2}, Mul: {"mul", 2}, Div: {"div", 2}, Pow: {"pow", 2}, Mod: {"mod", 2},
	Maximum: {"maximum", 2}, Minimum: {"minimum", 2}, Lt: {"lt", 2}, Le: {"le", 2}, Eq: {"eq", 2}, MulZero: {"mulzero", 2},
	Select: {"select", 3},
}
