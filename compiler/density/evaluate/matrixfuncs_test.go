package evaluate_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// kronecker is a Gaussian process on a grid, with its density by eigenvalues and by inverse and determinant. Both are
// compared with gonum's density of the dense covariance.
const kronecker = `
data y[A, B] = [[0.3, -1.2, 0.4], [1.1, 0.2, -0.6]], x[B] = [0, 0.7, 1.5], z[A] = [0.2, 1]
length ~ LogNormal(0, 1)
noise ~ LogNormal(0, 1)
S[i in B, j in B] = exp(-length * (x[i] - x[j])^2)
T[i in A, j in A] = exp(-abs(z[i] - z[j]))
Q = eigenvectors(S)
P = eigenvectors(T)
q = eigenvalues(S)
p = eigenvalues(T)
e[i in A, j in B] = p[i] * q[j] + noise
v = transpose(P) @ y @ Q
y ~ Density(-0.5 * sum(v^2 / e) - 0.5 * sum(log(e)))
`

func TestKroneckerByEigenvalues(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, kronecker)
	x, z, y := []float64{0, 0.7, 1.5}, []float64{0.2, 1}, []float64{0.3, -1.2, 0.4, 1.1, 0.2, -0.6}
	for _, at := range [][2]float64{{1, 0.5}, {0.2, 2}, {4, 0.01}} {
		cov := mat.NewSymDense(6, nil)
		for r := range 6 {
			for c := range r + 1 {
				v := math.Exp(-math.Abs(z[r/3]-z[c/3]) - at[0]*(x[r%3]-x[c%3])*(x[r%3]-x[c%3]))
				if r == c {
					v += at[1]
				}
				cov.SetSym(r, c, v)
			}
		}
		var c mat.Cholesky
		c.Factorize(cov)
		var solved mat.VecDense
		if err := c.SolveVecTo(&solved, mat.NewVecDense(6, y)); err != nil {
			t.Fatal(err)
		}
		want := -0.5*mat.Dot(mat.NewVecDense(6, y), &solved) - 0.5*c.LogDet()
		lp, err := p.LogProb(map[string]*content.Array{"length": {Values: numbers.Of(at[0])},
			"noise": {Values: numbers.Of(at[1])}})
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(lp.Likelihood-want) <= 1e-12*(1+math.Abs(want))) {
			t.Errorf("at %v: %.15g, by the dense matrix %.15g", at, lp.Likelihood, want)
		}
	}
}

// TestMatrixFuncs compares inverse, determinant and Cholesky factor of a 2×2 matrix with their formulas.
func TestMatrixFuncs(t *testing.T) {
	t.Parallel()
	lp, err := compilertest.Load(t, `
data M[2, 2] = [[4, 2], [2, 3]]
s ~ Normal(0, 1)
I = inverse_spd(M)
L = cholesky(M)
data y = 0
y ~ Density(s * 0 + I[1, 2] + 10 * log_determinant_spd(M) + 100 * L[2, 2])
`).LogProb(map[string]*content.Array{"s": {Values: numbers.Of(0.5)}})
	if err != nil {
		t.Fatal(err)
	}
	if want := -0.25 + 10*math.Log(8) + 100*math.Sqrt2; !(math.Abs(lp.Likelihood-want) <= 1e-12*want) {
		t.Errorf("%v, want %v", lp.Likelihood, want)
	}
}
