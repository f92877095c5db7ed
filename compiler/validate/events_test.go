package validate_test

import (
	"strings"
	"testing"

	"ppl/compiler/compilertest"
)

// Observed vectors, matrices and graphs that cannot be are refused with the place and the reason; right ones are not.
func TestObservedVectorsAndMatrices(t *testing.T) {
	t.Parallel()
	const dirichlet, wishart = "a[K] ~ HalfNormal(5)\np[i in N] ~ Dirichlet(a)\n", "n = 5\ns ~ HalfNormal(1)\n" +
		"S = [[s, 0], [0, s]]\nW ~ Wishart(n, S)\n"
	const multinomial = "p[K] ~ Dirichlet(fill(1, K))\nc ~ Multinomial(J, p)\n"
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
		{"data c[K] = [2, 1, 2], J = 6\n" + multinomial, "sums to 5, and its distribution has the total 6"},
		{"data c[K] = [2, 1, 2], J = 5\n" + multinomial, ""},
		{"data a[E] = [1, 2, 2], b[E] = [2, 3, 1]\n" + icar + observed, "edge 3, from 2 to 1, is edge 1 again"},
		{"data a[E] = [1, 2, 2], b[E] = [2, 3, 2]\n" + icar + observed, "edge 3 goes from element 2 to itself"},
		{"data a[E] = [1], b[E] = [2]\n" + icar + observed, "element 3 of `f` has no neighbour"},
		{"data a[E] = [1, 2], b[E] = [2, 3]\n" + icar + observed, ""},
		{"data W[J, J] = [[0, 1, 0], [1, 0, 2], [0, 1, 0]]\n" + car + observed,
			"not symmetric: [2, 3] is 2, but [3, 2]"},
		{"data W[J, J] = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]\n" + car + observed, "element 3 of `CAR` has no neighbour"},
		{"data W[J, J] = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]\n" + car + observed,
			"element 2 of `CAR` is its own neighbour"},
		{"data a[N] = [20, 90]\nm ~ Normal(0, 1)\na ~ VonMises(m, 2)\n", "multiply degrees by pi / 180"},
	} {
		got := compilertest.Messages(t, c.model)
		for _, word := range []string{"E57", "no neighbour"} {
			if c.says == "" && strings.Contains(got, word) || c.says != "" && !strings.Contains(got, c.says) {
				t.Errorf("%s: %q, want %q", c.model, got, c.says)
				break
			}
		}
	}
}
