package check_test

import (
	"testing"

	"ppl/compiler/compilertest"
)

// A modifier on a use of a template has the same effect as a modifier on the distribution in the template.
func TestModifiersOnTemplates(t *testing.T) {
	t.Parallel()
	const head = "data y[N] = [0.4, 1.2, 2, 0.7], cap[N] = [1, 2, 2, 3], g[N] = [1, 2, 3, 1]\nWide(m, s) ~ " +
		"StudentT(4, m, s)\nWider(m) ~ Wide(m, 2)\n" +
		"Shrunk(t) ~ {\n    l ~ HalfNormal(1)\n    b ~ Normal(0, t * l)\n    return b\n}\nLate(m) ~ {\n    r ~ " +
		"HalfNormal(1)\n    k ~ Gamma(2, r + m)\n    return k\n}\n" +
		"Later(m) ~ {\n    k ~ Late(m)\n    return k\n}\n"
	for _, c := range []struct{ name, with, without string }{
		{"truncation", "mu ~ Wide(0, 1) in 0..inf\ny ~ Normal(mu, 1)\n",
			"mu ~ StudentT(4, 0, 1) in 0..inf\ny ~ Normal(mu, 1)\n"},
		{"through two names", "mu ~ Wider(0) in 0..3\ny ~ Normal(mu, 1)\n",
			"mu ~ StudentT(4, 0, 2) in 0..3\ny ~ Normal(mu, 1)\n"},
		{"an end for each element", "mu ~ Normal(0, 1)\ny[i in N] ~ Wider(mu) in -1..cap[i]\n",
			"mu ~ Normal(0, 1)\ny[i in N] ~ StudentT(4, mu, 2) in -1..cap[i]\n"},
		{"an end for each element, without an index", "mu ~ Normal(0, 1)\ny ~ Wider(mu) in -1..cap\n",
			"mu ~ Normal(0, 1)\ny ~ StudentT(4, mu, 2) in -1..cap\n"},
		{"censoring", "mu ~ Normal(0, 1)\ny[i in N] ~ Wider(mu) censored 0..cap[i]\n",
			"mu ~ Normal(0, 1)\ny[i in N] ~ StudentT(4, mu, 2) censored 0..cap[i]\n"},
		{"order", "mu[1..3] ~ Wide(0, 1) ordered\ny[i in N] ~ Normal(mu[g[i]], 1)\n",
			"mu[1..3] ~ StudentT(4, 0, 1) ordered\ny[i in N] ~ Normal(mu[g[i]], 1)\n"},
		{"order within ends", "mu[1..3] ~ Wide(0, 1) in 0..inf ordered\ny[i in N] ~ Normal(mu[g[i]], 1)\n",
			"mu[1..3] ~ StudentT(4, 0, 1) in 0..inf ordered\ny[i in N] ~ Normal(mu[g[i]], 1)\n"},
		{"coordinates", "mu[1..3] ~ Wide(1, 3) noncentered\ny[i in N] ~ Normal(mu[g[i]], 1)\n",
			"mu[1..3] ~ StudentT(4, 1, 3) noncentered\ny[i in N] ~ Normal(mu[g[i]], 1)\n"},
		{"what a block returns", "mu[j in 1..3] ~ Shrunk(2) noncentered\ny[i in N] ~ Normal(mu[g[i]], 1)\n",
			"l[j in 1..3] ~ HalfNormal(1)\nmu[j in 1..3] ~ Normal(0, 2 * l[j]) noncentered\ny[i in N] ~ " +
				"Normal(mu[g[i]], 1)\n"},
		{"what a block returns, between ends of the use",
			"mu[j in 1..3] ~ Shrunk(2) in 0..j\ny[i in N] ~ Normal(mu[g[i]], 1)\n",
			"l[j in 1..3] ~ HalfNormal(1)\nmu[j in 1..3] ~ Normal(0, 2 * l[j]) in 0..j\ny[i in N] ~ " +
				"Normal(mu[g[i]], 1)\n"},
		{"observed in a block", "y[i in N] ~ Late(0.5) censored 0..cap[i]\n",
			"r[i in N] ~ HalfNormal(1)\ny[i in N] ~ Gamma(2, r[i] + 0.5) censored 0..cap[i]\n"},
		{"observed in a block of a block", "y[i in N] ~ Later(0.5) in 0..4\n",
			"r[i in N] ~ HalfNormal(1)\ny[i in N] ~ Gamma(2, r[i] + 0.5) in 0..4\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, q := compilertest.Load(t, head+c.with), compilertest.Load(t, head+c.without)
			if p.Dim() != q.Dim() {
				t.Fatalf("%d coordinates, want %d", p.Dim(), q.Dim())
			}
			at := make([]float64, p.Dim())
			for k := range at {
				at[k] = 0.3 - 0.2*float64(k)
			}
			prior, lik, slope := compilertest.Density(p, at)
			wantPrior, wantLik, wantSlope := compilertest.Density(q, at)
			got, want := append(slope, prior, lik), append(wantSlope, wantPrior, wantLik)
			if !compilertest.AllNear(got, want, 1e-13) {
				t.Errorf("gradient and density %v, want %v", got, want)
			}
		})
	}
}
