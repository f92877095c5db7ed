//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// TestExamplesInSingle compares the density and the gradient of every example in single precision, on both devices,
// with those in double precision. The bounds are 2e-5 of the log density (or of 1), and 2e-3 of the largest element of
// the gradient. Points at which they are not finite in double precision are skipped. Without PPL_SLOW only some
// examples are tested. The Gaussian process curve never is: rounding the elements of its nearly singular covariance to
// seven digits changes the log density by 0.5 % (see lang/REFERENCE.md).
func TestExamplesInSingle(t *testing.T) {
	d := open(t)
	paths, err := filepath.Glob("../../examples/*.ppl")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	everyday := []string{"radon", "galaxies", "nile", "seeds", "influenza", "ratings"}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".ppl")
		if name == "curve" || os.Getenv("PPL_SLOW") == "" && !slices.Contains(everyday, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, ds := compiler.Load(compiler.Request{Path: path})
			if target == nil {
				t.Skip("needs data:", ds[0].Message)
			}
			want := densities(t, host.Device{}, target, 64)
			for _, d := range []device.Device{host.Device{}, d} {
				got := densities(t, d, target, 32)
				for lane, w := range want {
					if err := farthest(got[lane][:1], w[:1]); err > 2e-5 {
						t.Errorf("%s, point %d: log density %v, in double precision %v", d.Name(), lane,
							got[lane][0], w[0])
					}
					if err := farthest(got[lane][1:], w[1:]); err > 2e-3 {
						t.Errorf("%s, point %d: the gradient is %v of its longest element off", d.Name(), lane, err)
					}
				}
			}
		})
	}
}

// farthest returns the largest difference divided by the largest number, or by 1 if that is larger. It returns 0 if a
// wanted number is not finite.
func farthest(got, want []float64) float64 {
	most, scale := 0.0, 1.0
	for i, w := range want {
		if w-w != 0 {
			return 0
		}
		scale = max(scale, math.Abs(w))
		if diff := math.Abs(got[i] - w); !(diff <= most) {
			most = diff
		}
	}
	return most / scale
}

// densities returns the log density and its gradient at some starting points.
func densities(t *testing.T, d device.Device, target infer.Target, bits int) [][]float64 {
	const lanes = 5
	p := densityProgram(t, infer.InPrecision(target, bits))
	x, err := d.Load(p, device.Options{Lanes: lanes, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	out := make([][]float64, lanes)
	for l := range out {
		x.SetLane("theta", l, target.Start(3, l))
	}
	if _, err := x.Run([]device.Call{{Entry: "density", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	for l := range out {
		out[l] = make([]float64, 1+target.Dim())
		x.GetLane("value", l, out[l][:1])
		x.GetLane("gradient", l, out[l][1:])
	}
	return out
}

func densityProgram(t testing.TB, target infer.Target) *ir.Program {
	theta := autodiff.New().Input("theta", target.Dim())
	logPrior, logLik := target.Density(theta)
	value := autodiff.Add(logPrior, logLik)
	p, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
		{Name: "value", Value: value}, {Name: "gradient", Value: autodiff.Grad(value, theta)[0]}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}
