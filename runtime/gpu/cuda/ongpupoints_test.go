//go:build !nonative && linux && (amd64 || arm64)

package cuda_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/gputest"
	"ppl/runtime/native"
)

// TestOnGPUPoints compares all examples with host. All entries run by points with the finest cuts, and scratch memory
// is filled with NaN.
func TestOnGPUPoints(t *testing.T) {
	d, _ := openGPU(t, gpu.ByPoints(true), gpu.InGrain(lower.Grain{Turns: 1000}), gpu.Poisoned())
	gputest.Examples(t, examplesDir(), func() device.Device { return d })
}

// TestOnGPUPointsSameBytes checks that a lane has the same bytes by points and by lanes, whatever the number of lanes.
func TestOnGPUPointsSameBytes(t *testing.T) {
	target := regression(t, 3001, 5)
	var first []float64
	for _, points := range []bool{false, true} {
		d, _ := openGPU(t, gpu.ByPoints(points))
		for _, lanes := range []int{1, 28, 1000} {
			x := stepped(t, d, target, lanes)
			for range 3 { // from the second on in graphs, where by points
				run(t, x, "step", 10)
			}
			got := make([]float64, x.Size(dynamics.Theta))
			x.GetLane(dynamics.Theta, 0, got)
			if first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				t.Errorf("%d lanes, by points %v: %v, one lane by lanes %v", lanes, points, got, first)
			}
		}
	}
}

// regression returns a logistic regression with the given numbers of rows and covariates.
func regression(t testing.TB, rows, covariates int) *compiler.Program {
	t.Helper()
	const model = "data x[N, D], y[N]: int in 0..1\nb[D] ~ Normal(0, 1)\ny[i in N] ~ Bernoulli(logits = x[i] @ b)\n"
	r := rand.New(rand.NewPCG(1, 2))
	var x, y bytes.Buffer
	for i := range rows {
		between, logit := "[", 0.0
		for k := range covariates {
			v := r.NormFloat64()
			logit += v * math.Sin(float64(k))
			fmt.Fprintf(&x, "%s%.3f", between, v)
			between = ","
		}
		outcome := 0
		if r.Float64() < 1/(1+math.Exp(-logit)) {
			outcome = 1
		}
		fmt.Fprintf(&y, "%d", outcome)
		if i < rows-1 {
			y.WriteByte(',')
			x.WriteString("],")
		}
	}
	dir := t.TempDir()
	path, data := filepath.Join(dir, "regression.ppl"), filepath.Join(dir, "data.json")
	text := fmt.Sprintf(`{"x": [%s]], "y": [%s]}`, x.String(), y.String())
	if err := os.WriteFile(path, []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(data, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	target, ds := compiler.Load(compiler.Request{Path: path, Data: []compiler.DataArg{{Path: data}}})
	if target == nil {
		t.Fatal(ds)
	}
	return target
}

// BenchmarkOnGPUData times a leapfrog step on 100,000 rows of 20 covariates, by points in both precisions and on the
// processor.
func BenchmarkOnGPUData(b *testing.B) {
	target := regression(b, 100_000, 20)
	points := func(b *testing.B) device.Device {
		d, _ := openGPU(b, gpu.ByPoints(true))
		return d
	}
	devices := map[string]func(b *testing.B) device.Device{
		"double": points,
		"single": points,
		"native": func(b *testing.B) device.Device {
			d, err := native.New()
			if err != nil {
				b.Skip(err)
			}
			return d
		},
	}
	for _, lanes := range []int{4, 28, 256} {
		for name, open := range devices {
			b.Run(fmt.Sprintf("%s/%d", name, lanes), func(b *testing.B) {
				bits := map[string]int{"double": 64, "single": 32, "native": 64}[name]
				x := stepped(b, open(b), infer.InPrecision(target, bits), lanes)
				each := map[string]int{"double": 20, "single": 20, "native": 1}[name]
				run(b, x, "step", each)
				for b.Loop() {
					run(b, x, "step", each)
				}
				reportSteps(b, lanes, each)
			})
		}
	}
}

// BenchmarkOnGPUChoice times a step of examples by points, by lanes, and as the estimate of runtime/gpu chooses, for
// some numbers of lanes.
func BenchmarkOnGPUChoice(b *testing.B) {
	ways := map[string][]gpu.Option{"points": {gpu.ByPoints(true)}, "lanes": {gpu.ByPoints(false)}, "chosen": nil}
	for _, name := range []string{"five_modes", "eight_schools", "seeds", "rats", "radon", "coal", "health"} {
		for _, lanes := range []int{4, 28, 256, 4096} {
			for way, options := range ways {
				b.Run(fmt.Sprintf("%s/%d/%s", name, lanes, way), func(b *testing.B) {
					const each = 20
					d, _ := openGPU(b, options...)
					x := stepped(b, d, example(b, name), lanes)
					run(b, x, "step", each)
					run(b, x, "step", each)
					for b.Loop() {
						run(b, x, "step", each)
					}
					reportSteps(b, lanes, each)
				})
			}
		}
	}
}

// BenchmarkOnGPULaunches times a step of a small model by points, which is two or three launches, in graphs and as
// single launches.
func BenchmarkOnGPULaunches(b *testing.B) {
	const each = 200
	for name, options := range map[string][]gpu.Option{
		"graphs": {gpu.ByPoints(true)},
		"alone":  {gpu.ByPoints(true), gpu.WithoutGraphs()},
	} {
		b.Run(name, func(b *testing.B) {
			d, _ := openGPU(b, options...)
			x := stepped(b, d, example(b, "eight_schools"), 4)
			run(b, x, "step", each)
			run(b, x, "step", each)
			for b.Loop() {
				run(b, x, "step", each)
			}
			reportSteps(b, 4, each)
		})
	}
}

func reportSteps(b *testing.B, lanes, each int) {
	perStep := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(each)
	b.ReportMetric(perStep, "ns/step")
	b.ReportMetric(float64(lanes)/perStep*1e9, "lane-steps/s")
}
