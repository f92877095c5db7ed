package validate_test

import (
	"strings"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// TestObservedVectorsAndMatrices checks that impossible observed vectors, matrices and graphs are errors with position
// and reason, and that valid ones are not.
func TestObservedVectorsAndMatrices(t *testing.T) {
	t.Parallel()
	const dirichlet, wishart = "a[K] ~ HalfNormal(5)\np[i in N] ~ Dirichlet(a)\n", "n = 5\ns ~ HalfNormal(1)\n" +
		"S = [[s, 0], [0, s]]\nW ~ Wishart(n, S)\n"
	const multinomial = "p[K] ~ Dirichlet(fill(1, K))\nc ~ Multinomial(J, p)\n"
	const direction = "u[i in N] ~ UniformDirection()\n"
	const factors = "e ~ HalfNormal(1)\nL[i in N] ~ LKJCholesky(e)\n"
	const icar, observed = "J = 3\nf[J] ~ ICAR(a, b)\n", "y[J] ~ Normal(f, 1)\ndata y[J] = [1, 2, 3]\n"
	const car = "f[J] ~ CAR(fill(0, J), 0.5, 1, W)\n"
	for _, c := range []struct{ model, says string }{
		{"data p[N, K] = [[0.2, 0.3, 0.5], [0.2, 0.3, 0.3]]\n" + dirichlet, "`p` in row 2 sums to 0.8, not to 1"},
		{"data p[N, K] = [[1.2, -0.2], [0.5, 0.5]]\n" + dirichlet, "`p` in row 1 has 1.2 as element 1"},
		{"data p[N, K] = [[0.33, 0.33, 0.33], [0.2, 0.3, 0.5]]\n" + dirichlet, ""}, // rounded
		{"data W[K, K] = [[2, 0.5], [0.1, 3]]\n" + wishart, "not symmetric: element [2, 1] is 0.1, but [1, 2] is 0.5"},
		{"data W[K, K] = [[2, 3], [3, 3]]\n" + wishart, "`W` is not positive definite"},
		{"data W[K, K] = [[2, 0.5], [0.5, 3]]\n" + wishart, ""},
		{"data C[K, K] = [[2, 0.5], [0.5, 3]]\ne ~ HalfNormal(1)\nC ~ LKJ(e)\n", "correlations have 1 there"},
		{"data c[K] = [2, -1, 3], J = 4\n" + multinomial, "has -1 as element 2, which is not a count"},
		{"data c[K] = [2, 1, 2], J = 6\n" + multinomial, "sums to 5, but the total in its distribution is 6"},
		{"data c[K] = [2, 1, 2], J = 5\n" + multinomial, ""},
		{"data a[E] = [1, 2, 2], b[E] = [2, 3, 1]\n" + icar + observed,
			"warning[W29]: 1 of 3 edges join elements that an earlier edge joins, and have no effect: " +
				"edge 3, from 2 to 1, joins the same elements as edge 1"},
		{"data a[E] = [1, 2, 2, 3], b[E] = [2, 3, 1, 2]\n" + icar + observed,
			"note[W29]: half of the edges repeat a pair"},
		{"data a[E] = [1, 2, 2], b[E] = [2, 3, 2]\n" + icar + observed, "edge 3 goes from element 2 to itself"},
		{"data a[E] = [1], b[E] = [2]\n" + icar + observed, "element 3 of `f` has no neighbour"},
		{"data a[E] = [1, 2], b[E] = [2, 3]\n" + icar + observed, ""},
		{"data W[J, J] = [[0, 1, 0], [1, 0, 2], [0, 1, 0]]\n" + car + observed,
			"not symmetric: [2, 3] is 2, but [3, 2]"},
		{"data W[J, J] = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]\n" + car + observed, "write `W + transpose(W)`"},
		{"data W[J, J] = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]\n" +
			"f[J] ~ CAR(fill(0, J), 0.5, 1, W + transpose(W))\n" + observed, ""},
		{"data W[J, J] = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]\n" + car + observed, "element 3 of `CAR` has no neighbour"},
		{"data W[J, J] = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]\n" + car + observed,
			"element 2 of `CAR` is its own neighbour"},
		{"data u[N, K] = [[0.6, 0.8], [3, 4]]\n" + direction, "`u` in row 2 has length 5, not 1"},
		{"data u[N, K] = [[0.6, 0.8], [0, 0]]\n" + direction, "`u` in row 2 has length 0, not 1"},
		{"data u[N, K] = [[0.6, 0.8], [-0.71, 0.71]]\n" + direction, ""}, // rounded
		{"data u[K] = [1, 2, 2]\nu ~ UniformDirection()\n", "`u` has length 3, not 1"},
		{"data L[N, K, K] = [[[1, 0], [0.6, 0.8]], [[1, 0.6], [0, 0.8]]]\n" + factors,
			"`L` in row 2 has 0.6 as element [1, 2], above the diagonal"},
		{"data L[N, K, K] = [[[1, 0], [0.6, 0.5]], [[1, 0], [0.6, 0.8]]]\n" + factors,
			"`L` in row 1 has length 0.781 in row 2, and the factor of correlations has 1"},
		{"data L[N, K, K] = [[[1, 0], [0.6, -0.8]], [[1, 0], [0.6, 0.8]]]\n" + factors, "has -0.8 on the diagonal"},
		{"data L[N, K, K] = [[[1, 0], [0.6, 0.8]], [[1, 0], [-0.28, 0.96]]]\n" + factors, ""},
		{"data L[K, K] = [[2, 1], [0, 3]]\nn ~ LogNormal(2, 1)\nL ~ WishartCholesky(n, [[1, 0], [0, 1]])\n",
			"above the diagonal"},
	} {
		got := compilertest.Messages(t, c.model)
		for _, word := range []string{"E57", "W29", "no neighbour"} {
			if c.says == "" && strings.Contains(got, word) || c.says != "" && !strings.Contains(got, c.says) {
				t.Errorf("%s: %q, want %q", c.model, got, c.says)
				break
			}
		}
	}
}

// TestFactorsAsArguments checks that Cholesky factors that are arguments must be lower triangular, because elements
// above the diagonal would not be read.
func TestFactorsAsArguments(t *testing.T) {
	t.Parallel()
	const data = "data y[K] = [1, 2], L[K, K] = "
	const mean, normal = "m ~ Normal(0, 1)\n", "y ~ MvNormal(fill(m, K), chol = "
	for _, c := range []struct{ model, says string }{
		{data + "[[1, 0.6], [0, 0.8]]\n" + mean + normal + "L)\n", "write `chol = transpose(L)`"},
		{data + "[[1, 0.6], [0, 0.8]]\n" + mean + normal + "transpose(L))\n", ""},
		{data + "[[2, 0.6], [0.6, 3]]\n" + mean + normal + "L)\n", "write `chol = cholesky(L)`"},
		{data + "[[2, 0.6], [0.6, 3]]\n" + mean + normal + "cholesky(L))\n", ""},
		{data + "[[1, 0], [0.5, -2]]\n" + mean + normal + "L)\n", "element [2, 2] of `L` is -2"},
		{data + "[[1, 0.1], [0.5, 2]]\n" + mean + "y ~ MvStudentT(4, fill(m, K), chol = L)\n",
			"element [1, 2] of `L` is 0.1"},
		{"data y[K] = [1, 2]\nC[K, K] ~ LKJ(2)\ny ~ MvNormal(fill(0, K), chol = C)\n", "must be lower triangular"},
		{"data y[K] = [1, 2]\nL[K, K] ~ LKJCholesky(2)\ny ~ MvNormal(fill(0, K), chol = L)\n", ""},
		{"data y[K] = [1, 2]\nt[K] ~ HalfNormal(1)\nL[K, K] ~ LKJCholesky(2)\nT = [i in K, j in K: t[i] * L[i, j]]\n" +
			"y ~ MvNormal(fill(0, K), chol = T)\n", ""},
		{"data y[I, K] = [[1, 2], [0, 1]], R[I, I] = [[1, 0.5], [0, 1]], S[K, K] = [[1, 0], [0, 1]]\n" +
			"m ~ Normal(0, 1)\ny ~ MatrixNormal(fill(m, I, K), row_chol = R, col_chol = S)\n",
			"`row_chol` of `MatrixNormal` must be lower triangular"},
	} {
		got := compilertest.Messages(t, c.model)
		if c.says == "" && strings.Contains(got, "error") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", c.model, got, c.says)
		}
	}
}

// TestEdgesCountOnce checks that an edge is counted once, however often and in whatever order and direction it is
// listed.
func TestEdgesCountOnce(t *testing.T) {
	t.Parallel()
	const want = -0.5 * (1.5*1.5 + 3.2*3.2)
	for _, edges := range []string{
		"a[E] = [1, 2], b[E] = [2, 3]", "a[E] = [3, 2], b[E] = [2, 1]",
		"a[E] = [1, 2, 2, 3], b[E] = [2, 3, 1, 2]", "a[E] = [2, 3, 1, 2], b[E] = [1, 2, 2, 3]",
		"a[E] = [1, 1, 2, 1], b[E] = [2, 2, 3, 2]",
	} {
		p := compilertest.Load(t, "data "+edges+", y[J] = [1, 2, 3]\nf[J] ~ ICAR(a, b)\ny[J] ~ Normal(f, 1)\n")
		lp, err := p.LogProb(map[string]*content.Array{"f": {Shape: []int{3}, Values: numbers.Of(0.3, -1.2, 2)}})
		if err != nil {
			t.Fatal(err)
		}
		if !compilertest.Near(lp.Prior, want, 1e-13) {
			t.Errorf("%s: log prior %.15g, want %.15g", edges, lp.Prior, want)
		}
	}
}
