package special

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestEigen checks A V = V Λ and Vᵀ V = I within 1e-14 n times the norm of A, and that eigenvalues increase and agree
// with gonum's. Matrices are random, some with equal eigenvalues or zeros.
func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for n := range 24 {
		for _, kind := range []string{"full", "low rank", "diagonal", "zero", "huge"} {
			a := mat.NewSymDense(max(n, 1), nil)
			for i := range n {
				for j := range i + 1 {
					switch {
					case kind == "full" || kind == "diagonal" && i == j:
						a.SetSym(i, j, r.NormFloat64())
					case kind == "low rank":
						a.SetSym(i, j, float64(i%2*(j%2)))
					case kind == "huge":
						a.SetSym(i, j, 1e150*r.NormFloat64())
					}
				}
			}
			checkEigen(t, a, n, kind)
		}
	}
}

func checkEigen(t *testing.T, a *mat.SymDense, n int, kind string) {
	flat, out := make([]float64, n*n), make([]float64, n*(n+1))
	size := 1e-300
	for i := range n {
		for j := range n {
			flat[i*n+j] = a.At(i, j)
			size = math.Max(size, math.Abs(a.At(i, j)))
			if j > i {
				flat[i*n+j] = math.NaN() // not read
			}
		}
	}
	if Eigen(flat, out, n); n == 0 {
		return
	}
	v, values := mat.NewDense(n, n, out[n:]), mat.NewDiagDense(n, out[:n])
	var left, right, gram mat.Dense
	left.Mul(a, v)
	right.Mul(v, values)
	gram.Mul(v.T(), v)
	var e mat.EigenSym
	e.Factorize(a, false)
	tol := 1e-14 * float64(n)
	for i, want := range e.Values(nil) {
		if math.Abs(out[i]-want) > tol*size {
			t.Errorf("%s %d: eigenvalue %d is %g, gonum's %g", kind, n, i, out[i], want)
		}
		gram.Set(i, i, gram.At(i, i)-1)
	}
	left.Sub(&left, &right)
	if d := mat.Max(&left); !(math.Abs(d) <= tol*size) || !(math.Abs(mat.Min(&left)) <= tol*size) {
		t.Errorf("%s %d: AV − VΛ is %g", kind, n, d)
	}
	if !(mat.Max(&gram) <= tol) || !(mat.Min(&gram) >= -tol) {
		t.Errorf("%s %d: VᵀV − I is %g", kind, n, mat.Max(&gram))
	}
}

// TestEigenNotFinite checks that all results are NaN for matrices with NaN or infinities.
func TestEigenNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		out := make([]float64, 6)
		Eigen([]float64{1, 0, bad, 1}, out, 2)
		for _, v := range out {
			if v == v {
				t.Errorf("of %g: %v", bad, out)
			}
		}
	}
}
