//go:build !nonative && linux && (amd64 || arm64)

package cuda_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/compiler/backend/render"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cuda"
	"ppl/runtime/gpu/gputest"
)

// open returns NVRTC, or skips the test if it is missing.
func open(t *testing.T) *cuda.NVRTC {
	t.Helper()
	n, err := cuda.OpenNVRTC(0)
	if err != nil {
		t.Skip(err)
	}
	return n
}

// TestExamplesCompile compiles the density of every example and its gradient for an H100 or H200, as launched on 28
// lanes, and by points with the finest cuts.
func TestExamplesCompile(t *testing.T) {
	n := open(t)
	paths, err := filepath.Glob("../../../examples/*.ppl")
	if err != nil || len(paths) < 30 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ppl"), func(t *testing.T) {
			target, ds := compiler.Load(compiler.Request{Path: path})
			if target == nil {
				t.Skip("needs data:", ds[0].Message)
			}
			g := autodiff.New()
			theta := g.Input("theta", target.Dim())
			prior, likelihood := target.Density(theta)
			gradient := autodiff.Grad(autodiff.Binary(autodiff.OpAdd, prior, likelihood), theta)[0]
			p, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
				{Name: "log_prior", Value: prior}, {Name: "log_likelihood", Value: likelihood},
				{Name: "gradient", Value: gradient}}}})
			if err != nil {
				t.Fatal(err)
			}
			spread := lower.Spread(p, lower.Grain{Turns: 1000})
			for _, text := range []string{gpu.Text(p, 28),
				render.CUDA(spread, render.Launching{Width: 8, Points: []bool{true}})} {
				began := time.Now()
				image, err := n.Compile(text, 90)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%v: %d bytes of machine code in %v", n, len(image), time.Since(began).Round(time.Millisecond))
			}
		})
	}
}

// TestSamplersCompile compiles the sampler of eight schools with each dynamics, in double and single precision.
func TestSamplersCompile(t *testing.T) {
	n := open(t)
	target, _ := compiler.Load(compiler.Request{Path: "../../../examples/eight_schools.ppl"})
	for _, rule := range dynamics.Names() {
		for _, bits := range []int{64, 32} {
			s := dynamics.System{Target: infer.InPrecision(target, bits), Metric: adapt.Diagonal(target.Dim())}
			p, err := lower.Program(dynamics.Program(dynamics.Named(rule), s))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := n.Compile(gpu.Text(p, 28), 90); err != nil {
				t.Errorf("%s in %d bits: %v", rule, bits, err)
			}
		}
	}
}

// TestMistakesAreShown checks that the error for code with a mistake has the compiler's line.
func TestMistakesAreShown(t *testing.T) {
	_, err := open(t).Compile("int x = y;\n", 90)
	if err == nil || !strings.Contains(err.Error(), "program.cu(1)") {
		t.Error(err)
	}
}

// TestNetworksCompile compiles a step of networks with the layout Apart, by points and by lanes.
func TestNetworksCompile(t *testing.T) {
	n := open(t)
	for _, bits := range []int{64, 32} {
		p, _ := gputest.Network(t, bits)
		spread := lower.Spread(p, lower.Grain{Turns: 1000, Shared: 2})
		for _, text := range []string{gpu.Text(p, 12),
			render.CUDA(spread, render.Launching{Width: 1, Points: []bool{true}, Shared: 2}),
			render.CUDA(spread, render.Launching{Width: 1, Points: []bool{false}, Shared: 2})} {
			began := time.Now()
			image, err := n.Compile(text, 90)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v: %d bytes of machine code in %v", n, len(image), time.Since(began).Round(time.Millisecond))
		}
	}
}
