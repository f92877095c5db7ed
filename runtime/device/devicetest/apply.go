package devicetest

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"ppl/compiler/backend/ir"
)

// apply returns the result of an op on numbers: by package math, gonum or a definition in the tables here, otherwise by
// the op's row, which autodiff's tests compare with values from mpmath.
func apply(op ir.Op, x, y, z float64) float64 {
	if f := unary[op.String()]; f != nil {
		return f(x)
	}
	if f := binary[op.String()]; f != nil {
		return f(x, y)
	}
	switch row := op.Row(); row.Arity() {
	case 1:
		return row.Unary(x)
	case 2:
		return row.Binary(x, y)
	}
	if x != 0 {
		return y
	}
	return z
}

var unary = map[string]func(float64) float64{
	"neg": func(x float64) float64 { return -x },
	"abs": math.Abs,
	"sign": func(x float64) float64 {
		if x == 0 || x != x {
			return x
		}
		return math.Copysign(1, x)
	},
	"floor": math.Floor, "ceil": math.Ceil, "round": math.Round,
	"exp": math.Exp, "log": log, "log1p": math.Log1p, "expm1": math.Expm1, "sqrt": math.Sqrt,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": asin, "acos": acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"sigmoid":    func(x float64) float64 { return math.Exp(-softplus(-x)) },
	"softplus":   softplus,
	"logsigmoid": func(x float64) float64 { return -softplus(-x) },
	"lgamma":     lgamma,
	"digamma":    digamma,
	"trigamma":   trigamma,
	"erf":        math.Erf, "erfc": math.Erfc,
	"lognormcdf": logNormCDF,
	"normquantile": func(p float64) float64 {
		if !(p >= 0 && p <= 1) {
			return math.NaN()
		}
		return mathext.NormalQuantile(p)
	},
	"lambertw": lambertW,
	"not":      func(x float64) float64 { return truth(x == 0) },
	"isfinite": func(x float64) float64 { return truth(!math.IsInf(x, 0) && !math.IsNaN(x)) },
}

var binary = map[string]func(x, y float64) float64{
	"add": func(x, y float64) float64 { return x + y },
	"sub": func(x, y float64) float64 { return x - y },
	"mul": func(x, y float64) float64 { return x * y },
	"div": func(x, y float64) float64 { return x / y },
	"pow": pow,
	"mod": func(x, y float64) float64 {
		r := math.Mod(x, y)
		if r != 0 && math.Signbit(r) != math.Signbit(y) {
			r += y
		}
		return r
	},
	"maximum": func(x, y float64) float64 { return propagate(math.Max, x, y) },
	"minimum": func(x, y float64) float64 { return propagate(math.Min, x, y) },
	"lt":      func(x, y float64) float64 { return truth(x < y) },
	"le":      func(x, y float64) float64 { return truth(x <= y) },
	"eq":      func(x, y float64) float64 { return truth(x == y) },
	"mulzero": func(x, y float64) float64 {
		if x == 0 {
			return 0
		}
		return x * y
	},
}

// propagate returns NaN if either argument is NaN; math.Max(+Inf, NaN) is +Inf.
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

// softplus returns max(x, 0) + log(1 + e^−|x|).
func softplus(x float64) float64 {
	return propagate(math.Max, x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// log treats fraction and exponent of subnormal numbers separately, because math.Log is wrong for these on amd64.
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

// pow separates the exponent of a subnormal number.
func pow(x, y float64) float64 {
	f, e := math.Frexp(x)
	if e < -1021 {
		return math.Pow(f, y) * math.Exp2(float64(e)*y)
	}
	return math.Pow(x, y)
}

// asin and acos use twice the arc tangent of half the angle; math.Asin loses digits near 1.
func asin(x float64) float64 { return 2 * math.Atan2(x, 1+math.Sqrt((1-x)*(1+x))) }
func acos(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }

// digamma increases its argument to at least 100, where three terms of the asymptotic series are enough, and uses
// reflection for negative arguments. (gonum's version is accurate only to 1e-10.)
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

// trigamma returns the Hurwitz zeta function ζ(2, x), by reflection for negative arguments.
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

// logNormCDF computes log Φ below −25 by the continued fraction of Mills' ratio (Abramowitz & Stegun 26.2.14).
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

// lambertW solves w·eʷ = x by bisection; for large x it solves w + log w = log x, which does not overflow.
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
