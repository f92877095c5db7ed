package host

import (
	"math"

	"ppl/compiler/ir"
	"ppl/runtime/special"
)

// each makes a loop of a function.
func each(f func(float64) float64) func(d, a []float64) {
	return func(d, a []float64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func each2(f func(x, y float64) float64) func(d, a, b []float64) {
	return func(d, a, b []float64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

// unaryLoops has d = op(a) for vectors of equal length.
var unaryLoops = [ir.Ops]func(d, a []float64){
	ir.Neg:          negLoop,
	ir.Abs:          absLoop,
	ir.Sign:         each(special.Sign),
	ir.Floor:        each(math.Floor),
	ir.Ceil:         each(math.Ceil),
	ir.Round:        each(math.Round),
	ir.Exp:          expLoop,
	ir.Log:          logLoop,
	ir.Log1p:        each(math.Log1p),
	ir.Expm1:        each(math.Expm1),
	ir.Sqrt:         sqrtLoop,
	ir.Sin:          each(math.Sin),
	ir.Cos:          each(math.Cos),
	ir.Tan:          each(math.Tan),
	ir.Asin:         each(special.Asin),
	ir.Acos:         each(special.Acos),
	ir.Atan:         each(math.Atan),
	ir.Sinh:         each(math.Sinh),
	ir.Cosh:         each(math.Cosh),
	ir.Tanh:         each(math.Tanh),
	ir.Sigmoid:      sigmoidLoop,
	ir.Softplus:     softplusLoop,
	ir.LogSigmoid:   logSigmoidLoop,
	ir.Lgamma:       each(special.Lgamma),
	ir.Digamma:      each(special.Digamma),
	ir.Trigamma:     each(special.Trigamma),
	ir.Erf:          each(math.Erf),
	ir.Erfc:         each(math.Erfc),
	ir.LogNormCDF:   each(special.LogNormCDF),
	ir.NormQuantile: normQuantileLoop,
	ir.Not:          notLoop,
	ir.IsFinite:     isFiniteLoop,
}

// binaryLoops has d = op(a, b).
var binaryLoops = [ir.Ops]func(d, a, b []float64){
	ir.Add:     addLoop,
	ir.Sub:     subLoop,
	ir.Mul:     mulLoop,
	ir.Div:     divLoop,
	ir.Pow:     each2(special.Pow),
	ir.Mod:     each2(special.Mod),
	ir.Maximum: maximumLoop,
	ir.Minimum: minimumLoop,
	ir.Lt:      ltLoop,
	ir.Le:      leLoop,
	ir.Eq:      eqLoop,
	ir.MulZero: mulZeroLoop,
}

func negLoop(d, a []float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = -a[i]
	}
}

func absLoop(d, a []float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = math.Abs(a[i])
	}
}

func logLoop(d, a []float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = special.Log(a[i])
	}
}

func sqrtLoop(d, a []float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = math.Sqrt(a[i])
	}
}

func normQuantileLoop(d, a []float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = special.NormQuantile(a[i])
	}
}

func notLoop(d, a []float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = truth(a[i] == 0)
	}
}

func isFiniteLoop(d, a []float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = truth(a[i]-a[i] == 0)
	}
}

func addLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func subLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func mulLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func divLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] / b[i]
	}
}

func maximumLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = special.Maximum(a[i], b[i])
	}
}

func minimumLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = special.Minimum(a[i], b[i])
	}
}

func mulZeroLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = special.MulZero(a[i], b[i])
	}
}

func ltLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] < b[i])
	}
}

func leLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] <= b[i])
	}
}

func eqLoop(d, a, b []float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] == b[i])
	}
}

// selectLoop is d = a ≠ 0 ? b : c.
func selectLoop(d, a, b, c []float64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		v := c[i]
		if a[i] != 0 {
			v = b[i]
		}
		d[i] = v
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
