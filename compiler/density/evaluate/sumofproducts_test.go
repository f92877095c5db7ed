package evaluate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/compilertest"
)

// TestLargeSumOfProducts checks that a large sum of products over all indices that its factors share becomes a matrix
// product. Values and gradients must equal those of the same sum written in two parts, which is not a matrix product,
// also if one factor has an index over rows.
func TestLargeSumOfProducts(t *testing.T) {
	t.Parallel()
	const model = `x[i in 1..8, p in 1..12, c in 1..20] = sin(i * p + 3 * c)
data y[N] = [%s]
w[1..40, 1..12, 1..20] ~ Normal(0, 1)
f(n) = %s
y[n in N] ~ Normal(f(n), 1)
`
	values := "1, 2, 3, 4, 5, 6, 7, 8"
	for name, c := range map[string]struct {
		large, parts string
	}{
		"of parameters and data": {
			"sum(i in 1..8, k in 1..40: cos(k + i + n) * sum(p in 1..12, c in 1..20: w[k, p, c] * x[i, p, c]))",
			"sum(i in 1..8, k in 1..40: cos(k + i + n) * sum(p in 1..12: sum(c in 1..20: w[k, p, c] * x[i, p, c])))"},
		"over rows": {
			"sum(k in 1..40: cos(k + n) * sum(c in 1..20, p in 1..12: cos(w[k, p, c]) * x[1, p, c] * sin(n * p + c)))",
			"sum(k in 1..40: cos(k + n) * sum(p in 1..12: sum(c in 1..20: " +
				"cos(w[k, p, c]) * x[1, p, c] * sin(n * p + c))))"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, fmt.Sprintf(model, values, c.large))
			q := compilertest.Load(t, fmt.Sprintf(model, values, c.parts))
			theta := make([]float64, p.Dim())
			r := rand.New(rand.NewPCG(1, 2))
			for i := range theta {
				theta[i] = r.NormFloat64()
			}
			_, got, slope := compilertest.Density(p, theta)
			_, want, wantSlope := compilertest.Density(q, theta)
			if !compilertest.Near(got, want, 1e-12) || !compilertest.AllNear(slope, wantSlope, 1e-11) {
				t.Errorf("log ℓ is %v, want %v, or gradients differ", got, want)
			}
			if err := compilertest.SplitAgrees(p, r); err != nil {
				t.Error(err)
			}
			_, large := p.Density(autodiff.New().Input("theta", p.Dim()))
			_, parts := q.Density(autodiff.New().Input("theta", q.Dim()))
			if products(large) != 1 || products(parts) != 0 {
				t.Errorf("%d and %d products of matrices, want 1 and 0", products(large), products(parts))
			}
		})
	}
}

// products returns the number of matrix products on which a node depends.
func products(n autodiff.Node) (count int) {
	seen := map[autodiff.Node]bool{}
	var visit func(autodiff.Node)
	visit = func(n autodiff.Node) {
		if seen[n] {
			return
		}
		if seen[n] = true; n.Op().Kind == autodiff.OpMatMul {
			count++
		}
		for _, a := range n.Args() {
			visit(a)
		}
	}
	visit(n)
	return count
}
