package stdlib

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	ad "ppl/autodiff"
)

// TestMatrixFuncGradients compares gradients of a smooth function of each result with central differences along
// symmetric steps, within 1e-6.
func TestMatrixFuncGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for name, f := range MatrixFuncs() {
		g := ad.New()
		x := g.Input("x", 2, 3, 3)
		at := make([]float64, 18)
		for i := range 18 {
			if b, row, col := i/9, i/3%3, i%3; col <= row {
				v := 0.3 * r.NormFloat64()
				if row == col {
					v = 1 + 0.75*float64(row)
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

// general has gonum's versions of the functions of matrices that need not be symmetric.
var general = map[string]func(x, out *mat.Dense) error{
	"inverse": func(x, out *mat.Dense) error { return out.Inverse(x) },
	"determinant": func(x, out *mat.Dense) error {
		out.CloneFrom(mat.NewDense(1, 1, []float64{mat.Det(x)}))
		return nil
	},
	"log_determinant": func(x, out *mat.Dense) error {
		v, _ := mat.LogDet(x)
		out.CloneFrom(mat.NewDense(1, 1, []float64{v}))
		return nil
	},
	"matrix_exp": func(x, out *mat.Dense) error { out.Exp(x); return nil },
}

// TestGeneralMatrices compares results for two random matrices of each size with gonum's, within 1e-11 of the norm. The
// matrices have zeros on the diagonal, so that rows must change places. The comparison must fail for a matrix with one
// element 1 % larger.
func TestGeneralMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for name, oracle := range general {
		for _, n := range []int{1, 2, 3, 5, unrolled, unrolled + 1, 12} {
			v := normals(r, 2*n*n)
			for i := range 2 * n {
				v[i*n+i%n] *= number01(n == 1)
			}
			for _, scale := range []float64{1e-3, 1, 10} {
				g := ad.New()
				got := ad.Eval(nil, MatrixFuncs()[name].Build(ad.Mul(g.Const(scale), g.Data("x", v, 2, n, n))))[0]
				for b := range 2 {
					at := mat.NewDense(n, n, append([]float64{}, v[b*n*n:(b+1)*n*n]...))
					at.Scale(scale, at)
					part := got[b*len(got)/2 : (b+1)*len(got)/2]
					if e := errorOf(t, oracle, at, part); e > 1e-11 {
						t.Errorf("%s of %d x %d, scale %g: %.2g off", name, n, n, scale, e)
					}
					at.Set(0, n-1, 1.01*at.At(0, n-1))
					if e := errorOf(t, oracle, at, part); e < 1e-11 {
						t.Errorf("%s of %d x %d: another matrix has the same", name, n, n)
					}
				}
			}
		}
	}
}

func errorOf(t *testing.T, oracle func(x, out *mat.Dense) error, x *mat.Dense, got []float64) float64 {
	var want, diff mat.Dense
	if err := oracle(x, &want); err != nil {
		t.Fatal(err)
	}
	rows, cols := want.Dims()
	diff.Sub(&want, mat.NewDense(rows, cols, got))
	return mat.Norm(&diff, 2) / mat.Norm(&want, 2)
}

// TestGeneralGradients compares the gradients in each element with central differences within 1e-6.
func TestGeneralGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for name := range general {
		for _, n := range []int{3, unrolled + 1} {
			g, at := ad.New(), normals(r, n*n)
			x := g.Input("x", n, n)
			out := MatrixFuncs()[name].Build(x)
			y := ad.SumAll(ad.Mul(ad.Atan(out), g.Data("w", normals(r, out.Size()), out.Shape()...)))
			grad := ad.Eval(map[string][]float64{"x": at}, ad.Grad(y, x)[0])[0]
			for i := range at {
				value := func(h float64) float64 {
					return ad.Eval(map[string][]float64{"x": moved(at, i, h, 0)}, y)[0][0]
				}
				if want := (value(1e-5) - value(-1e-5)) / 2e-5; math.Abs(grad[i]-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s of %d x %d, element %d: %g, difference quotient %g", name, n, n, i, grad[i], want)
				}
			}
		}
	}
}

// TestSingular checks that a singular matrix has determinant 0 and inverse NaN, and that a matrix that is not finite
// gives NaN.
func TestSingular(t *testing.T) {
	for _, c := range []struct {
		name string
		x    []float64
		want float64
	}{
		{"determinant", []float64{1, 2, 2, 4}, 0}, {"determinant", []float64{0, 0, 0, 0}, 0},
		{"log_determinant", []float64{1, 2, 2, 4}, -inf},
		{"inverse", []float64{1, 2, 2, 4}, math.NaN()}, {"determinant", []float64{1, math.NaN(), 0, 1}, math.NaN()},
		{"log_determinant", []float64{1, inf, 0, 1}, math.NaN()}, {"inverse", []float64{math.NaN(), 0, 0, 1},
			math.NaN()},
		{"matrix_exp", []float64{inf, 0, 0, 1}, math.NaN()}, {"matrix_exp", []float64{0, 0, 0, 0}, 1},
	} {
		g := ad.New()
		got := ad.Eval(nil, MatrixFuncs()[c.name].Build(g.Data("x", c.x, 2, 2)))[0][0]
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s(%v) begins with %g, want %g", c.name, c.x, got, c.want)
		}
	}
}
