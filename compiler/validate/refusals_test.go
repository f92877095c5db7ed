package validate_test

import (
	"math"
	"slices"
	"testing"

	"ppl/compiler/compilertest"
)

// TestSupportsOfChains checks the error for chains whose support is not one finite set that is known before their
// values.
func TestSupportsOfChains(t *testing.T) {
	t.Parallel()
	const data = "data y[T] = [3.1, 8.2, 1.7]\nA = [[0.9, 0.1], [0.2, 0.8]]\ny[t in T] ~ Normal(z[t], 1)\n"
	for _, laws := range []string{
		"z[1] ~ Bernoulli(0.5)\nz[t in 2..T] ~ Categorical(z[t-1] == 1 ? [0.5, 0.5, 0] : [0.2, 0.2, 0.6])\n",
		"z[t in T] ~ Categorical(t > 1 ? A[z[t-1]] : [0.5, 0.5])\n",
	} {
		if got := compilertest.ErrorCodes(t, data+laws); !slices.Equal(got, []string{"E70"}) {
			t.Errorf("refused with %v, want E70:\n%s", got, laws)
		}
	}
}

// TestPiecesOfAChainInAnyOrder checks that the statements of a chain may be in any order.
func TestPiecesOfAChainInAnyOrder(t *testing.T) {
	t.Parallel()
	const data = "data y[T] = [3.1, 8.2, 1.7]\nA = [[0.9, 0.1], [0.2, 0.8]]\ny[t in T] ~ Normal(z[t], 1)\n"
	const first, next = "z[1] ~ Categorical([0.5, 0.5])\n", "z[t in 2..T] ~ Categorical(A[z[t-1]])\n"
	var densities [2]float64
	for i, text := range []string{data + first + next, data + next + first} {
		lp, err := compilertest.Load(t, text).LogProb(nil)
		if err != nil {
			t.Fatal(err)
		}
		densities[i] = lp.Likelihood
	}
	if !compilertest.Near(densities[0], densities[1], 1e-13) {
		t.Errorf("log likelihoods %v", densities)
	}
}

// TestRefusals checks that mistakes that are found only when sizes are known are reported as errors of the model, not
// as internal errors.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ code, text string }{
		{"E45", "data y = 1\nK = 0\np[K] ~ Dirichlet(fill(1, K))\ny ~ Normal(sum(p), 1)\n"},
		{"E45", "data y = 1\nK = -1\np[K] ~ Dirichlet(fill(1, K))\ny ~ Normal(sum(p), 1)\n"},
		{"E45", "data y = 1, K = 0\nc[K] ~ Normal(0, 1) ordered\ny ~ Normal(sum(c), 1)\n"},
		{"E45", "data y = 1\nK = 0\nc[K] ~ Normal(0, 1) zerosum\ny ~ Normal(sum(c), 1)\n"},
		{"E45", "data y = 1\nK = 0\nc[K, K] ~ LKJ(2)\ny ~ Normal(sum(c), 1)\n"},
		{"E45", "data y = 1\nK = -1\nc[K, K] ~ LKJCholesky(2)\ny ~ Normal(sum(c), 1)\n"},
		{"E44", "data y[T] = [1, 2]\na ~ Normal(0, 1)\nsigma[1] = 1\nsigma[t in 2..T] = 0.5 * sigma[t-0.5] + exp(a)\n" +
			"y[t in T] ~ Normal(0, sigma[t])\n"},
		{"E70",
			"data y[T] = [1, 2]\nz[1] ~ Bernoulli(0.5)\nz[t in 2..T] ~ Density(-z[t]^2)\n" +
				"y[t in T] ~ Normal(z[t], 1)\n"},
		{"E42", "data y[N] = [1, 2]\na[N] ~ Normal(1/0, 1)\na ~ Normal(a[1], 1)\ny ~ Normal(a, 1)\n"},
		{"E44", "data y[N] = [1, 2]\nT = 1.5\nh[t in 1..T] ~ Normal(0, 1)\ny[t in 1..T] ~ Normal(h[t], 1)\n"},
		{"E44", "data y = 1\nx[1..2.9] ~ Normal(0, 1)\ny ~ Normal(x[1] + x[2], 1)\n"},
		{"E44", "data y = 1\nK = 0/0\nx[K] ~ Normal(0, 1)\ny ~ Normal(sum(x), 1)\n"},
		{"E44", "data x[T] = [1, 2, 3], y[T] = [1, 2, 3]\na ~ Normal(0, 1)\ny[t in 2..1e-308] ~ Normal(x[t] + a, 1)\n"},
		{"E89", "data y = 1\nx[1..1e18] ~ Normal(0, 1)\ny ~ Normal(x[1], 1)\n"},
		{"E89", "data y = 1\nK = inf\nx[K] ~ Normal(0, 1)\ny ~ Normal(sum(x), 1)\n"},
		{"E89", "data y = 1\na ~ Normal(0, 1)\ns = sum(i in 1..100000, j in 1..100000: i*j)\ny ~ Normal(a + s, 1)\n"},
		{"E89", "data y = 1\nx[1..2000000000] ~ Normal(0, 1)\ny ~ Normal(x[1], 1)\n"},
		{"E40", "data y[N] = [1, 2]\ny ~ MvNormal([1, 2, 3], [[1, 0], [0, 1]])\n"},
		{"E40", "data y[N] = [1, 2]\ns[1] ~ HalfNormal(1)\nC[1..2, 1..2] ~ LKJ(2)\ny ~ MvNormal(0, sd = s, " +
			"corr = C)\n"},
		{"E40", "data g[N]: index(J) = [1, 2], y[N] = [0, 1], J = 2\ns[1] ~ HalfNormal(1)\nC[1..2, 1..2] ~ LKJ(2)\n" +
			"b[j in J, 1..2] ~ MvNormal(fill(0, 2), sd = s, corr = C) noncentered\ny[i in N] ~ " +
			"Normal(b[g[i], 1], 1)\n"},
		{"E18", "data p[N] = [0, 1, 3], y[N] = [1, 2, 3]\ns[1] = 1\ns[n in 2..N] = s[p[n]] / 2\ny[n in N] ~ " +
			"Normal(s[n], 1)\n"},
		{"E45", "data p[N] = [0, 1, 4], y[N] = [1, 2, 3]\ns[1] = 1\ns[n in 2..N] = s[p[n]] / 2\ny[n in N] ~ " +
			"Normal(s[n], 1)\n"},
		{"E45", "data y[N] = [1, 2]\na ~ Normal(0, 1)\ny ~ Normal(a, 1)\ngenerate v[i in N] ~ Normal(y[i+1], 1)\n"},
		{"E45", "data y[N] = [1, 2]\na ~ Normal(0, 1)\ny ~ Normal(a, 1)\ngenerate v ~ Normal(0, 1)\ngenerate w[i in " +
			"N] = v + y[i+1]\n"},
		{"E45", "data y[N] = [1, 2]\na ~ Normal(0, 1)\ny ~ Normal(a, 1)\ngenerate v[1] ~ Normal(0, 1)\ngenerate v[i " +
			"in 2..N] ~ Normal(v[i-1] + y[i+1], 1)\n"},
		{"E16", "data y[N] = [1, 2], p[N] = [1, 0]\na ~ Normal(0, 1)\ny ~ Normal(a, 1)\ngenerate v[2] ~ Normal(0, " +
			"1)\ngenerate v[i in 1..1] ~ Normal(v[p[i]], 1)\n"},
		{"E45", "data x[T] = [0, 1, 2], y[T] = [1, 2, 3]\ns ~ HalfNormal(1)\nh[1] ~ Normal(0, 1)\nh[t in 2..T] ~ " +
			"Normal(0, exp(h[t-t]))\n" +
			"y ~ MvNormal(h, rbf(x, s, 1) + diagonal(0.1, T))\n"},
		{"E91", "data y[N] = [1, 0.5]\nu'(t) = -u(0.5)\nu(0) = 1\ny[i in N] ~ Normal(u(i), 1)\n"},
		{"E91", "data y[N] = [1, 0.5]\nm = v(1)\nu'(t) = -m\nv'(t) = u(t)\nu(0) = 1\nv(0) = 1\ny[i in N] ~ " +
			"Normal(u(i), 1)\n"},
		{"E90", "data y[N] = [1, 0.5]\nu'(t) = -v(t)\nv'(t) = u(t)\nu(0) = 1\nv() = 1\ny[i in N] ~ Normal(u(i), 1)\n"},
		{"E48", "data y[N] = [1, x], x = 2\nmu ~ Normal(0, 1)\ny ~ Normal(mu, 1)\n"},
		{"E48", "data y[N] = [1, 2], k = m\nm = mean(y)\ny ~ Normal(k, 1)\n"},
		{"E63", "data y[N] = [1, 2]\nC[1..2, N] ~ LKJ(2)\ny ~ Normal(C[1, 2], 1)\n"},
		{"E13", "data y[T] = [1, 2, 3]\ns[(1 + 1)] = 1\ns[t in 2..T] = s[t-1] / 2\ny[t in T] ~ Normal(s[t], 1)\n"},
		{"E42", "data y[T] = [1, 2, 3], K = 2\nh[1] ~ Normal(0, 1)\nh[K, 3..T] ~ Normal(0, 1)\ny[t in T] ~ " +
			"Normal(h[t], 1)\n"},
		{"E12", "data s[N] missing -1 = [1, 0, -1, 1], y[N] = [1, 2, 3, 4]\ns[i in 2] ~ Bernoulli(0.3)\ny[i in N] ~ " +
			"Normal(s[i], 1)\n"},
		{"E57", "data n[N] = [10, 5], y[N] = [3, 6]\np ~ Beta(1, 1)\ny[i in N] ~ Binomial(n[i], p)\n"},
		{"E57", "data n[N] = [10, 5], y[N] = [3, 6]\np ~ Beta(1, 1)\ny[1] ~ Binomial(n[1], p)\ny[i in 2..N] ~ " +
			"Binomial(n[i], p)\n"},
		{"E51", "data s[N] = [1, 0], y[N] = [3, 6]\nmu ~ Normal(0, 1)\ny ~ Normal(mu, s)\n"},
		{"E52", "data s[N] = [1, 0, 2]\nw[N] ~ Dirichlet(s)\n"},
		{"E53", "data y[N]: index(3) = [1, 2]\na, b, c ~ Beta(1, 1)\ny ~ Categorical([a, b, c])\n"},
		{"E53", "data y[N]: index(3) = [1, 2]\ny ~ Categorical([0.3, 0.3, 0.3])\n"},
		{"E54", "data y[N] = [1, 2]\ny ~ MvNormal(0, [[1, 2], [2, 1]])\n"},
		{"E54", "data y[N] = [1, 2]\ns ~ HalfNormal(1)\ny ~ MvNormal(0, sd = s, corr = [[1, s], [s, 2]])\n"},
		{"E54", "data y[N] = [1, 2]\ns ~ HalfNormal(1)\ny ~ MvNormal(0, [[1, s], [s^2, 2]])\n"},
		{"E71", "data y[J, T] = [[1, 0, 2], [0.5, 1, 0]]\nx[j in J] ~ Bernoulli(0.3)\nw[t in T] ~ " +
			"Bernoulli(0.6)\ny[j in J, t in T] ~ Normal(x[j] + w[t], 1)\n"},
		{"E71", "data y[J, T] = [[1, 0], [0.5, 1]]\nx[j in J] ~ Bernoulli(0.3)\nw[1] ~ Bernoulli(0.6)\nw[2] ~ " +
			"Bernoulli(w[1] / 2)\ny[j in J, t in T] ~ Normal(x[j] + w[t], 1)\n"},
		{"E61", "data y[N] = [1, 2]\nz[i in N] ~ Bernoulli(0.5)\nx[i in N] ~ Normal(z[i], 1) noncentered\ny[i in N] " +
			"~ Normal(x[i], 1)\n"},
		{"E99", "data y[T] = [1, 2]\ns ~ HalfNormal(1)\nh[1] = s\nh[t in 2..T] = quantile(Gamma(h[t-1], 1), " +
			"0.4)\ny[t in T] ~ Normal(h[t], 1)\n"},
		{"E99", "data y[T] = [1, 2]\ns ~ HalfNormal(1)\nu(0) = s\nu'(t) = quantile(Gamma(u(t), 1), 0.4)\ny[t in T] ~ " +
			"Normal(u(t), 1)\n"},
	} {
		if got := compilertest.ErrorCodes(t, c.text); !slices.Contains(got, c.code) {
			t.Errorf("refused with %v, want %s:\n%s", got, c.code, c.text)
		}
	}
}

// TestQuantilesBesideThePast checks that an expression that does not read the past is allowed in a recurrence or a
// differential equation, however it is computed.
func TestQuantilesBesideThePast(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"data y[T] = [1, 2, 4], p[T] = [0.1, 0.5, 0.6]\ns ~ HalfNormal(1)\nh[1] = s\nh[t in 2..T] = h[t-1] + " +
			"quantile(Gamma(s, 1), p[t])\ny[t in T] ~ Normal(h[t], 1)\n",
		"data y[T] = [1, 2]\ns ~ HalfNormal(1)\nu(0) = s\nu'(t) = quantile(Gamma(s, 1), 0.4) - u(t)\ny[t in T] ~ " +
			"Normal(u(t), 1)\n",
	} {
		if got := compilertest.ErrorCodes(t, text); len(got) > 0 {
			t.Errorf("refused with %v:\n%s", got, text)
		}
	}
}

// TestStartBelowALatent checks that a parameter whose distribution reads a discrete unknown has a starting point.
func TestStartBelowALatent(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t,
		"data y[N] = [1, 2]\nz[i in N] ~ Bernoulli(0.5)\nx[i in N] ~ Normal(3 * z[i], 1)\ny[i in N] ~ "+
			"Normal(x[i], 1)\n")
	at := p.Start(1, 0)
	if len(at) != 2 || at[0] == at[1] {
		t.Errorf("begins at %v", at)
	}
}

// TestNoFalseAlarms checks that valid data cause no errors: arguments that a guard excludes, matrices that are
// symmetric by their values, and simplices that are not drawn from a Dirichlet.
func TestNoFalseAlarms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"data s[N, M] = [[1, 0], [2, 3]], y[N, M] = [[1, 2], [3, 4]], last[N] = [1, 2]\nmu ~ Normal(0, 1)\ny[i in N, " +
			"j in 1..last[i]] ~ Normal(mu, s[i, j])\n",
		"data y[N] = [1, 2], s[N] = [0, 3]\nmu ~ Normal(0, 1)\ny[i in N] ~ Normal(mu, i > 1 ? s[i] : 1)\n",
		"data y[N] missing -9 = [-9, 2], s[N] = [0, 3]\nmu ~ Normal(0, 1)\ny[i in N] ~ Normal(mu, s[i])\n",
		"data x[N] = [1, 2, 4], y[N] = [1, 2, 3]\nr, a ~ HalfNormal(1)\ny ~ MvNormal(0, [i in N, j in N: a * exp(-r " +
			"* (x[i] - x[j])^2) + (i == j ? 1 : 0)])\n",
		"data y[N]: index(3) = [1, 2, 3]\np ~ Uniform(0, 1)\ny ~ Categorical([p / 2, 1 - p, p / 2])\n",
		"data y[N]: index(3) = [1, 2, 3]\nb[1..3] ~ Normal(0, 9)\nw = exp(b)\ny ~ Categorical(w / sum(w))\n",
		"data y[N] = [0, 2], n[N] = [0, 5]\np ~ Beta(1, 1)\ny[i in N] ~ Binomial(n[i], p)\n",
	} {
		compilertest.Load(t, text)
	}
}

// TestTruncationOutside checks that a truncated distribution has density 0 outside its bounds, also if these are
// parameters, and in the sum over a discrete unknown whose bounds differ between rows. The numbers are those of the
// formulas (checked with Python's math.erf and math.comb).
func TestTruncationOutside(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, "data y[N] = [0.5, 5]\nb ~ HalfNormal(1)\ny[i in N] ~ Normal(0, 1) in 0..b\n")
	if lp := compilertest.LikelihoodAt(t, p, map[string]float64{"b": 1}); !math.IsInf(lp, -1) {
		t.Errorf("a value above the upper end: log likelihood %g", lp)
	}
	if lp := compilertest.LikelihoodAt(t, p, map[string]float64{"b": 6}); !compilertest.Near(lp, -13.076582701343103,
		1e-12) {
		t.Errorf("values between the ends: log likelihood %.12g", lp)
	}
	p = compilertest.Load(t,
		"data k[N] = [1, 2]\nn[i in N] ~ Poisson(2) in k[i]..3\np ~ Beta(1, 1)\nk[i in N] ~ Binomial(3, "+
			"n[i] / 4 * p)\n")
	if lp := compilertest.LikelihoodAt(t, p, map[string]float64{"p": 0.5}); !compilertest.Near(lp, -2.640431946453579,
		1e-12) {
		t.Errorf("a latent from k[i] on: log likelihood %.12g", lp)
	}
}
