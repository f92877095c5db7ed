//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// A limit is the largest error of a function in ulp of the result, or of floor where that is more.
type limit struct{ ulp, floor float64 }

// limits are 4, which is what libmvec promises, but for exp and log Φ, see there.
func limits() map[string]limit {
	return map[string]limit{
		"exp": {ulp: 1}, "expm1": {ulp: 4}, "log": {ulp: 4}, "log1p": {ulp: 4}, "sin": {ulp: 4}, "cos": {ulp: 4},
		"tan":  {ulp: 4},
		"asin": {ulp: 4}, "acos": {ulp: 4}, "atan": {ulp: 4}, "sinh": {ulp: 4}, "cosh": {ulp: 4}, "tanh": {ulp: 4},
		"erf": {ulp: 4}, "erfc": {ulp: 4},
		"sigmoid": {ulp: 4}, "softplus": {ulp: 4}, "logsigmoid": {ulp: 4},
		"lgamma": {ulp: 4}, "digamma": {ulp: 4, floor: 1}, "trigamma": {ulp: 4}, "lognormcdf": {ulp: 10},
		"normquantile": {ulp: 4}, "lambertw": {ulp: 4},
	}
}

// A known is an argument and the value there.
type known struct{ x, want float64 }

// TestSpecial holds every function to the table that testdata/special.py computes with mpmath 1.3.0 at 60 digits.
func TestSpecial(t *testing.T) {
	d := open(t)
	tables := readKnown(t)
	for op := ir.Exp; op < ir.Not; op++ {
		points, most := tables[op.String()], limits()[op.String()]
		if op == ir.Sqrt {
			continue
		}
		if len(points) < 24 {
			t.Errorf("%v has %d points", op, len(points))
		}
		worst := known{}
		found := 0.0
		for i, got := range valuesOf(t, d, points, func(b *ir.Body, x ir.Reg) ir.Reg { return b.Do(op, x) }) {
			p := points[i]
			if e := math.Abs(got-p.want) / ulp(math.Max(math.Abs(p.want), most.floor)); !(e <= found) {
				worst, found = p, e
			}
		}
		t.Logf("%v: at most %.2f ulp", op, found)
		if !(found <= most.ulp) {
			t.Errorf("%v(%v): %v ulp from %v, of which %v are allowed", op, worst.x, found, worst.want, most.ulp)
		}
	}
}

func readKnown(t *testing.T) map[string][]known {
	f, err := os.Open("testdata/special.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tables := map[string][]known{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var name string
		var p known
		if _, err := fmt.Sscan(s.Text(), &name, &p.x, &p.want); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		tables[name] = append(tables[name], p)
	}
	return tables
}

// valuesOf applies a function on the device.
func valuesOf(t *testing.T, d device.Device, points []known, f func(b *ir.Body, x ir.Reg) ir.Reg) []float64 {
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
		values[i] = p.x
	}
	x.Set("in", values)
	if _, err := x.Run([]device.Call{{Entry: "run", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	x.Get("out", values)
	return values
}

func ulp(x float64) float64 { return math.Nextafter(x, math.Inf(1)) - x }
