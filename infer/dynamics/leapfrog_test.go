package dynamics_test

import (
	"math"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// quartic returns log p(x, y) = −(x² + y²)²/4, with the coordinates read one by one, as models do.
func quartic() dynamicstest.Density {
	return dynamicstest.Density{D: 2, LogPrior: func(theta autodiff.Node) autodiff.Node {
		at := func(k int) autodiff.Node { return autodiff.Reshape(autodiff.Slice(theta, []int{k}, []int{k + 1})) }
		r2 := autodiff.Add(autodiff.Mul(at(0), at(0)), autodiff.Mul(at(1), at(1)))
		return autodiff.Mul(theta.Graph().Const(-0.25), autodiff.Mul(r2, r2))
	}}
}

// leapfrogger loads the program Leapfrog on one lane, with a dense metric. run executes an entry with step size h and
// returns the State.
func leapfrogger(t *testing.T) (run func(entry string, h float64, times int) []float64, exe device.Executable) {
	metric := adapt.Metric{Dim: 2, Rank: -1, Factor: []float64{2, 0, 0.5, 1}}
	p, err := lower.Program(dynamics.Leapfrog(dynamics.System{Target: quartic(), Metric: metric}))
	if err != nil {
		t.Fatal(err)
	}
	if exe, err = (host.Device{}).Load(p, device.Options{Lanes: 1}); err != nil {
		t.Fatal(err)
	}
	dynamics.ShareMetric(exe, metric)
	return func(entry string, h float64, times int) []float64 {
		exe.SetLane(dynamics.StepSize, 0, []float64{h})
		if _, err := exe.Run([]device.Call{{Entry: entry, Times: times}}, 0, nil); err != nil {
			t.Fatal(err)
		}
		state := make([]float64, exe.Size(dynamics.State))
		exe.GetLane(dynamics.State, 0, state)
		return state
	}, exe
}

// TestLeapfrog checks that "start" computes the gradient −(x²+y²)·(x, y) and the whitened gradient Lᵀg, that the energy
// error is of order 2, and that steps backward undo steps forward.
func TestLeapfrog(t *testing.T) {
	run, exe := leapfrogger(t)
	exe.SetLane(dynamics.Theta, 0, []float64{0.5, -1})
	start := run("start", 0, 1)
	want := []float64{0.5, -1, 0, 0, -0.625, 1.25, -0.625, 1.25, -0.390625, 0}
	for i, w := range want {
		if i == 4 {
			w = 2*-0.625 + 0.5*1.25
		}
		if math.Abs(start[i]-w) > 1e-14 {
			t.Errorf("state[%d] = %v, want %v", i, start[i], w)
		}
	}
	copy(start[2:4], []float64{0.3, -0.7})
	energy := func(s []float64) float64 { return (s[2]*s[2]+s[3]*s[3])/2 - s[8] }
	drift := func(h float64, n int) float64 {
		exe.SetLane(dynamics.State, 0, start)
		return math.Abs(energy(run("step", h, n)) - energy(start))
	}
	if ratio := drift(0.02, 50) / drift(0.01, 100); math.Abs(ratio-4) > 0.1 {
		t.Errorf("halving the step divides the energy error by %.3f, want 4", ratio)
	}
	exe.SetLane(dynamics.State, 0, start)
	run("step", 0.1, 30)
	for i, x := range run("step", -0.1, 30) {
		if math.Abs(x-start[i]) > 1e-11 {
			t.Errorf("after 30 steps forward and 30 backward: state[%d] = %v, want %v", i, x, start[i])
		}
	}
}
