package host

import (
	"math"

	"ppl/autodiff/special"
	"ppl/compiler/backend/ir"
)

// An opLoop is one of three loops, by number of arguments. It sets d to an op of the other slices, which are at least
// as long.
type opLoop struct {
	unary   func(d, a []float64)
	binary  func(d, a, b []float64)
	ternary func(d, a, b, c []float64)
}

// each returns a loop that applies a function to each element.
func each(f func(float64) float64) func(d, a []float64) {
	return func(d, a []float64) { zip1(d, a, f) }
}

func each2(f func(x, y float64) float64) func(d, a, b []float64) {
	return func(d, a, b []float64) { zip2(d, a, b, f) }
}

// loops has the loop d = op(a), d = op(a, b) or d = op(a, b, c) of each op. Arguments are at least as long as the
// result. Listed ops have loops that the Go compiler can optimise; other ops call the function of their row for each
// element.
var loops = withCalls([ir.Ops]opLoop{
	ir.Neg:          {unary: negLoop},
	ir.Abs:          {unary: absLoop},
	ir.Exp:          {unary: expLoop},
	ir.Log:          {unary: logLoop},
	ir.Sqrt:         {unary: sqrtLoop},
	ir.Sigmoid:      {unary: sigmoidLoop},
	ir.Softplus:     {unary: softplusLoop},
	ir.LogSigmoid:   {unary: logSigmoidLoop},
	ir.NormQuantile: {unary: normQuantileLoop},
	ir.Not:          {unary: notLoop},
	ir.IsFinite:     {unary: isFiniteLoop},

	ir.Add:     {binary: addLoop},
	ir.Sub:     {binary: subLoop},
	ir.Mul:     {binary: mulLoop},
	ir.Div:     {binary: divLoop},
	ir.Maximum: {binary: maximumLoop},
	ir.Minimum: {binary: minimumLoop},
	ir.Lt:      {binary: ltLoop},
	ir.Le:      {binary: leLoop},
	ir.Eq:      {binary: eqLoop},
	ir.MulZero: {binary: mulZeroLoop},
	ir.Select:  {ternary: selectLoop},
})

func withCalls(loops [ir.Ops]opLoop) [ir.Ops]opLoop {
	for _, op := range ir.Arithmetic() {
		switch row, l := op.Row(), &loops[op]; {
		case l.unary != nil || l.binary != nil || l.ternary != nil:
		case row.Unary != nil:
			l.unary = each(row.Unary)
		default:
			l.binary = each2(row.Binary)
		}
	}
	return loops
}

func copyLoop(d, a []float64) { copy(d, a) }

func negLoop(d, a []float64)  { zip1(d, a, func(x float64) float64 { return -x }) }
func absLoop(d, a []float64)  { zip1(d, a, math.Abs) }
func logLoop(d, a []float64)  { zip1(d, a, special.Log) }
func sqrtLoop(d, a []float64) { zip1(d, a, math.Sqrt) }

func normQuantileLoop(d, a []float64) { zip1(d, a, special.NormQuantile) }
func notLoop(d, a []float64)          { zip1(d, a, func(x float64) float64 { return truth(x == 0) }) }
func isFiniteLoop(d, a []float64)     { zip1(d, a, func(x float64) float64 { return truth(x-x == 0) }) }

func addLoop(d, a, b []float64) { zip2(d, a, b, func(x, y float64) float64 { return x + y }) }
func subLoop(d, a, b []float64) { zip2(d, a, b, func(x, y float64) float64 { return x - y }) }
func mulLoop(d, a, b []float64) { zip2(d, a, b, func(x, y float64) float64 { return x * y }) }
func divLoop(d, a, b []float64) { zip2(d, a, b, func(x, y float64) float64 { return x / y }) }

func maximumLoop(d, a, b []float64) { zip2(d, a, b, special.Maximum) }
func minimumLoop(d, a, b []float64) { zip2(d, a, b, special.Minimum) }
func mulZeroLoop(d, a, b []float64) { zip2(d, a, b, special.MulZero) }

func ltLoop(d, a, b []float64) { zip2(d, a, b, func(x, y float64) float64 { return truth(x < y) }) }
func leLoop(d, a, b []float64) { zip2(d, a, b, func(x, y float64) float64 { return truth(x <= y) }) }
func eqLoop(d, a, b []float64) { zip2(d, a, b, func(x, y float64) float64 { return truth(x == y) }) }

// selectLoop computes d = a ≠ 0 ? b : c.
func selectLoop(d, a, b, c []float64) {
	zip3(d, a, b, c, func(x, y, z float64) float64 {
		if x != 0 {
			return y
		}
		return z
	})
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// zip1, zip2 and zip3 apply f element by element. The Go compiler inlines them at each call, together with f if it is
// short.
func zip1(d, a []float64, f func(x float64) float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = f(a[i])
	}
}

func zip2(d, a, b []float64, f func(x, y float64) float64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = f(a[i], b[i])
	}
}

func zip3(d, a, b, c []float64, f func(x, y, z float64) float64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = f(a[i], b[i], c[i])
	}
}
