//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"fmt"
	"math"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// recurrences returns two scans: the volatility of a GARCH model, forwards, and two hidden states in logarithms,
// backwards.
func recurrences(g *ad.Graph, n int) []ad.Node {
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(float64(i*i)) / 2
	}
	data := g.Data("y", y, n)
	square := func(x ad.Node) ad.Node { return ad.Mul(x, x) }
	volatility := ad.Scan(g.Input("h"), []ad.Node{data}, []ad.Node{g.Input("a"), g.Input("b")}, false,
		func(h ad.Node, y, s []ad.Node) ad.Node {
			return ad.Sqrt(ad.Add(ad.Mul(s[0], square(y[0])), ad.Mul(s[1], square(h))))
		})
	emit := ad.Mul(ad.Broadcast(data, []int{n, 2}, []int{0}), ad.Broadcast(g.Input("m", 2), []int{n, 2}, []int{1}))
	states := ad.Scan(g.Full(0, 2), []ad.Node{emit}, []ad.Node{g.Input("move", 2, 2)}, true,
		func(c ad.Node, x, s []ad.Node) ad.Node {
			return ad.Add(x[0], ad.LogSumExp(ad.Add(ad.Broadcast(c, []int{2, 2}, []int{0}), s[0]), 0))
		})
	return []ad.Node{ad.Log(volatility), states}
}

// scanEntry assigns the recurrences, and the gradient of their sums.
func scanEntry(n int) (e lower.Entry, nodes, inputs []ad.Node) {
	g := ad.New()
	nodes = recurrences(g, n)
	for _, v := range g.Nodes() {
		if v.Op().Kind == ad.OpInput {
			inputs = append(inputs, v)
		}
	}
	nodes = append(nodes, ad.Grad(ad.Add(ad.SumAll(nodes[0]), ad.SumAll(nodes[1])), inputs...)...)
	e.Name = "f"
	for k, v := range nodes {
		e.Assign = append(e.Assign, lower.Assign{Name: fmt.Sprint("out", k), Value: v})
	}
	return e, nodes, inputs
}

func scanProgram(t testing.TB, e lower.Entry) *ir.Program {
	p, err := lower.Program([]lower.Entry{e})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestScan compares loops with the interpreter of autodiff. Elementary functions and sums differ by some ulp.
func TestScan(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const lanes = 3
	e, nodes, inputs := scanEntry(50)
	x, err := open(t).Load(scanProgram(t, e), device.Options{Lanes: lanes})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	values := make([]map[string][]float64, lanes)
	for lane := range values {
		values[lane] = map[string][]float64{}
		for _, in := range inputs {
			v := make([]float64, in.Size())
			for i := range v {
				v[i] = .3 + .1*float64(i) + .05*float64(lane)
			}
			values[lane][in.Op().Name] = v
			x.SetLane(in.Op().Name, lane, v)
		}
	}
	if _, err := x.Run([]device.Call{{Entry: "f", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	for lane, v := range values {
		for k, want := range ad.Eval(v, nodes...) {
			got := make([]float64, len(want))
			x.GetLane(fmt.Sprint("out", k), lane, got)
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-12*max(1, math.Abs(want[i])) {
					t.Errorf("lane %d, out%d[%d]: %v, want %v", lane, k, i, got[i], want[i])
				}
			}
		}
	}
}

// BenchmarkScan times both recurrences and their gradients over 1,000 steps in eight lanes.
func BenchmarkScan(b *testing.B) {
	e, _, _ := scanEntry(1000)
	p := scanProgram(b, e)
	for _, d := range []device.Device{open(b), host.Device{}} {
		b.Run(d.Name(), func(b *testing.B) {
			x, err := d.Load(p, device.Options{Lanes: 8, Threads: 1})
			if err != nil {
				b.Fatal(err)
			}
			defer x.Close()
			for b.Loop() {
				if _, err := x.Run([]device.Call{{Entry: "f", Times: 1}}, 0, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*1000), "ns/step")
		})
	}
}
