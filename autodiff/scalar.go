package autodiff

import "math"

// unaryFuncs are the elementwise functions of one argument on numbers.
var unaryFuncs = [numKinds]func(float64) float64{
	OpNeg:          func(x float64) float64 { return -x },
	OpAbs:          math.Abs,
	OpSign:         sign,
	OpFloor:        math.Floor,
	OpCeil:         math.Ceil,
	OpRound:        math.Round, // half away from zero
	OpExp:          math.Exp,
	OpLog:          math.Log,
	OpLog1p:        math.Log1p,
	OpExpm1:        math.Expm1,
	OpSqrt:         math.Sqrt,
	OpSin:          math.Sin,
	OpCos:          math.Cos,
	OpTan:          math.Tan,
	OpAsin:         math.Asin,
	OpAcos:         math.Acos,
	OpAtan:         math.Atan,
	OpSinh:         math.Sinh,
	OpCosh:         math.Cosh,
	OpTanh:         math.Tanh,
	OpSigmoid:      sigmoid,
	OpSoftplus:     softplus,
	OpLogSigmoid:   func(x float64) float64 { return -softplus(-x) },
	OpLgamma:       lgamma,
	OpDigamma:      digamma,
	OpTrigamma:     trigamma,
	OpErf:          math.Erf,
	OpErfc:         math.Erfc,
	OpLogNormCDF:   logNormCDF,
	OpNormQuantile: normQuantile,
	OpLambertW:     lambertW,
	OpNot:          func(x float64) float64 { return truth(x == 0) },
	OpIsFinite:     func(x float64) float64 { return truth(finite(x)) },
	OpSingle:       func(x float64) float64 { return float64(float32(x)) },
	OpDouble:       func(x float64) float64 { return x },
}

// binaryFuncs are the elementwise functions of two arguments on numbers.
var binaryFuncs = [numKinds]func(x, y float64) float64{
	OpAdd:     func(x, y float64) float64 { return x + y },
	OpSub:     func(x, y float64) float64 { return x - y },
	OpMul:     func(x, y float64) float64 { return x * y },
	OpDiv:     func(x, y float64) float64 { return x / y },
	OpPow:     math.Pow,
	OpMod:     func(x, y float64) float64 { return x - y*math.Floor(x/y) },
	OpMaximum: func(x, y float64) float64 { return max(x, y) },
	OpMinimum: func(x, y float64) float64 { return min(x, y) },
	OpLt:      func(x, y float64) float64 { return truth(x < y) },
	OpLe:      func(x, y float64) float64 { return truth(x <= y) },
	OpEq:      func(x, y float64) float64 { return truth(x == y) },
	OpMulZero: mulZero,
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// sign is 0 at 0 and NaN at NaN.
func sign(x float64) float64 {
	if x == 0 || math.IsNaN(x) {
		return x
	}
	return math.Copysign(1, x)
}

func mulZero(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * y
}
