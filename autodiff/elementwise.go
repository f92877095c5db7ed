package autodiff

import (
	"math"

	"ppl/autodiff/special"
)

// These are the elementwise kinds, in the order of the table below.
const (
	OpNeg Kind = numLeaves + iota
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
	OpLgamma     // log|Γ(x)|; +Inf at 0, −1, −2, …
	OpDigamma    // d log Γ/dx; NaN at 0, −1, −2, …
	OpTrigamma   // d² log Γ/dx²; +Inf at 0, −1, −2, …
	OpErf        // 2/√π ∫₀ˣ e^−t² dt
	OpErfc       // 1 − erf x
	OpLogNormCDF // log Φ(x)
	OpNormQuantile
	OpInvErf   // the y with erf y = x; NaN outside −1…1
	OpLambertW // w ≥ −1 with w·eʷ = x; NaN below −1/e
	OpNot
	OpIsFinite
	OpSingle // x rounded to single precision; values computed from it are single too
	OpDouble // x converted back to double precision

	OpAdd
	OpSub
	OpMul
	OpDiv
	OpPow
	OpMod     // x − y·floor(x/y), exactly: the remainder with the sign of y
	OpMaximum // NaN if x or y is NaN
	OpMinimum // NaN if x or y is NaN
	OpLt
	OpLe
	OpEq
	OpMulZero // x·y, but 0 where x = 0: used by the chain rule for branches not taken

	OpSelect // a ≠ 0 ? b : c; a NaN condition selects b

	endElementwise
)

func init() {
	elementwise = [...]Elementwise{
		OpNeg: {Name: "neg", Unary: func(x float64) float64 { return -x }, closed: true, Cost: 1, Operator: "-%s",
			pull: by(func(x, _ Node) Node { return like(x, -1) })},
		OpAbs: {Name: "abs", Unary: math.Abs, closed: true, Cost: 1,
			pull: by(func(x, _ Node) Node { return Sign(x) })},
		OpSign: {Name: "sign", Unary: special.Sign, closed: true, Cost: 1,
			Function: Function{Name: "sign", Doc: "the sign of x: -1, 0 or 1", Whole: true,
				Range: Rising(special.Sign, -1, 1)}},
		OpFloor: {Name: "floor", Unary: math.Floor, closed: true, Cost: 1,
			Function: Function{Name: "floor", Doc: "the greatest integer not above x", Whole: true,
				Range: Rising(math.Floor, -inf, inf)}},
		OpCeil: {Name: "ceil", Unary: math.Ceil, closed: true, Cost: 1,
			Function: Function{Name: "ceil", Doc: "the least integer not below x", Whole: true,
				Range: Rising(math.Ceil, -inf, inf)}},
		OpRound: {Name: "round", Unary: math.Round, closed: true, Cost: 1,
			Function: Function{Name: "round", Doc: "the nearest integer, halves away from 0", Whole: true,
				Range: Rising(math.Round, -inf, inf)}},
		OpExp: {Name: "exp", Unary: math.Exp, Cost: 10, Tolerance: 1e-15, Relative: true,
			pull: by(func(_, y Node) Node { return y }),
			Function: Function{Name: "exp", Doc: "e to the power x",
				Range: Rising(math.Exp, math.SmallestNonzeroFloat64, inf)}},
		OpLog: {Name: "log", Unary: special.Log, Cost: 10, Tolerance: 1e-15, Relative: true, Source: VectorLibrary,
			Lo: 0, Hi: inf, pull: by(func(x, _ Node) Node { return Div(like(x, 1), x) }),
			Function: Function{Name: "log", Doc: "natural logarithm", Range: Rising(math.Log, -inf, inf)}},
		OpLog1p: {Name: "log1p", Unary: math.Log1p, Cost: 12, Tolerance: 1e-15, Relative: true,
			Source: VectorLibrary, Lo: -1, Hi: 1,
			pull: by(func(x, _ Node) Node { return Div(like(x, 1), Add(like(x, 1), x)) }),
			Function: Function{Name: "log1p", Doc: "log(1 + x), accurate for small x",
				Range: Rising(math.Log1p, -inf, inf)}},
		OpExpm1: {Name: "expm1", Unary: math.Expm1, Cost: 12, Tolerance: 1e-15, Relative: true,
			Source: VectorLibrary, pull: by(func(x, _ Node) Node { return Exp(x) }),
			Function: Function{Name: "expm1", Doc: "exp(x) - 1, accurate for small x",
				Range: Rising(math.Expm1, -1, inf)}},
		OpSqrt: {Name: "sqrt", Unary: math.Sqrt, Cost: 4, Lo: 0, Hi: inf,
			pull:     by(func(x, y Node) Node { return Div(like(x, .5), y) }),
			Function: Function{Name: "sqrt", Doc: "square root", Range: Rising(math.Sqrt, 0, inf)}},

		OpSin: {Name: "sin", Unary: math.Sin, closed: true, Cost: 12, Tolerance: 1e-15, Source: VectorLibrary,
			pull:     by(func(x, _ Node) Node { return Cos(x) }),
			Function: Function{Name: "sin", Doc: "sine of x in radians", Range: Between(-1, 1)}},
		OpCos: {Name: "cos", Unary: math.Cos, closed: true, Cost: 12, Tolerance: 1e-15, Source: VectorLibrary,
			pull:     by(func(x, _ Node) Node { return Neg(Sin(x)) }),
			Function: Function{Name: "cos", Doc: "cosine of x in radians", Range: Between(-1, 1)}},
		OpTan: {Name: "tan", Unary: math.Tan, closed: true, Cost: 15, Tolerance: 2e-15, Source: Library,
			Lo: -math.Pi / 2, Hi: math.Pi / 2,
			pull:     by(func(x, y Node) Node { return Add(like(x, 1), Mul(y, y)) }),
			Function: Function{Name: "tan", Doc: "tangent of x in radians", Range: Between(-inf, inf)}},
		OpAsin: {Name: "asin", Unary: special.Asin, Cost: 15, Tolerance: 1e-15, Source: Library, Lo: -1, Hi: 1,
			pull: by(func(x, _ Node) Node { return Div(like(x, 1), Sqrt(oneMinusSquare(x))) }),
			Function: Function{Name: "asin", Doc: "arc sine in radians, for x in -1..1",
				Range: Rising(math.Asin, -math.Pi/2, math.Pi/2)}},
		OpAcos: {Name: "acos", Unary: special.Acos, Cost: 15, Tolerance: 1e-15, Source: Library, Lo: -1, Hi: 1,
			pull: by(func(x, _ Node) Node { return Div(like(x, -1), Sqrt(oneMinusSquare(x))) }),
			Function: Function{Name: "acos", Doc: "arc cosine in radians, for x in -1..1",
				Range: Falling(math.Acos, 0, math.Pi)}},
		OpAtan: {Name: "atan", Unary: math.Atan, closed: true, Cost: 15, Tolerance: 1e-15, Source: VectorLibrary,
			pull: by(func(x, _ Node) Node { return Div(like(x, 1), Add(like(x, 1), Mul(x, x))) }),
			Function: Function{Name: "atan", Doc: "arc tangent in radians",
				Range: Rising(math.Atan, -math.Pi/2, math.Pi/2)}},
		OpSinh: {Name: "sinh", Unary: math.Sinh, Cost: 15, Tolerance: 2e-15, Relative: true, Source: Library,
			pull:     by(func(x, _ Node) Node { return Cosh(x) }),
			Function: Function{Name: "sinh", Doc: "hyperbolic sine", Range: Rising(math.Sinh, -inf, inf)}},
		OpCosh: {Name: "cosh", Unary: math.Cosh, Cost: 15, Tolerance: 2e-15, Source: Library,
			pull:     by(func(x, _ Node) Node { return Sinh(x) }),
			Function: Function{Name: "cosh", Doc: "hyperbolic cosine", Range: coshRange}},
		OpTanh: {Name: "tanh", Unary: math.Tanh, closed: true, Cost: 15, Tolerance: 1e-15, Relative: true,
			Source: VectorLibrary, pull: by(func(_, y Node) Node { return oneMinusSquare(y) }),
			Function: Function{Name: "tanh", Doc: "hyperbolic tangent", Range: Rising(math.Tanh, -1, 1)}},

		// Devices are compared with e^−softplus, in which the error of the exponent becomes a relative error.
		OpSigmoid: {Name: "sigmoid", Unary: sigmoid, closed: true, Cost: 12, Tolerance: 1e-13, Relative: true,
			pull: by(func(x, y Node) Node { return Mul(y, Sigmoid(Neg(x))) }),
			Function: Function{Name: "sigmoid", Doc: "1 / (1 + exp(-x)), the inverse of logit",
				Range: Rising(sigmoid, math.SmallestNonzeroFloat64, 1)}},
		OpSoftplus: {Name: "softplus", Unary: softplus, closed: true, Cost: 20, Tolerance: 1e-15, Relative: true,
			pull: by(func(x, _ Node) Node { return Sigmoid(x) }),
			Function: Function{Name: "softplus", Doc: "log(1 + exp(x))",
				Range: Rising(softplus, math.SmallestNonzeroFloat64, inf)}},
		OpLogSigmoid: {Name: "logsigmoid", Unary: logSigmoid, closed: true, Cost: 20, Tolerance: 1e-15,
			Relative: true, pull: by(func(x, _ Node) Node { return Sigmoid(Neg(x)) }),
			Function: Function{Name: "log_sigmoid", Doc: "log(sigmoid(x)) = -log(1 + exp(-x))",
				Range: Rising(logSigmoid, -inf, 0)}},

		OpLgamma: {Name: "lgamma", Unary: special.Lgamma, Cost: 40, Tolerance: 1e-14, Source: Special, Lo: 0, Hi: inf,
			pull: by(func(x, _ Node) Node { return Digamma(x) }),
			Function: Function{Name: "lgamma", Doc: "logarithm of the gamma function, for x > 0",
				Range: lgammaRange}},
		OpDigamma: {Name: "digamma", Unary: special.Digamma, Cost: 40, Tolerance: 1e-13, Source: Special,
			Lo: 0, Hi: inf, pull: by(func(x, _ Node) Node { return Trigamma(x) }),
			Function: Function{Name: "digamma", Doc: "derivative of lgamma", Range: Between(-inf, inf)}},
		OpTrigamma: {Name: "trigamma", Unary: special.Trigamma, Cost: 40, Tolerance: 1e-13, Source: Special,
			Lo: 0, Hi: inf, pull: by(func(x, _ Node) Node { return tetragamma(x) }),
			Function: Function{Name: "trigamma", Doc: "derivative of digamma, for x > 0", Range: trigammaRange}},
		OpErf: {Name: "erf", Unary: math.Erf, closed: true, Cost: 20, Tolerance: 1e-15, Relative: true,
			Source: VectorLibrary, pull: by(func(x, _ Node) Node { return gauss(x, 2/math.Sqrt(math.Pi)) }),
			Function: Function{Name: "erf", Range: Rising(math.Erf, -1, 1),
				Doc: "error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x"}},
		OpErfc: {Name: "erfc", Unary: math.Erfc, closed: true, Cost: 20, Tolerance: 1e-14, Relative: true,
			Source: Library, pull: by(func(x, _ Node) Node { return gauss(x, -2/math.Sqrt(math.Pi)) }),
			Function: Function{Name: "erfc", Doc: "1 - erf(x), accurate in the right tail",
				Range: Falling(math.Erfc, 0, 2)}},
		OpLogNormCDF: {Name: "lognormcdf", Unary: special.LogNormCDF, closed: true, Cost: 40, Tolerance: 1e-14,
			Relative: true, Source: Special, pull: by(inverseMills),
			Function: Function{Name: "log_Phi", Doc: "log(Phi(x)), accurate in the left tail",
				Range: Between(-inf, 0)}},
		OpNormQuantile: {Name: "normquantile", Unary: special.NormQuantile, Cost: 40, Tolerance: 1e-14,
			Source: Special, Lo: 0, Hi: 1, pull: by(normQuantileSlope),
			Function: Function{Name: "inv_Phi", Doc: "standard normal quantile, for x in 0..1",
				Range: Between(-inf, inf)}},
		OpInvErf: {Name: "inverf", Unary: math.Erfinv, Cost: 60, Tolerance: 1e-15, Relative: true, Source: Special,
			Lo: -1, Hi: 1, pull: by(func(_, y Node) Node { return Div(like(y, 1), gauss(y, 2/math.Sqrt(math.Pi))) }),
			Function: Function{Name: "inv_erf", Doc: "the y with erf(y) = x, for x in -1..1",
				Range: Rising(math.Erfinv, -inf, inf)}},
		OpLambertW: {Name: "lambertw", Unary: special.LambertW, Cost: 80, Tolerance: 1e-14, Source: Special,
			Lo: -1 / math.E, Hi: inf,
			pull: by(func(x, y Node) Node { return Div(Exp(Neg(y)), Add(x.Graph().Const(1), y)) }),
			Function: Function{Name: "lambert_w", Range: lambertRange,
				Doc: "the w >= -1 with w exp(w) = x, for x >= -1/e (Lambert's function W0)"}},

		OpNot: {Name: "not", Unary: func(x float64) float64 { return truth(x == 0) }, closed: true, Truth: true,
			Cost: 1},
		OpIsFinite: {Name: "isfinite", Unary: func(x float64) float64 { return truth(finite(x)) }, closed: true,
			Truth: true, Cost: 1,
			Function: Function{Name: "is_finite", Doc: "whether x is neither infinite nor NaN", Whole: true,
				Range: Between(0, 1)}},
		// devices compute nothing for these two; only the type of registers changes
		OpSingle: {Name: "single", Unary: func(x float64) float64 { return float64(float32(x)) }, closed: true,
			Cost: .5, pull: func(_, bar Node, _ int) Node { return Double(bar) }},
		OpDouble: {Name: "double", Unary: func(x float64) float64 { return x }, closed: true, Cost: .5,
			pull: func(_, bar Node, _ int) Node { return Single(bar) }},

		OpAdd: {Name: "add", Binary: func(x, y float64) float64 { return x + y }, closed: true, commutes: true,
			Cost: 1, Operator: "%s + %s", pull: func(_, bar Node, _ int) Node { return bar }},
		OpSub: {Name: "sub", Binary: func(x, y float64) float64 { return x - y }, closed: true, Cost: 1,
			Operator: "%s - %s", pull: differenceToArg},
		OpMul: {Name: "mul", Binary: func(x, y float64) float64 { return x * y }, closed: true, commutes: true,
			Cost: 1, Operator: "%s * %s", pull: factorToArg},
		OpDiv: {Name: "div", Binary: func(x, y float64) float64 { return x / y }, Cost: 4, Operator: "%s / %s",
			pull: quotientToArg},
		OpPow: {Name: "pow", Binary: special.Pow, Cost: 30, Tolerance: 1e-13, Relative: true, Source: Library,
			Lo: 0, Hi: inf, pull: powerToArg},
		OpMod: {Name: "mod", Binary: special.Mod, Cost: 6, pull: remainderToArg},
		OpMaximum: {Name: "maximum", Binary: special.Maximum, closed: true, commutes: true, Cost: 1,
			pull: func(n, bar Node, k int) Node { return chain(share(n.args[1-k], n.args[k]), bar) }},
		OpMinimum: {Name: "minimum", Binary: special.Minimum, closed: true, commutes: true, Cost: 1,
			pull: func(n, bar Node, k int) Node { return chain(share(n.args[k], n.args[1-k]), bar) }},
		OpLt: {Name: "lt", Binary: func(x, y float64) float64 { return truth(x < y) }, closed: true, Truth: true,
			Cost: 1},
		OpLe: {Name: "le", Binary: func(x, y float64) float64 { return truth(x <= y) }, closed: true, Truth: true,
			Cost: 1},
		OpEq: {Name: "eq", Binary: func(x, y float64) float64 { return truth(x == y) }, closed: true, commutes: true,
			Truth: true, Cost: 1},
		OpMulZero: {Name: "mulzero", Binary: special.MulZero, closed: true, Cost: 1, pull: factorToArg},

		OpSelect: {Name: "select", closed: true, Cost: 1, pull: branchToArg},
	}
}
