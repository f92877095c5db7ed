package examples_test

import (
	"math"
	"path/filepath"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/runtime/device"
	"ppl/runtime/gorgonia"
	"ppl/runtime/host"
)

// TestDeviceAgreesWithGraph compares the host device and Gorgonia's tape machine with autodiff's plain interpreter on
// every example: log prior, log likelihood, their gradient and the saved values. All are float64; sums may differ in
// order.
func TestDeviceAgreesWithGraph(t *testing.T) {
	paths, err := filepath.Glob("*.ppl")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			p := load(t, path)
			agree(t, p, infer.Lowered(host.Device{}))
			agree(t, p, gorgonia.Device{})
		})
	}
	for _, path := range []string{"testdata/functions.ppl", "testdata/layers.ppl", "networks/text.ppl"} {
		t.Run(path, func(t *testing.T) { agree(t, load(t, path), infer.Lowered(host.Device{})) })
	}
	for _, path := range posteriors(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, _ := loadPosterior(t, path)
			agree(t, p, infer.Lowered(host.Device{}))
		})
	}
}

func agree(t *testing.T, p *compiler.Program, d infer.Device) {
	t.Helper()
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	prior, likelihood := p.Density(theta)
	gradient := autodiff.Grad(autodiff.Binary(autodiff.OpAdd, prior, likelihood), theta)[0]
	entry := lower.Entry{Name: "all", Assign: []lower.Assign{
		{Name: "log_prior", Value: prior}, {Name: "log_likelihood", Value: likelihood},
		{Name: "gradient", Value: gradient}, {Name: "values", Value: p.Values(theta)},
	}}
	program, err := d.Compile([]lower.Entry{entry})
	if err != nil {
		t.Fatal(err)
	}
	const lanes = 3
	x, err := program.Load(device.Options{Lanes: lanes})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for lane := range lanes {
		x.SetLane("theta", lane, p.Start(20260103, lane))
	}
	if _, err := x.Run([]device.Call{{Entry: "all", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	for lane := range lanes {
		for _, a := range entry.Assign {
			want := autodiff.Eval(map[string][]float64{"theta": p.Start(20260103, lane)}, a.Value)[0]
			got := make([]float64, x.Size(a.Name))
			x.GetLane(a.Name, lane, got)
			same(t, a.Name, got, want)
		}
	}
}

// same allows an error of 1e-8 relative to the largest element or 1, since terms of gradients cancel.
func same(t *testing.T, name string, got, want []float64) {
	t.Helper()
	scale := 1.0
	for _, w := range want {
		if !math.IsInf(w, 0) {
			scale = max(scale, math.Abs(w))
		}
	}
	for i, w := range want {
		if got[i] != w && !(math.Abs(got[i]-w) <= 1e-8*scale) {
			t.Errorf("%s[%d]: the device has %.15g, the graph %.15g", name, i, got[i], w)
		}
	}
}
