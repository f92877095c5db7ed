package ode

import (
	"fmt"
	"math"
	"slices"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
	"ppl/runtime/host"
	"ppl/runtime/native"
)

// entry returns an entry that computes Σ y² sin(position) of a known problem, and its gradient.
func (k known) entry(o Options) (lower.Entry, map[string][]float64) {
	g := ad.New()
	p, y0, theta, inputs := k.problem(g)
	y := Solve(p, o)
	w := make([]float64, y.Size())
	for i := range w {
		w[i] = math.Sin(float64(i + 1))
	}
	lp := ad.SumAll(ad.Mul(g.Data("weights", w, y.Shape()...), ad.Mul(y, y)))
	d := ad.Grad(lp, y0, theta)
	return lower.Entry{Name: "gradient", Assign: []lower.Assign{{Name: "y", Value: y}, {Name: "lp", Value: lp},
		{Name: "dy0", Value: d[0]}, {Name: "dtheta", Value: d[1]}}}, inputs
}

// Devices return for each of several lanes, which take different steps, the result of Eval. Their exponentials, and
// therefore the steps, differ from Eval's in the last digit. This changes gradients by about 1e-9.
func TestDevices(t *testing.T) {
	for _, c := range []struct {
		name, method string
		devices      map[string]device.Device // compiling a step takes the native device a second
	}{
		{"lotka-volterra", "rk45", devices()}, {"modulated", "bdf", devices()},
		{"lotka-volterra", "bdf", hostOnly()}, {"michaelis-menten", "rk45", hostOnly()},
		{"robertson", "bdf", hostOnly()},
	} {
		k := problemNamed(c.name)
		e, inputs := k.entry(Options{Method: c.method, ATol: 1e-6 * k.size[len(k.size)/2]})
		var nodes []Node
		for _, a := range e.Assign {
			nodes = append(nodes, a.Value)
		}
		for name, d := range c.devices {
			x := load(t, d, e, 3)
			for lane := range 3 {
				x.SetLane("y0", lane, inputs["y0"])
				x.SetLane("theta", lane, moved(inputs["theta"], lane))
			}
			if _, err := x.Run([]device.Call{{Entry: "gradient", Times: 1}}, 0, nil); err != nil {
				t.Fatal(err)
			}
			for lane := range 3 {
				want := ad.Eval(map[string][]float64{"y0": inputs["y0"], "theta": moved(inputs["theta"], lane)},
					nodes...)
				for i, a := range e.Assign {
					got := make([]float64, x.Size(a.Name))
					if x.GetLane(a.Name, lane, got); !(distance(got, want[i]) < 1e-9) {
						t.Errorf("%s by %s on %s, lane %d, %s:\n got %v\nwant %v", c.name, c.method, name, lane, a.Name,
							got, want[i])
					}
				}
			}
			x.Close()
		}
	}
}

// moved returns theta with its first element multiplied by 1.5^lane.
func moved(theta []float64, lane int) []float64 {
	out := slices.Clone(theta)
	out[0] *= math.Pow(1.5, float64(lane))
	return out
}

func hostOnly() map[string]device.Device { return map[string]device.Device{"host": host.Device{}} }

func devices() map[string]device.Device {
	ds := hostOnly()
	if d, err := native.New(); err == nil {
		ds["native"] = d
	}
	return ds
}

func load(t testing.TB, d device.Device, e lower.Entry, lanes int) device.Executable {
	program, err := lower.Program([]lower.Entry{e})
	if err != nil {
		t.Fatal(err)
	}
	x, err := d.Load(program, device.Options{Lanes: lanes, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// BenchmarkGradient computes the value and gradient of a density of eight lanes on one thread, with twice as many
// attempts as are needed.
func BenchmarkGradient(b *testing.B) {
	for _, c := range []struct{ name, method string }{{"lotka-volterra", "rk45"}, {"lotka-volterra", "bdf"},
		{"robertson", "bdf"}} {
		k, o := problemNamed(c.name), Options{Method: c.method}
		if c.name == "lotka-volterra" {
			k.times = k.times[:0:0]
			for t := range 20 {
				k.times = append(k.times, float64(t+1))
			}
		}
		p, _, _, inputs := k.problem(ad.New())
		n, _ := NewPilot(p, o).Steps(inputs)
		o.MaxSteps = 2*n + 16
		for name, d := range devices() {
			b.Run(fmt.Sprintf("%s/%s/%s/%d", c.name, c.method, name, o.MaxSteps), func(b *testing.B) {
				k.bench(b, d, o)
			})
		}
	}
}

func (k known) bench(b *testing.B, d device.Device, o Options) {
	e, inputs := k.entry(o)
	x := load(b, d, e, 8)
	defer x.Close()
	for lane := range 8 {
		for name, v := range inputs {
			x.SetLane(name, lane, v)
		}
	}
	for b.Loop() {
		if _, err := x.Run([]device.Call{{Entry: "gradient", Times: 1}}, 0, nil); err != nil {
			b.Fatal(err)
		}
	}
}
