package autodiff

// Kind is what an op computes.
type Kind uint8

// Leaves, elementwise ops, movement of elements, reductions, linear algebra.
const (
	OpConst     Kind = iota // Op.Value in every element
	OpData                  // Op.Values, shared by all lanes
	OpInput                 // Op.Name, a lane buffer
	OpNoise                 // Op.Name is "normal", "uniform" or "common"; Op.Site distinguishes noises
	OpAddressed             // args lane, step, point: uniform noise at that address, with Op.Site
	OpShuffle               // args key, position: the row, of Op.Rows, at a position of an endless shuffled sequence

	OpNeg
	OpAbs
	OpSign
	OpFloor
	OpCeil
	OpRound
	OpExp
	OpLog
	OpLog1p
	OpExpm1
	OpSqrt
	OpSin
	OpCos
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpSinh
	OpCosh
	OpTanh
	OpSigmoid
	OpSoftplus   // log(1 + eˣ)
	OpLogSigmoid // −log(1 + e⁻ˣ)
	OpLgamma
	OpDigamma
	OpTrigamma
	OpErf
	OpErfc
	OpLogNormCDF
	OpNormQuantile
	OpLambertW // w ≥ −1 with w·eʷ = x
	OpNot
	OpIsFinite
	OpSingle // x rounded to single precision; values computed from it are single too
	OpDouble // back to double precision

	OpAdd
	OpSub
	OpMul
	OpDiv
	OpPow
	OpMod
	OpMaximum
	OpMinimum
	OpLt
	OpLe
	OpEq
	OpMulZero // x·y, but 0 where x = 0: the chain rule past a branch not taken

	OpSelect // a ≠ 0 ? b : c

	OpBroadcast // to Op.Shape; axis k of the argument becomes axis Op.Axes[k]
	OpPermute   // axis k of the result is axis Op.Axes[k] of the argument
	OpReshape   // to Op.Shape, row-major
	OpSlice     // [Op.Lo[k], Op.Hi[k]) of axis k
	OpPad       // zeros: Op.Lo[k] before and Op.Hi[k] after on axis k
	OpConcat    // joins all arguments along Op.Axes[0]
	// args x, i…: the leading len(i) axes of x are indexed by i… (0-based, equal shapes S); result S + rest
	OpGather
	OpScatterAdd // args y, i…: adjoint of Gather, result Op.Shape

	OpSum       // over Op.Axes
	OpMax       // over Op.Axes
	OpMin       // over Op.Axes
	OpLogSumExp // over Op.Axes
	OpCumSum    // each element added to those before it along Op.Axes[0], from the end when Op.Reverse

	OpMatMul       // [B…, M, K] · [B…, K, N]; Op.TransA, Op.TransB say the stored matrix is the transpose
	OpCholesky     // lower factor of [B…, N, N]
	OpEigen        // of a symmetric [B…, N, N] a row of eigenvalues, then the matrix of eigenvectors: [B…, N+1, N]
	OpTriSolve     // args L [B…, N, N], B [B…, N, M]: L⁻¹B, or L⁻ᵀB when Op.TransA
	OpCholeskyPull // args L, L̄ [B…, N, N]: the symmetric S with tril(2·S·L) = tril(L̄)

	OpScan // args c, xs…, shared…: all carries of a recurrence from c by Op.Body along xs; from the end when Op.Reverse

	numKinds
)

// Kinds is the number of kinds, for tables indexed by Kind.
const Kinds = int(numKinds)

func (k Kind) String() string { return kinds[k].name }

// class groups the kinds that are built, printed and evaluated alike.
type class uint8

const (
	leaf class = iota
	unary
	binary
	other
)

// kinds says of each kind its name, its class, and whether its value is finite for finite arguments (closed), which
// decides how the chain rule multiplies. Overflow of sums and products is disregarded; that of exp is not, it comes
// early.
var kinds = [numKinds]struct {
	name   string
	class  class
	closed bool
}{
	OpConst: {"const", leaf, true}, OpData: {"data", leaf, true}, OpInput: {"input", leaf, true},
	OpNoise:     {"noise", leaf, true},
	OpAddressed: {"addressed", other, true},
	OpShuffle:   {"shuffle", other, true},

	OpNeg: {"neg", unary, true}, OpAbs: {"abs", unary, true}, OpSign: {"sign", unary, true},
	OpFloor: {"floor", unary, true}, OpCeil: {"ceil", unary, true}, OpRound: {"round", unary, true},
	OpExp: {"exp", unary, false}, OpLog: {"log", unary, false}, OpLog1p: {"log1p", unary, false},
	OpExpm1: {"expm1", unary, false}, OpSqrt: {"sqrt", unary, false},
	OpSin: {"sin", unary, true}, OpCos: {"cos", unary, true}, OpTan: {"tan", unary, true},
	OpAsin: {"asin", unary, false}, OpAcos: {"acos", unary, false}, OpAtan: {"atan", unary, true},
	OpSinh: {"sinh", unary, false}, OpCosh: {"cosh", unary, false}, OpTanh: {"tanh", unary, true},
	OpSigmoid: {"sigmoid", unary, true}, OpSoftplus: {"softplus", unary, true}, OpLogSigmoid: {"logsigmoid",
		unary, true},
	OpLgamma: {"lgamma", unary, false}, OpDigamma: {"digamma", unary, false}, OpTrigamma: {"trigamma", unary, false},
	OpErf: {"erf", unary, true}, OpErfc: {"erfc", unary, true},
	OpLogNormCDF: {"lognormcdf", unary, true}, OpNormQuantile: {"normquantile", unary, false},
	OpLambertW: {"lambertw", unary, false},
	OpNot:      {"not", unary, true}, OpIsFinite: {"isfinite", unary, true},
	OpSingle: {"single", unary, true}, OpDouble: {"double", unary, true},

	OpAdd: {"add", binary, true}, OpSub: {"sub", binary, true}, OpMul: {"mul", binary, true},
	OpDiv: {"div", binary, false},
	OpPow: {"pow", binary, false}, OpMod: {"mod", binary, false},
	OpMaximum: {"maximum", binary, true}, OpMinimum: {"minimum", binary, true},
	OpLt: {"lt", binary, true}, OpLe: {"le", binary, true}, OpEq: {"eq", binary, true}, OpMulZero: {"mulzero",
		binary, true},

	OpSelect: {"select", other, true},

	OpBroadcast: {"broadcast", other, true}, OpPermute: {"permute", other, true}, OpReshape: {"reshape", other, true},
	OpSlice: {"slice", other, true}, OpPad: {"pad", other, true}, OpConcat: {"concat", other, true},
	OpGather: {"gather", other, true}, OpScatterAdd: {"scatteradd", other, true},

	OpSum: {"sum", other, true}, OpMax: {"max", other, true}, OpMin: {"min", other, true},
	OpLogSumExp: {"logsumexp", other, true}, OpCumSum: {"cumsum", other, true},

	OpMatMul: {"matmul", other, true}, OpCholesky: {"cholesky", other, false}, OpEigen: {"eigen", other, false},
	OpTriSolve:     {"trisolve", other, false},
	OpCholeskyPull: {"choleskypull", other, false},

	OpScan: {"scan", other, true},
}

// truth reports kinds whose value is always 0 or 1.
func (k Kind) truth() bool {
	switch k {
	case OpNot, OpIsFinite, OpLt, OpLe, OpEq:
		return true
	}
	return false
}

// commutes reports kinds whose arguments can be swapped.
func (k Kind) commutes() bool {
	switch k {
	case OpAdd, OpMul, OpMaximum, OpMinimum, OpEq:
		return true
	}
	return false
}
