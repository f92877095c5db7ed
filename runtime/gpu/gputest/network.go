package gputest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// A recurrent and a convolutional network on small images, whose products are just large enough for layout Apart, and a
// large network for benchmarks.
//
//go:embed testdata/recurrent.ppl
var recurrent string

//go:embed testdata/convolved.ppl
var convolved string

//go:embed testdata/lstm.ppl
var lstm string

// networkTests lists networks with a precision and the largest allowed difference from the host device.
var networkTests = []struct {
	name, model string
	image       []int // number of images, and their shape
	bits        int
	tol         float64
}{
	{"recurrent", recurrent, []int{64, 8, 32}, 64, 1e-12},
	{"recurrent in single precision", recurrent, []int{64, 8, 32}, 32, 1e-6},
	{"convolved", convolved, []int{64, 8, 8, 4}, 64, 1e-12},
}

// Networks compares some steps of networks on minibatches, with noise. It calls open for each network.
func Networks(t *testing.T, open func() device.Device) {
	for _, n := range networkTests {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			target := loaded(t, n.model, n.image...)
			run := func(x device.Executable) {
				StartNetwork(x, target, lanes)
				if _, err := x.Run([]device.Call{{Entry: "step", Times: 3}}, 0, nil); err != nil {
					t.Fatal(err)
				}
			}
			compare(t, open(), networkStep(t, target, n.bits, 32), run,
				[]string{dynamics.Theta, dynamics.Momentum, dynamics.LogPrior, dynamics.LogLik}, n.tol)
		})
	}
}

// Network returns the step of the recurrent network in double or single precision, and its target.
func Network(t testing.TB, bits int) (*ir.Program, infer.Target) {
	target := loaded(t, recurrent, 64, 8, 32)
	return networkStep(t, target, bits, 32), target
}

// LSTM returns the step of a network with 128 cells that reads images of 28×28 row by row, in single precision with
// batches of 128 rows, and its target.
func LSTM(t testing.TB) (*ir.Program, infer.Target) {
	target := loaded(t, lstm, 256, 28, 28)
	return networkStep(t, target, 32, 128), target
}

// loaded returns a model with generated images of the given shape; shape[0] is their number.
func loaded(t testing.TB, model string, shape ...int) infer.Target {
	t.Helper()
	const labels = 10
	r := rand.New(rand.NewPCG(1, 2))
	label := make([]int, shape[0])
	for i := range label {
		label[i] = r.IntN(labels)
	}
	image := noisy(r, shape)
	data, err := json.Marshal(map[string]any{"image": image, "label": label})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"model.ppl": []byte(model), "data.json": data} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, ds := compiler.Load(compiler.Request{Path: filepath.Join(dir, "model.ppl"),
		Data: []compiler.DataArg{{Path: filepath.Join(dir, "data.json")}}})
	if p == nil {
		t.Fatal(ds)
	}
	return p
}

// noisy returns an array of random numbers in (0, 1) with that shape.
func noisy(r *rand.Rand, shape []int) any {
	if len(shape) == 0 {
		return r.Float64()
	}
	all := make([]any, shape[0])
	for i := range all {
		all[i] = noisy(r, shape[1:])
	}
	return all
}

// networkStep returns a program with the entry `step` of SGNHT on batches of the given number of rows.
func networkStep(t testing.TB, target infer.Target, bits, batch int) *ir.Program {
	t.Helper()
	rows, err := target.(infer.Splittable).Rows()
	if err != nil {
		t.Fatal(err)
	}
	s := dynamics.System{Target: infer.InPrecision(target, bits), Path: dynamics.Energy,
		Metric: adapt.Diagonal(target.Dim()), Batches: dynamics.NewBatches(rows, batch, batch, batch, 1)}
	entries := slices.DeleteFunc(dynamics.Program(dynamics.SGNHT{Mass: 1}, s), func(e lower.Entry) bool {
		return e.Name != "step"
	})
	p, err := lower.Program(entries)
	if err != nil {
		t.Fatal(err)
	}
	if p.Layout != ir.Apart {
		t.Fatal(fmt.Errorf("lanes are %v", p.Layout))
	}
	return p
}

// StartNetwork sets the lane buffers before the first step.
func StartNetwork(x device.Executable, target infer.Target, lanes int) {
	for _, name := range x.Buffers() { // friction, masses, temperatures
		x.Set(name, slices.Repeat([]float64{0.5}, lanes*x.Size(name)))
	}
	for l := range lanes {
		start := target.Start(1, l)
		for i := range start {
			start[i] *= 0.1
		}
		x.SetLane(dynamics.Theta, l, start)
		x.SetLane(dynamics.StepSize, l, []float64{1e-3})
		for name, v := range map[string]float64{"clock": 0, dynamics.Walker: float64(l)} {
			x.SetLane(name, l, []float64{v})
		}
	}
}
