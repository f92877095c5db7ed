package analyze_test

import (
	"strings"
	"testing"

	"ppl/compiler/compilertest"
)

// Switching warns about exchangeable components for every form in which a discrete unknown may choose them. Each model
// without a warning differs from one with a warning by a statement that distinguishes the components.
func TestSwitching(t *testing.T) {
	const fair = "z[i in N] ~ Bernoulli(0.5)\n"
	const weighed = "p ~ Beta(2, 2)\nz[i in N] ~ Bernoulli(p)\n"
	const two = "m1, m2 ~ Normal(0, 5)\n"
	const m = "m[k in 1..2] ~ Normal(0, 5)\n"
	const three = "K = 3\nw[K] ~ Dirichlet(fill(1, K))\nz[i in N] ~ Categorical(w)\n"
	for name, c := range map[string]struct{ model, want string }{
		"a condition": {m + weighed + "y[i in N] ~ Normal(z[i] == 1 ? m[1] : m[2], 1)", "of `m` are"},
		"a condition between scalars": {two + weighed + "y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)",
			"of `m1`, `m2` are"},
		"the condition turned around": {two + fair + "y[i in N] ~ Normal(z[i] != 1 ? m1 : m2, 1)",
			"of `m1`, `m2` are"},
		"two conditions": {two + "s[k in 1..2] ~ HalfNormal(1)\n" + fair +
			"y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, z[i] == 1 ? s[1] : s[2])", "of `m1`, `m2`, `s` are"},
		"arithmetic": {two + fair + "y[i in N] ~ Normal(z[i]*m1 + (1 - z[i])*m2, 1)", "of `m1`, `m2` are"},
		"a difference by arithmetic": {two + fair + "y[i in N] ~ Normal(m1 + z[i]*(m2 - m1), 1)",
			"of `m1`, `m2` are"},
		"powers": {"r1, r2 ~ Gamma(2, 1)\n" + fair + "y[i in N] ~ Normal(r1^z[i] * r2^(1 - z[i]), 1)",
			"of `r1`, `r2` are"},
		"a definition": {two + fair + "mu[i in N] = z[i] == 1 ? m1 : m2\ny ~ Normal(mu, 1)", "of `m1`, `m2` are"},
		"lines": {"a1, a2, b1, b2 ~ Normal(0, 1)\n" + weighed +
			"y[i in N] ~ Normal(z[i] == 1 ? a1 + b1*x[i] : a2 + x[i]*b2, 1)", "of `a1`, `a2`, `b1`, `b2` are"},
		"a list of scalars": {two + "m = [m1, m2]\n" + weighed + "y[i in N] ~ Normal(m[z[i] + 1], 1)",
			"of `m1`, `m2` are"},
		"a function of components": {m + "e[k in 1..2] = exp(m[k])\n" + weighed +
			"y[i in N] ~ Normal(e[z[i] + 1], 1)", "of `m` are"},
		"effects of groups": {"a[J], b[J] ~ Normal(0, 1)\n" + fair +
			"y[i in N] ~ Normal(z[i] == 1 ? a[g[i]] : b[g[i]], 1)", "of `a`, `b` are"},
		"a subscript": {"m[k in 1..3] ~ Normal(0, 5)\n" +
			"" + three + "y[i in N] ~ Normal(m[z[i]], 1)", "the values of"},
		"two weights": {m + "p ~ Beta(2, 2)\nz[i in N] ~ Categorical([p, 1 - p])\n" +
			"y[i in N] ~ Normal(m[z[i]], 1)", "nothing distinguishes the values of"},
		"logits": {m + "l ~ Normal(0, 2)\nz[i in N] ~ Bernoulli(logits = l)\n" +
			"y[i in N] ~ Normal(m[z[i] + 1], 1)", "of `m`"},
		"softmax": {m + "e[k in 1..2] ~ Normal(0, 1)\nw = softmax(e)\n" +
			"z[i in N] ~ Categorical(w)\ny[i in N] ~ Normal(m[z[i]], 1)", "of `m`"},
		"a hierarchy": {"s ~ HalfNormal(1)\nu[k in 1..2] ~ HalfNormal(s)\n" +
			"m[k in 1..2] ~ Normal(0, u[k])\n" +
			"" + weighed + "y[i in N] ~ Normal(m[z[i] + 1], 1)", "of `m`"},
		"a common centre": {"c ~ Normal(0, 1)\nm[k in 1..2] ~ Normal(c, 1)\n" +
			"" + weighed + "y[i in N] ~ Normal(m[z[i] + 1], 1)", "of `m`"},
		"a symmetric use": {two + fair + "y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)\n" +
			"q ~ Normal(m1 + m2, 1)", "of `m1`, `m2` are"},
		"a sum of all": {m + fair + "y[i in N] ~ Normal(m[z[i] + 1], 1)\nq ~ Normal(sum(m), 1)", "of `m` are"},
		"a hidden chain": {"K = 2\nP[k in K] ~ Dirichlet(fill(1, K))\nm[K] ~ Normal(0, 5)\n" +
			"z[1] ~ Categorical(fill(0.5, K))\nz[i in 2..4] ~ Categorical(P[z[i-1]])\n" +
			"y[i in N] ~ Normal(m[z[i]], 1)", "of `m` are"},
		"two of three": {m + three + "y[i in N] ~ Normal(z[i] == 3 ? 0 : m[min(z[i], 2)], 1)", "values 1, 2 of"},
		"outliers aside": {two + three + "y[i in N] ~ Normal(z[i] == 1 ? m1 : (z[i] == 2 ? m2 : 0), 1)",
			"values 1, 2 of"},
		"three by condition": {two + "m3 ~ Normal(0, 5)\n" + three +
			"y[i in N] ~ Normal(z[i] == 1 ? m1 : (z[i] == 2 ? m2 : m3), 1)", "the values of"},

		"other priors": {"m1 ~ Normal(0, 5)\nm2 ~ Normal(1, 5)\n" +
			"" + fair + "y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)", ""},
		"other weights": {two + "z[i in N] ~ Bernoulli(0.3)\ny[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)", ""},
		"a prior of weights": {two + "p ~ Beta(2, 3)\nz[i in N] ~ Bernoulli(p)\n" +
			"y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)", ""},
		"weights are read": {two + weighed + "y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)\nq ~ Normal(p, 1)", ""},
		"one is read":      {two + fair + "y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)\nq ~ Normal(m1, 1)", ""},
		"a difference":     {"a, d ~ Normal(0, 1)\n" + fair + "y[i in N] ~ Normal(a + z[i]*d, 1)", ""},
		"another scale":    {two + fair + "y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, z[i] == 1 ? 1 : 2)", ""},
		"an order": {"m[k in 1..2] ~ Normal(0, 5) ordered\n" +
			"" + weighed + "y[i in N] ~ Normal(z[i] == 1 ? m[1] : m[2], 1)", ""},
		"one is positive": {"m1 ~ Normal(0, 5) in 0..inf\nm2 ~ Normal(0, 5)\n" +
			"" + fair + "y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)", ""},
		"a centre of each": {"c = [0, 1]\nm[k in 1..2] ~ Normal(c[k], 1)\n" +
			"" + weighed + "y[i in N] ~ Normal(m[z[i] + 1], 1)", ""},
		"pairs of scalars": {"a1, b1, a2, b2 ~ HalfNormal(1)\n" + fair +
			"y[i in N] ~ Normal(z[i] == 1 ? a1 : a2, z[i] == 1 ? b1 : b2)", "draw `a1` and `a2` as one array"},
		"different lines": {"a1, a2, b ~ Normal(0, 1)\n" +
			"" + weighed + "y[i in N] ~ Normal(z[i] == 1 ? a1 + b*x[i] : a2, 1)", ""},
		"a data column of each": {m + weighed + "y[i in N] ~ Normal(m[z[i] + 1], 1)\n" +
			"v[k in 1..2] ~ Normal(m[k], 1)", ""},
		"other concentrations": {"K = 2\nw[K] ~ Dirichlet([1, 2])\n" + m + "z[i in N] ~ Categorical(w)\n" +
			"y[i in N] ~ Normal(m[z[i]], 1)", ""},
		"labels that are observed but for some": {m + "K = 2\nw[K] ~ Dirichlet(fill(1, K))\n" +
			"data o[N]: index(1..2) missing 9 = [1, 2, 9, 1]\no[i in N] ~ Categorical(w)\n" +
			"y[i in N] ~ Normal(m[o[i]], 1)", ""},
		"no symmetric use": {two + fair + "y[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)\n" +
			"q ~ Normal(m1 + 2*m2, 1)", ""},
		"a weighed sum": {m + fair + "y[i in N] ~ Normal(m[z[i] + 1], 1)\nc = [1, 2]\n" +
			"q ~ Normal(sum(k in 1..2: c[k]*m[k]), 1)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			said := compilertest.Messages(t, "data y[N] = [1, 2, 3, 4], x[N] = [1, 0, 2, 1]\n"+
				"data g[N]: index(J) = [1, 2, 1, 2], J = 2, q = 0.5, v[V] = [1, 2]\n"+c.model+"\n")
			warned := strings.Contains(said, "W04")
			if strings.Contains(said, "error[") || warned != (c.want != "") || !strings.Contains(said, c.want) {
				t.Error(said)
			}
		})
	}
}

// Switching accepts a model with a negative size, which is rejected later, when sizes are resolved. The unknown has no
// values.
func TestSwitchingWithoutValues(t *testing.T) {
	compilertest.Messages(t, "data y[N] = [1, 2]\nK = -1e15\nm[k in K] ~ Normal(0, 5)\n"+
		"z[i in N] ~ Categorical(fill(1 / K, K))\ny[i in N] ~ Normal(m[z[i]], 1)\n")
}
