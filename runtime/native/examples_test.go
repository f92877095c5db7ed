//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// TestExamples runs a short trajectory of every example on both devices, with the same start and noise, and compares
// the results to 1e-8: rounding differs, and a trajectory magnifies it little.
func TestExamples(t *testing.T) {
	d := open(t)
	paths, err := filepath.Glob("../../examples/*.ppl")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range append(paths, "../../examples/testdata/functions.ppl",
		"../../examples/testdata/layers.ppl") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ppl"), func(t *testing.T) {
			t.Parallel()
			target, ds := compiler.Load(compiler.Request{Path: path})
			if target == nil {
				t.Skip("needs data:", ds[0].Message)
			}
			p := stepProgram(t, target)
			want, got := trajectory(t, host.Device{}, target, p), trajectory(t, d, target, p)
			for name := range want {
				for i := range want[name] {
					if g, w := got[name][i], want[name][i]; !agree(g, w) {
						t.Errorf("%s[%d]: native %v, host %v", name, i, g, w)
					}
				}
			}
		})
	}
}

// agree reports whether two numbers are equal to 1e-8; NaN equals NaN.
func agree(got, want float64) bool {
	if want != want || math.IsInf(want, 0) {
		return near(got, want)
	}
	return math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))
}

// trajectory returns the lane buffers after a few steps of ten lanes.
func trajectory(t *testing.T, d device.Device, target infer.Target, p *ir.Program) map[string][]float64 {
	const lanes = 10
	x, err := d.Load(p, device.Options{Lanes: lanes, Threads: 2, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	dynamics.ShareMetric(x, adapt.Diagonal(target.Dim()))
	for l := range lanes {
		x.SetLane(dynamics.Theta, l, target.Start(1, l))
		x.SetLane(dynamics.StepSize, l, []float64{1e-4})
		x.SetLane(dynamics.Cool, l, []float64{1})
	}
	var calls []device.Call
	for _, name := range []string{"start", "begin", "step", "step", "step", "end", dynamics.Gradient, dynamics.Values} {
		calls = append(calls, device.Call{Entry: name, Times: 1})
	}
	if _, err := x.Run(calls, 3, nil); err != nil {
		t.Fatal(err)
	}
	state := map[string][]float64{}
	for _, name := range []string{dynamics.Theta, dynamics.LogPrior, dynamics.LogLik, dynamics.Total, dynamics.Momentum,
		dynamics.Gradient, dynamics.Values} {
		state[name] = make([]float64, lanes*x.Size(name))
		x.Get(name, state[name])
	}
	return state
}
