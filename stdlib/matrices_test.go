package stdlib

import (
	"math"
	"math/rand/v2"
	"testing"

	ad "ppl/autodiff"
)

// TestMatrixFuncGradients: of a smooth function of each result, against central differences along symmetric moves, within 1e-6.
func TestMatrixFuncGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for name, f := range MatrixFuncs() {
		g := ad.New()
		x := g.Input("x", 2, 3, 3)
		at := make([]float64, 18)
		for i := range 18 {
			if b, row, col := i/9, i/3%3, i%3; col <= row {
				v := r.NormFloat64()
				if row == col {
					v = 4 + 3*float64(row)
				}
				at[b*9+row*3+col], at[b*9+col*3+row] = v, v
			}
		}
		out := f.Build(x)
		y := ad.SumAll(ad.Mul(ad.Sin(out), g.Data("w", normals(r, out.Size()), out.Shape()...)))
		grad := ad.Eval(map[string][]float64{"x": at}, ad.Grad(y, x)[0])[0]
		for i := range at {
			if row, col := i/3%3, i%3; col > row {
				continue
			}
			value := func(h float64) float64 {
				return ad.Eval(map[string][]float64{"x": symmetricMove(at, i, h)}, y)[0][0]
			}
			got, want := grad[i], (value(1e-5)-value(-1e-5))/2e-5
			if m := mirrorOf(i); m != i {
				got += grad[m]
			}
			if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: element %d: %g, difference quotient %g", name, i, got, want)
			}
		}
	}
}

func mirrorOf(i int) int { return i/9*9 + i%3*3 + i/3%3 }

func symmetricMove(x []float64, i int, h float64) []float64 {
	out := append([]float64{}, x...)
	out[i] += h
	if m := mirrorOf(i); m != i {
		out[m] += h
	}
	return out
}
