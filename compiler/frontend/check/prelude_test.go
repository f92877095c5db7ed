package check_test

import (
	"fmt"
	"math"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// TestPrelude checks library functions that are written in the language. The expected Matérn covariances are
// 2^(1-ν)/Γ(ν) (√(2ν) r/l)^ν K_ν(√(2ν) r/l) times scale², computed by mpmath with 30 digits (Rasmussen & Williams,
// Gaussian Processes for Machine Learning, equation 4.14). The periodic one is equation 4.31, also computed by mpmath.
// The other values were computed by hand.
func TestPrelude(t *testing.T) {
	t.Parallel()
	const text = `
data A[N, M] = [[1, 2, 3], [4, 5, 6]], B[P, Q] = [[1, 10], [100, 1000]], x[D] = [0, 0.5, 1.2], S[C, C] = [[3, 1], [2, 5]]
s ~ HalfNormal(1)
data y = 0
y ~ Density(s - s + %s)
`
	for _, c := range []struct {
		code string
		want float64
	}{
		{"kron(A, B)[3, 6]", 60}, {"kron(A, B)[2, 3]", 200}, {"sum(kron(A, B))", 21 * 1111}, {"kron(B, A)[3, 6]", 3000},
		{"trace(S)", 8}, {"norm(x)", 1.3}, {"distance(x, 3 * x)", 2.6},
		{"diag(x)[2, 2] + 10 * diag(x)[1, 2] + 100 * (diagonal(7, D)[2, 2] - 7)", 0.5}, {"transpose(A)[3, 1]", 3},
		{"dot(x, x)", 1.69},
		{"determinant(S)", 13}, {"inverse(S)[1, 2]", -1. / 13}, {"log_determinant(S)", math.Log(13)},
		{"matrix_exp(S - S)[1, 1]", 1},
		{"rbf(x, s, 0.7)[1, 2]", 0.64 * math.Exp(-0.25/0.98)},
		{"matern12(x, s, 0.7)[1, 2]", 0.31330666211645}, {"matern32(x, s, 0.7)[2, 3]", 0.3093489437417649},
		{"matern32(x, s, 0.7)[1, 3]", 0.13042656272426752}, {"matern52(x, s, 0.7)[1, 2]", 0.4467214498335013},
		{"matern52(x, s, 0.7)[3, 3]", 0.64}, {"periodic(x, s, 0.7, 2)[1, 2]", 0.08315046931523807},
		{"periodic(x, s, 0.7, 2)[3, 1]", 0.015952200135725502},
	} {
		lp, err := compilertest.Load(t, fmt.Sprintf(text,
			c.code)).LogProb(map[string]*content.Array{"s": {Values: numbers.Of(0.8)}})
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(lp.Likelihood-c.want) <= 1e-13*(1+math.Abs(c.want))) {
			t.Errorf("%s = %.17g, want %.17g", c.code, lp.Likelihood, c.want)
		}
	}
}
