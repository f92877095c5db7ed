//go:build !cu && !nonative && linux && (amd64 || arm64)

package cuda_test

import (
	"fmt"
	"slices"
	"testing"

	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cuda"
	"ppl/runtime/gpu/driver"
	"ppl/runtime/gpu/gputest"
)

// A recorder is a GPU that records the products that it computes.
type recorder struct {
	driver.Driver
	driver.Multiplier
	all []driver.Product
}

func (r *recorder) Multiply(p driver.Product) error {
	r.all = append(r.all, p)
	return r.Multiplier.Multiply(p)
}

// recording returns the first GPU, or skips the test if there is none or no cuBLAS.
func recording(t testing.TB) *recorder {
	t.Helper()
	d, err := cuda.Open(0)
	if err != nil {
		t.Skip(err)
	}
	r := &recorder{Driver: d, Multiplier: d.(driver.Multiplier)}
	name, err := r.Library()
	if err != nil {
		t.Skip(err)
	}
	t.Log(d.Info().Name, name)
	return r
}

// TestOnGPUNetworks compares steps of networks with host, with products by cuBLAS.
func TestOnGPUNetworks(t *testing.T) {
	r := recording(t)
	gputest.Networks(t, func() device.Device { return gpu.New(r) })
}

// TestOnGPUProductsSameBytes checks that cuBLAS gives a lane the same bytes whatever the number of lanes, since each
// call is for the same number of lanes. Only this test checks that the position of a matrix in a batch does not matter.
func TestOnGPUProductsSameBytes(t *testing.T) {
	r := recording(t)
	for _, bits := range []int{32, 64} {
		p, target := gputest.Network(t, bits)
		var want [2][]float64
		for _, lanes := range []int{16, 17, 40, 100} {
			x, err := gpu.New(r).Load(p, device.Options{Lanes: lanes, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			gputest.StartNetwork(x, target, lanes)
			run(t, x, "step", 3)
			for i, lane := range []int{0, 15} {
				got := make([]float64, x.Size(dynamics.Theta))
				x.GetLane(dynamics.Theta, lane, got)
				if want[i] == nil {
					want[i] = got
				}
				if !slices.Equal(got, want[i]) {
					t.Errorf("%d bits, lane %d of %d: other bytes than of 16", bits, lane, lanes)
				}
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
		one, err := gpu.New(r).Load(p, device.Options{Lanes: 1, Seed: 7, First: 5})
		if err != nil {
			t.Fatal(err)
		}
		many, err := gpu.New(r).Load(p, device.Options{Lanes: 9, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		var got [2][]float64
		for i, x := range []device.Executable{one, many} {
			lane := 5 * i
			gputest.StartNetwork(x, target, 1+8*i)
			start := target.Start(1, 5)
			x.SetLane(dynamics.Theta, lane, start)
			x.SetLane(dynamics.Walker, lane, []float64{5})
			run(t, x, "step", 3)
			got[i] = make([]float64, x.Size(dynamics.Theta))
			x.GetLane(dynamics.Theta, lane, got[i])
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got[0], got[1]) {
			t.Errorf("%d bits: lane 5 has other bytes as the first of its GPU", bits)
		}
	}
}

// BenchmarkOnGPULSTM times a step of the LSTM of NETWORKS.md for some walkers, its products alone, and the same
// products in one call of cuBLAS for all walkers, which is the least time that cuBLAS can take.
func BenchmarkOnGPULSTM(b *testing.B) {
	for _, lanes := range []int{12, 96} {
		r := recording(b)
		p, target := gputest.LSTM(b)
		x, err := gpu.New(r).Load(p, device.Options{Lanes: lanes, Seed: 7})
		if err != nil {
			b.Fatal(err)
		}
		gputest.StartNetwork(x, target, lanes)
		run(b, x, "step", 1)
		step := r.all
		b.Run(fmt.Sprintf("step/%d", lanes), func(b *testing.B) {
			for b.Loop() {
				run(b, x, "step", 4)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N)/4, "ms/step")
		})
		for name, all := range map[string][]driver.Product{"products": step, "cublas": whole(step, lanes)} {
			b.Run(fmt.Sprintf("%s/%d", name, lanes), func(b *testing.B) { replay(b, r, all) })
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// whole returns the products of a step with one call for all lanes.
func whole(all []driver.Product, lanes int) (out []driver.Product) {
	for i := 0; i < len(all); {
		p := all[i]
		for covered := 0; covered < lanes && i < len(all); i++ {
			covered += p.Batch
		}
		p.Batch = lanes
		out = append(out, p)
	}
	return out
}

// replay times products in a graph.
func replay(b *testing.B, r *recorder, all []driver.Product) {
	const each = 4
	g, err := r.Capture(func() error {
		for range each {
			for _, p := range all {
				if err := r.Multiplier.Multiply(p); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	work := 0.0
	for _, p := range all {
		work += 2 * float64(p.Batch) * float64(p.M) * float64(p.K) * float64(p.N)
	}
	for b.Loop() {
		if err := g.Launch(); err != nil {
			b.Fatal(err)
		}
		if err := r.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	step := b.Elapsed().Seconds() / float64(b.N) / each
	b.ReportMetric(step*1e3, "ms/step")
	b.ReportMetric(work/step/1e12, "TFLOP/s")
	if err := g.Close(); err != nil {
		b.Fatal(err)
	}
}
