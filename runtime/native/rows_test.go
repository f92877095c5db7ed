//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"math"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/compiler/backend/render"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// TestRowsTogether compares products whose first row is known only when the program runs with those of host. The device
// computes several rows together; sums over columns and over rows are tested, also if the number of rows is not a
// multiple. As a planted fault, the last row is left out.
func TestRowsTogether(t *testing.T) {
	const all, columns = 300, 21
	x := make([]float64, all*columns)
	for i := range x {
		x[i] = math.Sin(float64(i*i + 1))
	}
	for _, rows := range []int{50, 131, 256} {
		product := func(counted int) []lower.Entry {
			g := autodiff.New()
			first := autodiff.Floor(autodiff.Mul(g.Const(all-256), g.Common(3)))
			at := autodiff.Add(autodiff.Broadcast(first, []int{counted}, nil), g.Iota(counted))
			theta := g.Input("theta", columns)
			some := autodiff.Gather(g.Data("x", x, all, columns), at)
			eta := autodiff.Sum(autodiff.Mul(some, autodiff.Broadcast(theta, []int{counted, columns}, []int{1})), 1)
			out := autodiff.Grad(autodiff.SumAll(autodiff.LogSigmoid(eta)), theta)[0]
			return []lower.Entry{{Name: "run", Assign: []lower.Assign{{Name: "out", Value: out}}}}
		}
		values := func(d device.Device, counted int) []float64 {
			p, err := lower.Program(product(counted))
			if err != nil {
				t.Fatal(err)
			}
			if text := render.C(p); strings.Count(text, "+ 3 <") < 2 {
				t.Fatalf("rows are not taken together:\n%s", text)
			}
			e, err := d.Load(p, device.Options{Lanes: 3, Threads: 1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			theta, out := make([]float64, 3*columns), make([]float64, 3*columns)
			for i := range theta {
				theta[i] = math.Cos(float64(i * i))
			}
			e.Set("theta", theta)
			if _, err := e.Run([]device.Call{{Entry: "run", Times: 1}}, 7, nil); err != nil {
				t.Fatal(err)
			}
			e.Get("out", out)
			return out
		}
		off := func(a, b []float64) (most float64) {
			for i := range a {
				most = max(most, math.Abs(a[i]-b[i]))
			}
			return most
		}
		want := values(host.Device{}, rows)
		if d := off(values(open(t), rows), want); d > 1e-12 {
			t.Errorf("%d rows: off by %.3g", rows, d)
		}
		if d := off(values(open(t), rows-1), want); d < 1e-4 {
			t.Errorf("%d rows: without the last off by %.3g only", rows, d)
		}
	}
}
