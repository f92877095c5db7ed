//go:build !nogorgonia

package gorgonia

import (
	"math"
	"testing"

	. "ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/runtime/device"
	"ppl/runtime/host"
	"ppl/runtime/noise"
)

const lanes = 3

// entries returns entries with the operations that samplers use: noise, rows of a shuffled sequence, a recurrence, and
// buffers that are exchanged.
func entries() []lower.Entry {
	g := New()
	x, y, clock := g.Input("x", 2, 2), g.Input("y", 2, 2), g.Input("clock")
	rows := g.Shuffle(7, g.Const(4), Add(g.Iota(3), clock))
	path := Scan(g.Const(.5), []Node{g.Normal(3, 4)}, []Node{SumAll(x)}, false, func(c Node, x, s []Node) Node {
		return Sin(Add(Mul(c, s[0]), x[0]))
	})
	move := lower.Entry{Name: "move", Assign: []lower.Assign{
		{Name: "x", Value: Add(y, g.Normal(1, 2, 2))},
		{Name: "y", Value: MatMul(x, Tanh(y), false, true)},
		{Name: "rows", Value: rows},
		{Name: "path", Value: path},
		{Name: "clock", Value: Add(clock, g.Uniform(2))}}}
	h := New()
	half := lower.Entry{Name: "half", Assign: []lower.Assign{{Name: "x", Value: Mul(h.Const(.5), h.Input("x", 2, 2))},
		{Name: "empty", Value: h.Full(1, 0)}}}
	return []lower.Entry{move, half}
}

func load(t *testing.T, d infer.Device) device.Executable {
	t.Helper()
	p, err := d.Compile(entries())
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.Load(device.Options{Lanes: lanes, Seed: 11})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// TestAgainstHost compares results with those of the host device: noise, order of assignments, masks and steps.
func TestAgainstHost(t *testing.T) {
	got, want := load(t, Device{}), load(t, infer.Lowered(host.Device{}))
	for _, x := range []device.Executable{got, want} {
		for lane := range lanes {
			x.SetLane("x", lane, []float64{.1, .2, .3, float64(lane)})
			x.SetLane("y", lane, []float64{1, -1, .5, .2})
		}
		step, err := x.Run([]device.Call{{Entry: "move", Times: 2}, {Entry: "half", Times: 1}}, 5, nil)
		if err != nil || step != 8 {
			t.Fatalf("next step %d, %v", step, err)
		}
		if _, err := x.Run([]device.Call{{Entry: "move", Times: 1}}, step, []bool{true, false, true}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"x", "y", "rows", "path", "clock", "empty"} {
		a, b := make([]float64, lanes*got.Size(name)), make([]float64, lanes*want.Size(name))
		got.Get(name, a)
		want.Get(name, b)
		for i := range b {
			if !(math.Abs(a[i]-b[i]) <= 1e-13*max(1, math.Abs(b[i]))) {
				t.Errorf("%s[%d] is %v, on the host device %v", name, i, a[i], b[i])
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	g := New()
	two := []lower.Entry{{Name: "a", Assign: []lower.Assign{{Name: "x", Value: g.Input("y", 2)}}},
		{Name: "b", Assign: []lower.Assign{{Name: "y", Value: g.Const(1)}}}}
	if _, err := (Device{}).Compile(two); err == nil {
		t.Error("a name of two sizes is compiled")
	}
	x := load(t, Device{})
	for name, call := range map[string]device.Call{"unknown": {Entry: "nowhere", Times: 1},
		"negative": {Entry: "half", Times: -1}, "late": {Entry: "half", Times: noise.Steps + 1}} {
		if _, err := x.Run([]device.Call{call}, 0, nil); err == nil {
			t.Errorf("%s call runs", name)
		}
	}
	if _, err := x.Run(nil, 0, []bool{true}); err == nil {
		t.Error("a short mask is taken")
	}
}
