package devicetest

import (
	"math"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// specials are numbers at which operations tend to fail.
var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 2, 3, -2, -3, 10, 100, -100, 37.3, -37.3, 709,
	-745, 1e-5, -1e-5,
	1e-12, -1e-12, 1e-20, -1e-20, 1e-300, 5e-324, 1e5, -1e5, 1e15, -1e15, 1e300, -1e300, 0.999999, 1e-3, 0.1, 0.2, 0.3,
	0.7, 0.9, 0.99,
	1.4616321449683623, 4.25, -4.25, 7.125, -7.125, 12.5, 25, -19.9, -20.1, -24.9, -25.1, -36, -40, -1000,
	math.Pi, -math.Pi,
	math.Inf(1), math.Inf(-1), math.NaN(),
}

// goodAt limits the arguments of some ops to those for which the reference itself is accurate.
var goodAt = map[string]func(x float64) bool{
	"sin": below(1e6), "cos": below(1e6), "tan": below(1e6), "digamma": above(-1000), "trigamma": above(-1000),
	"normquantile": normal,
}

func below(limit float64) func(float64) bool {
	return func(x float64) bool { return math.Abs(x) < limit }
}

// normal reports whether a number is not positive, or not subnormal: package math has accurate logarithms of these on
// all platforms.
func normal(x float64) bool { return x <= 0 || x >= 0x1p-1022 }

func above(limit float64) func(float64) bool {
	return func(x float64) bool { return x > limit }
}

// An opTest compares an op with the reference, within the tolerance of its row.
type opTest struct{ op ir.Op }

func opTests() (all []opTest) {
	for _, op := range ir.Arithmetic() {
		all = append(all, opTest{op})
	}
	return all
}

// tests reports whether an argument is used in the test.
func (c opTest) tests(x float64) bool {
	good := goodAt[c.op.String()]
	return good == nil || good(x) || x != x
}

// testOps applies every op to every pair of special values.
func testOps(t *testing.T, d device.Device) {
	for _, c := range opTests() {
		t.Run(c.op.String(), func(t *testing.T) { c.run(t, d) })
	}
}

func (c opTest) run(t *testing.T, d device.Device) {
	n := len(specials) * len(specials)
	p := opProgram(c.op, n)
	x := load(t, d, p, device.Options{Lanes: 1, Threads: 1})
	x.Set("x", pairs(func(a, _ float64) float64 { return a }))
	x.Set("y", pairs(func(_, b float64) float64 { return b }))
	x.Set("z", pairs(func(a, b float64) float64 { return b - a }))
	run(t, x, once(p), 0, nil)
	got := make([]float64, n)
	x.Get("out", got)
	for i, a := range specials {
		for j, b := range specials {
			if (j == 0 || c.op.Arity() > 1) && c.tests(a) {
				c.check(t, got[i*len(specials)+j], a, b)
			}
		}
	}
}

func (c opTest) check(t *testing.T, got, a, b float64) {
	t.Helper()
	row, want := c.op.Row(), apply(c.op, a, b, b-a)
	scale := math.Abs(want)
	if !row.Relative {
		scale = math.Max(1, scale)
	}
	if !near(got, want, row.Tolerance*scale+5e-324*truth(row.Tolerance > 0)) {
		t.Errorf("%v(%v, %v, %v) = %v, want %v", c.op, a, b, b-a, got, want)
	}
}

func pairs(f func(a, b float64) float64) []float64 {
	var x []float64
	for _, a := range specials {
		for _, b := range specials {
			x = append(x, f(a, b))
		}
	}
	return x
}

func opProgram(op ir.Op, n int) *ir.Program {
	p := &ir.Program{}
	var body ir.Body
	var args []ir.Reg
	for i, name := range []string{"x", "y", "z"} {
		id := p.Buffer(ir.Buffer{Name: name, Space: ir.Lane, Size: n})
		if i < op.Arity() {
			args = append(args, body.Load(id, ir.Dense(n)))
		}
	}
	out := p.Buffer(ir.Buffer{Name: "out", Space: ir.Lane, Size: n})
	r := body.Do(op, args...)
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{
		&ir.Kernel{Extents: []int{n}, Body: body, Out: []ir.Output{{Buf: out, Index: ir.Dense(n), Value: r}}}}}}
	return p
}
