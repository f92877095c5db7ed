//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"math"
	"os"
	"slices"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/dataset"
	"ppl/infer"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// TestLayersInSingle compares the log likelihood of every layer and its gradient in single precision, on both devices,
// with those of PyTorch in double precision. The bound is 2e-5 of the squared distances of three rows, and of the
// largest element of the gradient. Without PPL_SLOW only some layers are compiled, since each takes a second.
func TestLayersInSingle(t *testing.T) {
	d := open(t)
	everyday := []string{"conv", "lstm", "max_pool", "causal attention"}
	for _, l := range compilertest.TorchLayers(t) {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, l.Model())
			weights := map[string]dataset.Array{}
			for name, w := range l.At() {
				weights[name] = dataset.Array{Shape: w.Shape, Values: w.Values}
			}
			at, err := p.PointsAt()(weights)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, 1+p.Dim())
			want[0] = l.LogLik
			for _, b := range infer.BlocksOf(p) {
				copy(want[1+b.First:], l.Weights[b.Parameter[len("f."):]].Gradient)
			}
			theta := autodiff.New().Input("theta", p.Dim())
			_, likelihood := infer.InPrecision(p, 32).Density(theta)
			program, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
				{Name: "value", Value: likelihood}, {Name: "gradient", Value: autodiff.Grad(likelihood, theta)[0]}}}})
			if err != nil {
				t.Fatal(err)
			}
			devices := []device.Device{host.Device{}}
			if os.Getenv("PPL_SLOW") != "" || slices.Contains(everyday, l.Name) {
				devices = append(devices, d)
			}
			for _, d := range devices {
				x, err := d.Load(program, device.Options{Lanes: 1, Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				x.SetLane("theta", 0, at)
				if _, err := x.Run([]device.Call{{Entry: "density", Times: 1}}, 0, nil); err != nil {
					t.Fatal(err)
				}
				got := make([]float64, len(want))
				x.GetLane("value", 0, got[:1])
				x.GetLane("gradient", 0, got[1:])
				if got[0] == want[0] || !(math.Abs(got[0]-want[0]) <= 2e-5*(1+math.Abs(want[0]))) {
					t.Errorf("%s: log ℓ is %v, PyTorch's is %v", d.Name(), got[0], want[0])
				}
				if off := farthest(got[1:], want[1:]); off > 2e-5 {
					t.Errorf("%s: the gradient is %v of its longest element off", d.Name(), off)
				}
			}
		})
	}
}
