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

// loops has d = op(a), d = op(a, b) or d = op(a, b, c). Arguments are at least as long as the result.
var loops = [ir.Ops]opLoop{
	ir.Neg:          {unary: negLoop},
	ir.Abs:          {unary: absLoop},
	ir.Sign:         {unary: each(special.Sign)},
	ir.Floor:        {unary: each(math.Floor)},
	ir.Ceil:         {unary: each(math.Ceil)},
	ir.Round:        {unary: each(math.Round)},
	ir.Exp:          {unary: expLoop},
	ir.Log:          {unary: logLoop},
	ir.Log1p:        {unary: each(math.Log1p)},
	ir.Expm1:        {unary: each(math.Expm1)},
	ir.Sqrt:         {unary: sqrtLoop},
	ir.Sin:          {unary: each(math.Sin)},
	ir.Cos:          {unary: each(math.Cos)},
	ir.Tan:          {unary: each(math.Tan)},
	ir.Asin:         {unary: each(special.Asin)},
	ir.Acos:         {unary: each(special.Acos)},
	ir.Atan:         {unary: each(math.Atan)},
	ir.Sinh:         {unary: each(math.Sinh)},
	ir.Cosh:         {unary: each(math.Cosh)},
	ir.Tanh:         {unary: each(math.Tanh)},
	ir.Sigmoid:      {unary: sigmoidLoop},
	ir.Softplus:     {unary: softplusLoop},
	ir.LogSigmoid:   {unary: logSigmoidLoop},
	ir.Lgamma:       {unary: each(special.Lgamma)},
	ir.Digamma:      {unary: each(special.Digamma)},
	ir.Trigamma:     {unary: each(special.Trigamma)},
	ir.Erf:          {unary: each(math.Erf)},
	ir.Erfc:         {unary: each(math.Erfc)},
	ir.LogNormCDF:   {unary: each(special.LogNormCDF)},
	ir.NormQuantile: {unary: normQuantileLoop},
	ir.Not:          {unary: notLoop},
	ir.IsFinite:     {unary: isFiniteLoop},

	ir.Add:     {binary: addLoop},
	ir.Sub:     {binary: subLoop},
	ir.Mul:     {binary: mulLoop},
	ir.Div:     {binary: divLoop},
	ir.Pow:     {binary: each2(special.Pow)},
	ir.Mod:     {binary: each2(special.Mod)},
	ir.Maximum: {binary: maximumLoop},
	ir.Minimum: {binary: minimumLoop},
	ir.Lt:      {binary: ltLoop},
	ir.Le:      {binary: leLoop},
	ir.Eq:      {binary: eqLoop},
	ir.MulZero: {binary: mulZeroLoop},
	ir.Select:  {ternary: selectLoop},
}

func copyLoop(d, a []float64) { copy(d, a) }

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
