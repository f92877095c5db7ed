package ir

// Op is an instruction of a kernel body.
type Op uint8

// Operations. Arithmetic is IEEE 754 binary64, or if an instruction says F32, binary32 or better (a device may keep all
// registers in binary64). Functions of C's math.h have the same meaning here. Comparisons and logic give 1 or 0, and 0
// if an argument is NaN. Integers are exact up to 2⁵³, or 2²⁴ in F32. Devices agree exactly on arithmetic, and to a few
// units in the last place on transcendental functions. A Const that F32 cannot represent becomes the largest or
// smallest normal number of its sign.
const (
	Const   Op = iota // Imm
	Counter           // loop counter of Axis
	Load              // Buf[Index]
	Normal            // standard normal noise addressed by (seed, lane, step, Site, point); F32 has others than F64
	Uniform           // uniform noise on (0, 1), addressed likewise
	Common            // uniform noise on (0, 1), addressed by (seed, step, Site): one number for all lanes and points
	// args lane, step, point: uniform noise on (0, 1), addressed by (seed, lane, step, Site, point); whole numbers
	// below 2³², 2⁴⁰ and 2³²
	Addressed
	// args key, position: the row at that position of an endless sequence, each Rows positions a permutation of
	// 0…Rows−1 that is a function of (seed, key, ⌊position/Rows⌋)
	Shuffle

	Neg
	Abs
	Sign  // −1, 0 or 1; NaN of NaN
	Floor // towards −∞
	Ceil  // towards +∞
	Round // to the nearest integer, halves away from zero
	Exp
	Log   // NaN below 0
	Log1p // log(1 + x)
	Expm1 // eˣ − 1
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
	Sigmoid      // 1/(1 + e⁻ˣ)
	Softplus     // log(1 + eˣ)
	LogSigmoid   // −log(1 + e⁻ˣ)
	Lgamma       // log|Γ(x)|; +Inf at 0, −1, −2, …
	Digamma      // d log Γ/dx; NaN at 0, −1, −2, …
	Trigamma     // d² log Γ/dx²; +Inf at 0, −1, −2, …
	Erf          // 2/√π ∫₀ˣ e^−t² dt
	Erfc         // 1 − erf x
	LogNormCDF   // log Φ(x)
	NormQuantile // Φ⁻¹(x); NaN outside [0, 1]
	LambertW     // w ≥ −1 with w·eʷ = x; NaN below −1/e
	Not          // x = 0
	IsFinite     // neither infinite nor NaN

	Add
	Sub
	Mul
	Div
	Pow
	Mod     // x − y·floor(x/y), exactly: the remainder with the sign of y
	Maximum // NaN if either is
	Minimum // NaN if either is
	Lt
	Le
	Eq
	MulZero // x·y, but 0 if x is 0, even if y is infinite or NaN: the chain rule past a branch not taken

	Select // a ≠ 0 ? b : c; NaN is not 0
	numOps
)

// Arity is the number of register arguments.
func (o Op) Arity() int { return opTable[o].arity }

// double reports ops whose instructions always have type F64 or that of a buffer.
func (o Op) double() bool {
	return o == Load || o == Uniform || o == Common || o == Addressed || o == Shuffle
}

func (o Op) String() string { return opTable[o].name }

// Ops is the number of operations, for tables indexed by Op.
const Ops = int(numOps)

var opTable = [numOps]struct {
	name  string
	arity int
}{
	Const: {"const", 0}, Counter: {"counter", 0}, Load: {"load", 0}, Normal: {"normal", 0}, Uniform: {"uniform", 0},
	Common:    {"common", 0},
	Addressed: {"addressed", 3},
	Shuffle:   {"shuffle", 2},
	Neg:       {"neg", 1}, Abs: {"abs", 1}, Sign: {"sign", 1}, Floor: {"floor", 1}, Ceil: {"ceil", 1},
	Round: {"round", 1},
	Exp:   {"exp", 1}, Log: {"log", 1}, Log1p: {"log1p", 1}, Expm1: {"expm1", 1}, Sqrt: {"sqrt", 1},
	Sin: {"sin", 1}, Cos: {"cos", 1}, Tan: {"tan", 1}, Asin: {"asin", 1}, Acos: {"acos", 1}, Atan: {"atan", 1},
	Sinh: {"sinh", 1}, Cosh: {"cosh", 1}, Tanh: {"tanh", 1}, Sigmoid: {"sigmoid", 1}, Softplus: {"softplus", 1},
	LogSigmoid: {"logsigmoid", 1}, Lgamma: {"lgamma", 1}, Digamma: {"digamma", 1}, Trigamma: {"trigamma", 1},
	Erf: {"erf", 1}, Erfc: {"erfc", 1}, LogNormCDF: {"lognormcdf", 1}, NormQuantile: {"normquantile", 1},
	LambertW: {"lambertw", 1},
	Not:      {"not", 1}, IsFinite: {"isfinite", 1},
	Add: {"add", 2}, Sub: {"sub", 2}, Mul: {"mul", 2}, Div: {"div", 2}, Pow: {"pow", 2}, Mod: {"mod", 2},
	Maximum: {"maximum", 2}, Minimum: {"minimum", 2}, Lt: {"lt", 2}, Le: {"le", 2}, Eq: {"eq", 2},
	MulZero: {"mulzero", 2},
	Select:  {"select", 3},
}
