//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"math"
	"testing"

	"ppl/autodiff/special/known"
	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// A limit is the largest allowed error of a function: ulp units in the last place of the result, or of floor if that is
// larger.
type limit struct{ ulp, floor float64 }

// limitOf returns 4 ulp, which libmvec promises, except for exp, digamma and log Φ.
func limitOf(op ir.Op) limit {
	switch op {
	case ir.Exp:
		return limit{ulp: 1}
	case ir.Digamma:
		return limit{ulp: 4, floor: 1}
	case ir.LogNormCDF:
		return limit{ulp: 10}
	}
	return limit{ulp: 4}
}

// TestSpecial compares every function with values computed by mpmath.
func TestSpecial(t *testing.T) {
	d := open(t)
	points, err := known.Points()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ir.Arithmetic() {
		if op.Arity() != 1 || op.Row().Tolerance == 0 {
			continue
		}
		points, most := points[op.String()], limitOf(op)
		worst := known.Point{}
		found := 0.0
		for i, got := range valuesOf(t, d, points, func(b *ir.Body, x ir.Reg) ir.Reg { return b.Do(op, x) }) {
			p := points[i]
			if same(got, p.Want) {
				continue
			}
			if e := math.Abs(got-p.Want) / ulp(math.Max(math.Abs(p.Want), most.floor)); !(e <= found) {
				worst, found = p, e
			}
		}
		t.Logf("%v: at most %.2f ulp", op, found)
		if !(found <= most.ulp) {
			t.Errorf("%v(%v): %v ulp from %v, of which %v are allowed", op, worst.X, found, worst.Want, most.ulp)
		}
	}
}

func same(x, y float64) bool { return x == y || x != x && y != y }

// valuesOf applies a function to the points on the device.
func valuesOf(t *testing.T, d device.Device, points []known.Point, f func(b *ir.Body, x ir.Reg) ir.Reg) []float64 {
	n := len(points)
	p := &ir.Program{}
	in := p.Buffer(ir.Buffer{Name: "in", Space: ir.Lane, Size: n})
	out := p.Buffer(ir.Buffer{Name: "out", Space: ir.Lane, Size: n})
	var body ir.Body
	r := f(&body, body.Load(in, ir.Dense(n)))
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{
		&ir.Kernel{Extents: []int{n}, Body: body, Out: []ir.Output{{Buf: out, Index: ir.Dense(n), Value: r}}}}}}
	x, err := d.Load(p, device.Options{Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	values := make([]float64, n)
	for i, p := range points {
		values[i] = p.X
	}
	x.Set("in", values)
	if _, err := x.Run([]device.Call{{Entry: "run", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	x.Get("out", values)
	return values
}

func ulp(x float64) float64 { return math.Nextafter(x, math.Inf(1)) - x }
