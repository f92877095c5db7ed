//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package gpu_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cudasim"
	"ppl/runtime/gpu/driver"
)

// moved returns the positions after some trajectories of a sampler, with different lengths as in package renhd.
func moved(t *testing.T, d *gpu.Device) (theta []float64, err error) {
	t.Helper()
	const lanes = 6
	x, err := d.Load(steps(t, "seeds"), device.Options{Lanes: lanes, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	dynamics.ShareMetric(x, adapt.Diagonal(x.Size("theta")))
	for lane := range lanes {
		values := make([]float64, x.Size("theta"))
		for i := range values {
			values[i] = .01 * float64(i-lane)
		}
		x.SetLane("theta", lane, values)
		x.SetLane("step_size", lane, []float64{.02})
		x.SetLane("cool", lane, []float64{1})
	}
	step := uint64(0)
	calls := []device.Call{{Entry: "start", Times: 1}}
	for _, lengths := range [][]int{{5, 7}, {9, 4, 6}, {13}, {5, 30, 3}} {
		for _, n := range lengths {
			calls = append(calls, device.Call{Entry: "begin", Times: 1}, device.Call{Entry: "step", Times: n},
				device.Call{Entry: "end", Times: 1})
		}
		if step, err = x.Run(calls, step, nil); err != nil {
			return nil, err
		}
		calls = calls[:0]
	}
	theta = make([]float64, lanes*x.Size("theta"))
	x.Get("theta", theta)
	return theta, nil
}

// TestGraphs checks that runs in graphs give the same bytes as single launches, for trajectories of any length, with
// far fewer launches, and that all graphs are freed.
func TestGraphs(t *testing.T) {
	d, alone := open(t, append(byPoints(4), gpu.WithoutGraphs())...)
	want, err := moved(t, d)
	if err != nil {
		t.Fatal(err)
	}
	d, sim := open(t, byPoints(4)...)
	got, err := moved(t, d)
	if err != nil {
		t.Fatal(err)
	}
	if !same(got, want) {
		t.Errorf("%v in graphs, %v by launches", got, want)
	}
	given, before := sim.Calls["launch"]+sim.Calls["graph"], alone.Calls["launch"]
	t.Logf("%d launches and %d graphs (%d made) instead of %d launches", sim.Calls["launch"], sim.Calls["graph"],
		sim.Calls["capture"], before)
	if alone.Calls["graph"] != 0 || sim.Calls["graph"] == 0 || 3*given > 2*before || sim.Graphs != 0 {
		t.Errorf("%d launches and graphs instead of %d; %d graphs are left", given, before, sim.Graphs)
	}
	sim.About.Compiler = "misplaced" // nothing wrong in the cache
	d = gpu.New(faulty{sim, "->step += step", "->step += 0"}, byPoints(4)...)
	if got, err := moved(t, d); err != nil || same(got, want) {
		t.Errorf("graphs that all begin at the first step are not seen (%v)", err)
	}
}

// TestGraphsBetween checks that steps continue from graphs to launches by lanes, and back.
func TestGraphsBetween(t *testing.T) {
	p := manyRows()
	var b ir.Body
	sums := slices.IndexFunc(p.Buffers, func(b ir.Buffer) bool { return b.Name == "sums" })
	v := b.Do(ir.Add, b.Load(ir.BufID(sums), ir.Dense(3)), b.Noise(ir.Normal, 6))
	p.Entries = append(p.Entries, ir.Entry{Name: "small", Body: []ir.Stmt{
		&ir.Kernel{Extents: []int{3}, Body: b, Out: []ir.Output{{Buf: ir.BufID(sums), Index: ir.Dense(3), Value: v}}}}})
	left := func(options ...gpu.Option) (values []float64, graphs int) {
		d, sim := open(t, append(options, gpu.InBlocksOf(4))...)
		x, err := d.Load(p, device.Options{Lanes: 3, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		x.Set("x", make([]float64, 3*x.Size("x")))
		x.Set("a", make([]float64, 3*x.Size("a")))
		for range 3 {
			if _, err := x.Run([]device.Call{{Entry: "small", Times: 2}, {Entry: "run", Times: 5},
				{Entry: "small", Times: 3}, {Entry: "run", Times: 4}, {Entry: "small", Times: 1}}, 7, nil); err != nil {
				t.Fatal(err)
			}
		}
		values = make([]float64, 3*(x.Size("x")+x.Size("sums")))
		x.Get("x", values[:3*x.Size("x")])
		x.Get("sums", values[3*x.Size("x"):])
		return values, sim.Calls["graph"]
	}
	got, graphs := left()
	if want, _ := left(gpu.WithoutGraphs()); !same(got, want) || graphs == 0 {
		t.Errorf("after %d graphs lanes are elsewhere", graphs)
	}
}

// TestGraphsFail checks that single launches give the same bytes if a graph cannot be made or launched, and that the
// run ends with the driver's error if the device is lost.
func TestGraphsFail(t *testing.T) {
	d, _ := open(t, append(byPoints(4), gpu.WithoutGraphs())...)
	want, err := moved(t, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		failure cudasim.Failure
		lost    bool
	}{
		{cudasim.Failure{Op: "capture", Call: 1, Code: 801}, false},
		{cudasim.Failure{Op: "capture", Call: 2, Code: driver.OutOfMemory}, false},
		{cudasim.Failure{Op: "graph", Call: 1, Code: driver.OutOfMemory}, false},
		{cudasim.Failure{Op: "graph", Call: 4, Code: driver.OutOfMemory}, false},
		{cudasim.Failure{Op: "capture", Call: 1, Code: 999}, true},
		{cudasim.Failure{Op: "graph", Call: 2, Code: 700}, true},
		{cudasim.Failure{Op: "graph", Call: 2, Code: 702, Later: true}, true},
	} {
		t.Run(fmt.Sprint(c.failure), func(t *testing.T) {
			d, sim := open(t, byPoints(4)...)
			sim.Fail(c.failure)
			got, err := moved(t, d)
			code := (*driver.Error)(nil)
			switch {
			case c.lost && (!errors.As(err, &code) || code.Code != c.failure.Code):
				t.Errorf("%v, want that the device is lost", err)
			case !c.lost && (err != nil || !same(got, want)):
				t.Errorf("%v (%v), by launches %v", got, err, want)
			case !c.lost && sim.Calls[c.failure.Op] != c.failure.Call:
				t.Errorf("%d of %s, the last of which failed", sim.Calls[c.failure.Op], c.failure.Op)
			}
		})
	}
}
