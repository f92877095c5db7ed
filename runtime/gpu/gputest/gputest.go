// Package gputest has the tests that a GPU and its simulation on the CPU share: they compare the results of examples
// with those of the host device.
package gputest

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// lanes is the number of lanes of the tests: a block and part of another.
const lanes = 40

// illConditioned lists the examples whose covariance matrices magnify rounding errors.
var illConditioned = []string{"curve"}

// Examples compares the log density of every example in a directory and its gradient with those of the host device, at
// starting points: to a relative error of 1e-12 (the gradient in norm), or of 1e-7 if matrices are ill-conditioned. It
// calls open for each example.
func Examples(t *testing.T, dir string, open func() device.Device) {
	eachExample(t, dir, func(t *testing.T, name string, target *compiler.Program) {
		g := autodiff.New()
		theta := g.Input(dynamics.Theta, target.Dim())
		prior, likelihood := target.Density(theta)
		gradient := autodiff.Grad(autodiff.Binary(autodiff.OpAdd, prior, likelihood), theta)[0]
		p, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{{Name: "prior", Value: prior},
			{Name: "likelihood", Value: likelihood}, {Name: "gradient", Value: gradient}}}})
		if err != nil {
			t.Fatal(err)
		}
		run := func(x device.Executable) {
			for l := range lanes {
				x.SetLane(dynamics.Theta, l, target.Start(1, l))
			}
			if _, err := x.Run([]device.Call{{Entry: "density", Times: 1}}, 0, nil); err != nil {
				t.Fatal(err)
			}
		}
		tol := 1e-12
		if slices.Contains(illConditioned, name) {
			tol = 1e-7
		}
		compare(t, open(), p, run, []string{"prior", "likelihood", "gradient"}, tol)
	})
}

// Trajectories compares a few steps with noise: of eight schools with every dynamics rule, and of two more examples
// with Hamiltonian Monte Carlo.
func Trajectories(t *testing.T, dir string, open func() device.Device) {
	runs := [][2]string{{"five_modes", "hmc"}, {"seeds", "hmc"}}
	for _, rule := range dynamics.Names() {
		runs = append(runs, [2]string{"eight_schools", rule})
	}
	for _, r := range runs {
		name, rule := r[0], r[1]
		t.Run(name+"/"+rule, func(t *testing.T) {
			target, _ := compiler.Load(compiler.Request{Path: filepath.Join(dir, name+".ppl")})
			s := dynamics.System{Target: target, Metric: adapt.Diagonal(target.Dim())}
			p, err := lower.Program(dynamics.Program(dynamics.Named(rule), s))
			if err != nil {
				t.Fatal(err)
			}
			run := func(x device.Executable) {
				for _, name := range x.Buffers() { // friction, masses, temperatures
					x.Set(name, slices.Repeat([]float64{0.5}, lanes*x.Size(name)))
				}
				dynamics.ShareMetric(x, adapt.Diagonal(target.Dim()))
				for l := range lanes {
					x.SetLane(dynamics.Theta, l, target.Start(1, l))
					x.SetLane(dynamics.StepSize, l, []float64{1e-3})
				}
				calls := []device.Call{{Entry: "start", Times: 1}, {Entry: "begin", Times: 1},
					{Entry: "step", Times: 10}, {Entry: "end", Times: 1}}
				if _, err := x.Run(calls, 3, nil); err != nil {
					t.Fatal(err)
				}
			}
			compare(t, open(), p, run, []string{dynamics.Theta, dynamics.LogPrior, dynamics.LogLik}, 1e-11)
		})
	}
}

func eachExample(t *testing.T, dir string, test func(t *testing.T, name string, target *compiler.Program)) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.ppl"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range append(paths, filepath.Join(dir, "testdata", "functions.ppl")) {
		name := strings.TrimSuffix(filepath.Base(path), ".ppl")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, ds := compiler.Load(compiler.Request{Path: path})
			if target == nil {
				t.Skip("needs data:", ds[0].Message)
			}
			test(t, name, target)
		})
	}
}

// compare runs a program on the GPU and on the host device, and compares buffers: the error of each lane's numbers in
// norm, relative to their norm or 1, whichever is larger.
func compare(t *testing.T, d device.Device, p *ir.Program, run func(device.Executable), names []string, tol float64) {
	t.Helper()
	var got [2]device.Executable
	for i, d := range []device.Device{d, host.Device{}} {
		x, err := d.Load(p, device.Options{Lanes: lanes, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		run(x)
		got[i] = x
	}
	worst, finite := 0.0, 0
	for _, name := range names {
		size := got[0].Size(name)
		a, b := make([]float64, size), make([]float64, size)
		for l := range lanes {
			got[0].GetLane(name, l, a)
			got[1].GetLane(name, l, b)
			gap := distance(a, b)
			if total := floats.Sum(b); total-total == 0 {
				finite++
			}
			worst = max(worst, gap)
			if !(gap <= tol) {
				t.Errorf("%s of lane %d: %v, on host %v", name, l, a, b)
			}
		}
	}
	if finite < lanes {
		t.Errorf("only %d lanes of %d buffers have numbers", finite, len(names))
	}
	t.Logf("largest difference %.1e", worst)
}

// distance returns |a − b| / max(1, |b|), where NaN and infinities equal themselves.
func distance(a, b []float64) float64 {
	gap, norm := 0.0, 0.0
	for i := range a {
		switch {
		case b[i] != b[i] || math.IsInf(b[i], 0):
			if a[i] != b[i] && a[i] == a[i] {
				return math.Inf(1)
			}
		default:
			gap += (a[i] - b[i]) * (a[i] - b[i])
			norm += b[i] * b[i]
		}
	}
	return math.Sqrt(gap) / math.Max(1, math.Sqrt(norm))
}
