//go:build !nonative && linux && (amd64 || arm64)

package cuda_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cuda"
	"ppl/runtime/gpu/driver"
	"ppl/runtime/gpu/gputest"
)

// bench/gpu/gpu.sh runs these tests on a machine with a GPU; on others they are skipped.

// openGPU returns the first GPU, or skips the test if there is none.
func openGPU(t testing.TB, options ...gpu.Option) (*gpu.Device, driver.Driver) {
	t.Helper()
	d, err := cuda.Open(0)
	if err != nil {
		t.Skip(err)
	}
	about := d.Info()
	t.Logf("%s, compute capability %d.%d, %s", about.Name, about.Capability/10, about.Capability%10, about.Compiler)
	return gpu.New(d, options...), d
}

// examplesDir returns the directory of the examples, next to the test's binary or in the repository.
func examplesDir() string {
	if _, err := os.Stat("examples"); err == nil {
		return "examples"
	}
	return "../../../examples"
}

func TestOnGPUCheck(t *testing.T) {
	d, _ := openGPU(t)
	if err := d.Check(); err != nil {
		t.Error(err)
	}
}

func TestOnGPUConformance(t *testing.T) {
	d, _ := openGPU(t)
	devicetest.Run(t, func() device.Device { return d })
}

func TestOnGPUExamples(t *testing.T) {
	d, _ := openGPU(t)
	gputest.Examples(t, examplesDir(), func() device.Device { return d })
}

func TestOnGPUTrajectories(t *testing.T) {
	d, _ := openGPU(t)
	gputest.Trajectories(t, examplesDir(), func() device.Device { return d })
}

func TestOnGPUOptimisers(t *testing.T) {
	d, _ := openGPU(t)
	gputest.Optimisers(t, filepath.Join(examplesDir(), "eight_schools.ppl"), func() device.Device { return d })
}

// example compiles an example.
func example(t testing.TB, name string) *compiler.Program {
	t.Helper()
	target, ds := compiler.Load(compiler.Request{Path: filepath.Join(examplesDir(), name+".ppl")})
	if target == nil {
		t.Fatal(ds)
	}
	return target
}

// stepped returns a loaded sampler on some lanes, ready to step.
func stepped(t testing.TB, d device.Device, target infer.Target, lanes int) device.Executable {
	t.Helper()
	p, err := lower.Program(dynamics.Program(dynamics.HMC{},
		dynamics.System{Target: target, Metric: adapt.Diagonal(target.Dim())}))
	if err != nil {
		t.Fatal(err)
	}
	x, err := d.Load(p, device.Options{Lanes: lanes, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	dynamics.ShareMetric(x, adapt.Diagonal(target.Dim()))
	for l := range lanes {
		x.SetLane(dynamics.Theta, l, target.Start(1, l))
		x.SetLane(dynamics.StepSize, l, []float64{1e-3})
		x.SetLane(dynamics.Cool, l, []float64{1})
	}
	run(t, x, "start", 1)
	run(t, x, "begin", 1)
	return x
}

func run(t testing.TB, x device.Executable, entry string, times int) {
	t.Helper()
	if _, err := x.Run([]device.Call{{Entry: entry, Times: times}}, 0, nil); err != nil {
		t.Fatal(err)
	}
}

// TestOnGPUSameBytes checks that a lane has the same bytes whatever the number of lanes, which changes the blocks and
// their shape.
func TestOnGPUSameBytes(t *testing.T) {
	d, _ := openGPU(t)
	var first []float64
	for _, lanes := range []int{1, 32, 1000, 20000, 100000} {
		x := stepped(t, d, example(t, "five_modes"), lanes)
		run(t, x, "step", 10)
		got := make([]float64, x.Size(dynamics.Theta))
		x.GetLane(dynamics.Theta, 0, got)
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("%d lanes: %v, with one %v", lanes, got, first)
		}
	}
}

// TestOnGPUMemory checks that a program is refused with the memory that it needs, and without a fault, if almost all
// memory is taken.
func TestOnGPUMemory(t *testing.T) {
	d, raw := openGPU(t)
	free, err := raw.Free()
	if err != nil {
		t.Fatal(err)
	}
	all, err := raw.Alloc(free - 100<<20)
	if err != nil {
		t.Fatal(err)
	}
	p := &ir.Program{Buffers: []ir.Buffer{{Name: "x", Space: ir.Lane, Size: 1000}}}
	if _, err := d.Load(p, device.Options{Lanes: 1 << 17}); err == nil || !strings.Contains(err.Error(), "are free") {
		t.Error(err)
	}
	if err := raw.Release(all); err != nil {
		t.Fatal(err)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
}

// TestOnGPUFault checks that a kernel that writes to address 0 is reported as a fault, and that all later calls fail.
// It needs a separate process.
func TestOnGPUFault(t *testing.T) {
	if os.Getenv("PPL_GPU_FAULT") == "" {
		t.Skip("with PPL_GPU_FAULT=1 only: the GPU is lost to the process")
	}
	_, d := openGPU(t)
	if d.Info().Name == "simulated GPU" {
		t.Skip("the processor in place of a GPU has no faults of its own, and no compiler for this text")
	}
	image, err := d.Compile(`extern "C" __global__ void launch(unsigned long long a) { *(volatile int *)(a - a) = 1; }`)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Load(image)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("launch")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := k.Launch(1, 32, 0)
		if err == nil {
			err = d.Wait()
		}
		code := (*driver.Error)(nil)
		if !errors.As(err, &code) || !code.Fault() {
			t.Errorf("%v is no fault", err)
		}
		t.Log(err)
	}
}

// BenchmarkOnGPUSteps times a leapfrog step of all lanes, with twenty steps per launch.
func BenchmarkOnGPUSteps(b *testing.B) {
	const each = 20
	for _, name := range []string{"five_modes", "eight_schools", "seeds"} {
		for lanes := 1 << 5; lanes <= 1<<17; lanes *= 4 {
			b.Run(fmt.Sprintf("%s/%d", name, lanes), func(b *testing.B) {
				d, _ := openGPU(b)
				x := stepped(b, d, example(b, name), lanes)
				run(b, x, "step", each)
				for b.Loop() {
					run(b, x, "step", each)
				}
				reportSteps(b, lanes, each)
			})
		}
	}
}

// BenchmarkOnGPUCopies measures the bandwidth of copies from and to pinned memory.
func BenchmarkOnGPUCopies(b *testing.B) {
	_, d := openGPU(b)
	const bytes = 256 << 20
	host, err := d.Pinned(bytes)
	if err != nil {
		b.Fatal(err)
	}
	at, err := d.Alloc(bytes)
	if err != nil {
		b.Fatal(err)
	}
	for name, copies := range map[string]func() error{
		"up":   func() error { return d.Upload(at, host) },
		"down": func() error { return d.Download(host, at) },
	} {
		b.Run(name, func(b *testing.B) {
			began := time.Now()
			for b.Loop() {
				if err := errors.Join(copies(), d.Wait()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(bytes*float64(b.N)/time.Since(began).Seconds()/1e9, "GB/s")
		})
	}
}
