package devicetest

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"ppl/compiler/backend/ir"
)

// apply is an op on numbers, by package math, gonum, or the definition.
func apply(op ir.Op, x, y, z float64) float64 {
	if f := unary[op]; f != nil {
		return f(x)
	}
	if f := binary[op]; f != nil {
		return f(x, y)
	}
	if op != ir.Select {
		panic(fmt.Sprintf("devicetest: op %v", op))
	}
	if x != 0 {
		return y
	}
	return z
}

var unary = [ir.Ops]func(float64) float64{
	ir.Neg: func(x float64) float64 { return -x },
	ir.Abs: math.Abs,
	ir.Sign: func(x float64) float64 {
		if x == 0 || x != x {
			return x
		}
		return math.Copysign(1, x)
	},
	ir.Floor: math.Floor, ir.Ceil: math.Ceil, ir.Round: math.Round,
	ir.Exp: math.Exp, ir.Log: log, ir.Log1p: math.Log1p, ir.Expm1: math.Expm1, ir.Sqrt: math.Sqrt,
	ir.Sin: math.Sin, ir.Cos: math.Cos, ir.Tan: math.Tan, ir.Asin: asin, ir.Acos: acos, ir.Atan: math.Atan,
	ir.Sinh: math.Sinh, ir.Cosh: math.Cosh, ir.Tanh: math.Tanh,
	ir.Sigmoid:    func(x float64) float64 { return math.Exp(-softplus(-x)) },
	ir.Softplus:   softplus,
	ir.LogSigmoid: func(x float64) float64 { return -softplus(-x) },
	ir.Lgamma:     lgamma,
	ir.Digamma:    digamma,
	ir.Trigamma:   trigamma,
	ir.Erf:        math.Erf, ir.Erfc: math.Erfc,
	ir.LogNormCDF: logNormCDF,
	ir.NormQuantile: func(p float64) float64 {
		if !(p >= 0 && p <= 1) {
			return math.NaN()
		}
		return mathext.NormalQuantile(p)
	},
	ir.LambertW: lambertW,
	ir.Not:      func(x float64) float64 { return truth(x == 0) },
	ir.IsFinite: func(x float64) float64 { return truth(!math.IsInf(x, 0) && !math.IsNaN(x)) },
}

var binary = [ir.Ops]func(x, y float64) float64{
	ir.Add: func(x, y float64) float64 { return x + y },
	ir.Sub: func(x, y float64) float64 { return x - y },
	ir.Mul: func(x, y float64) float64 { return x * y },
	ir.Div: func(x, y float64) float64 { return x / y },
	ir.Pow: pow,
	ir.Mod: func(x, y float64) float64 {
		r := math.Mod(x, y)
		if r != 0 && math.Signbit(r) != math.Signbit(y) {
			r += y
		}
		return r
	},
	ir.Maximum: func(x, y float64) float64 { return propagate(math.Max, x, y) },
	ir.Minimum: func(x, y float64) float64 { return propagate(math.Min, x, y) },
	ir.Lt:      func(x, y float64) float64 { return truth(x < y) },
	ir.Le:      func(x, y float64) float64 { return truth(x <= y) },
	ir.Eq:      func(x, y float64) float64 { return truth(x == y) },
	ir.MulZero: func(x, y float64) float64 {
		if x == 0 {
			return 0
		}
		return x * y
	},
}

// propagate gives NaN where either is NaN; math.Max(+Inf, NaN) is +Inf.
func propagate(f func(x, y float64) float64, x, y float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	return f(x, y)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// softplus is max(x, 0) + log(1 + e^−|x|).
func softplus(x float64) float64 {
	return propagate(math.Max, x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// log is of fraction and exponent apart, because math.Log is wrong for subnormal numbers on amd64.
func log(x float64) float64 {
	if 0 < x && x < 0x1p-1022 {
		f, e := math.Frexp(x)
		return math.Log(f) + float64(e)*math.Ln2
	}
	return math.Log(x)
}

func lgamma(x float64) float64 {
	if x != 0 && math.Abs(x) < 1e-300 {
		return -log(math.Abs(x))
	}
	v, _ := math.Lgamma(x)
	return v
}

// pow splits off the exponent of a subnormal number.
func pow(x, y float64) float64 {
	f, e := math.Frexp(x)
	if e < -1021 {
		return math.Pow(f, y) * math.Exp2(float64(e)*y)
	}
	return math.Pow(x, y)
}

// asin and acos are twice the arc tangent of half the angle; math.Asin loses digits near 1.
func asin(x float64) float64 { return 2 * math.Atan2(x, 1+math.Sqrt((1-x)*(1+x))) }
func acos(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }

// digamma shifts its argument beyond 100, where three terms of the asymptotic series are enough; reflection below zero.
// (gonum's is good to 1e-10.)
func digamma(x float64) float64 {
	if x <= 0 {
		if x == math.Floor(x) {
			return math.NaN()
		}
		return digamma(1-x) - math.Pi/math.Tan(math.Pi*math.Mod(x, 1))
	}
	sum := 0.0
	for ; x < 100; x++ {
		sum += 1 / x
	}
	return math.Log(x) - 1/(2*x) - 1/(12*x*x) + 1/(120*math.Pow(x, 4)) - 1/(252*math.Pow(x, 6)) - sum
}

// trigamma is ζ(2, x) of Hurwitz, by reflection below zero.
func trigamma(x float64) float64 {
	switch {
	case x != x || x > 0:
		return mathext.Zeta(2, x)
	case x == math.Floor(x):
		return math.Inf(1)
	}
	s := math.Pi / math.Sin(math.Pi*math.Mod(x, 2))
	return s*s - mathext.Zeta(2, 1-x)
}

// logNormCDF continues log Φ below −25 by the continued fraction of Mills' ratio (Abramowitz & Stegun 26.2.14).
func logNormCDF(x float64) float64 {
	if x > -25 || x != x {
		if x > 0.5 {
			return math.Log1p(-math.Erfc(x/math.Sqrt2) / 2)
		}
		return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
	}
	if math.IsInf(x, -1) {
		return x
	}
	fraction := -x
	for k := 60.0; k >= 1; k-- {
		fraction = -x + k/fraction
	}
	return -x*x/2 - math.Log(2*math.Pi)/2 - math.Log(fraction)
}

// lambertW bisects w·eʷ = x; where x is not small it does so for w + log w = log x, which does not overflow.
func lambertW(x float64) float64 {
	switch {
	case x < -math.Exp(-1):
		return math.NaN()
	case math.Abs(x) < 1e-9:
		return x - x*x
	case math.IsInf(x, 1) || x != x:
		return x
	}
	above := func(w float64) bool { return w*math.Exp(w) > x }
	if x > 3 {
		above = func(w float64) bool { return w+math.Log(w) > math.Log(x) }
	}
	lo, hi := -1.0, 1000.0
	if x > 3 {
		lo = 0
	}
	for range 100 {
		if mid := (lo + hi) / 2; above(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return (lo + hi) / 2
}
