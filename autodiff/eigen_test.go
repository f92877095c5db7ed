package autodiff

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// nearEqual is Q diag(λ) Qᵀ with a random orthogonal Q.
func nearEqual(r *rand.Rand, lambda []float64) *mat.Dense {
	n := len(lambda)
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			m.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	var q, a mat.Dense
	qr.Factorize(m)
	qr.QTo(&q)
	a.Product(&q, mat.NewDiagDense(n, lambda), q.T())
	return &a
}

// TestNearEqualEigenvalues compares the gradient of Σ exp(λ_i) (v_i·y)² = yᵀ exp(A) y, which does not depend on the
// choice of eigenvectors, with central differences of gonum's exp(A). The differences have errors of about 1e-8, and
// the gradient of about 1e-16 divided by the gap between eigenvalues.
func TestNearEqualEigenvalues(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	y := []float64{0.4, -1.1, 0.8, 0.3}
	for _, c := range []struct{ gap, tol float64 }{{0.5, 1e-7}, {1e-6, 1e-7}, {1e-9, 1e-6}, {1e-12, 3e-3}} {
		a := nearEqual(r, []float64{-0.7, 0.5, 0.5 + c.gap, 1.2})
		worst, largest := eigenGradientError(a, y)
		if !(worst <= c.tol*largest) {
			t.Errorf("gap %g: gradient %.2g off, its largest element is %.2g", c.gap, worst, largest)
		}
	}
}

// TestEqualEigenvalues checks that for equal eigenvalues the gradient of a function of eigenvalues only, here of
// Σ exp(λ_i) = tr exp(A), is correct. That of yᵀ exp(A) y is not; eigenToArg does not promise it.
func TestEqualEigenvalues(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{2, 0, 0, 0, 2, 0, 0, 0, 2})
	g := New()
	x := g.Input("x", 3, 3)
	values, _ := EigenParts(Eigen(x))
	grad := Eval(map[string][]float64{"x": a.RawMatrix().Data}, Grad(SumAll(Exp(values)), x)[0])[0]
	for i, v := range grad {
		want := 0.0
		if i%4 == 0 { // on the diagonal
			want = math.Exp(2)
		}
		if math.Abs(v-want) > 1e-14*math.Exp(2) {
			t.Errorf("element %d: %g, want %g", i, v, want)
		}
	}
	if worst, largest := eigenGradientError(a, []float64{0.4, -1.1, 0.8}); worst < 0.1*largest {
		t.Errorf("only %.2g off: the comment of eigenToArg says too little", worst)
	}
}

// eigenGradientError returns the largest error of an element of the gradient of yᵀ exp(A) y, and the largest element.
func eigenGradientError(a *mat.Dense, y []float64) (worst, largest float64) {
	n := len(y)
	g := New()
	x := g.Input("x", n, n)
	values, vectors := EigenParts(Eigen(x))
	along := MatMul(g.Data("y", y, 1, n), vectors, false, false)
	f := SumAll(Mul(Exp(values), Reshape(Mul(along, along), n)))
	grad := Eval(map[string][]float64{"x": a.RawMatrix().Data}, Grad(f, x)[0])[0]
	for i := range n {
		for j := range i + 1 {
			const h = 1e-5
			want := (quadraticExp(a, y, i, j, h) - quadraticExp(a, y, i, j, -h)) / (2 * h)
			got := grad[i*n+j]
			if i != j {
				got += grad[j*n+i]
			}
			worst, largest = math.Max(worst, math.Abs(got-want)), math.Max(largest, math.Abs(want))
		}
	}
	return worst, largest
}

// quadraticExp returns yᵀ exp(A) y with h added to elements (i, j) and (j, i) of A.
func quadraticExp(a *mat.Dense, y []float64, i, j int, h float64) float64 {
	var m, e mat.Dense
	m.CloneFrom(a)
	m.Set(i, j, a.At(i, j)+h)
	m.Set(j, i, a.At(j, i)+h)
	e.Exp(&m)
	v := mat.NewVecDense(len(y), y)
	return mat.Inner(v, &e, v)
}
