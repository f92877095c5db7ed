package compiler

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/lang/diag"
)

// refusal loads a model that should be refused, and gives the codes it was refused with.
func refusal(t *testing.T, text string) (codes []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.ppl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, ds := Load(path, nil)
	for _, d := range ds {
		if d.Severity == diag.Error {
			codes = append(codes, d.Code)
		}
	}
	return codes
}

// Chains whose support is not one finite set that is known before their values.
func TestSupportsOfChains(t *testing.T) {
	const data = "data y[T] = [3.1, 8.2, 1.7]\nA = [[0.9, 0.1], [0.2, 0.8]]\ny[t in T] ~ Normal(z[t], 1)\n"
	for _, laws := range []string{
		"z[1] ~ Bernoulli(0.5)\nz[t in 2..T] ~ Categorical(z[t-1] == 1 ? [0.5, 0.5, 0] : [0.2, 0.2, 0.6])\n",
		"z[t in T] ~ Categorical(t > 1 ? A[z[t-1]] : [0.5, 0.5])\n",
	} {
		if got := refusal(t, data+laws); !slices.Equal(got, []string{"E70"}) {
			t.Errorf("refused with %v, want E70:\n%s", got, laws)
		}
	}
}

// Pieces of a chain may stand in any order.
func TestPiecesOfAChainInAnyOrder(t *testing.T) {
	const data = "data y[T] = [3.1, 8.2, 1.7]\nA = [[0.9, 0.1], [0.2, 0.8]]\ny[t in T] ~ Normal(z[t], 1)\n"
	const first, next = "z[1] ~ Categorical([0.5, 0.5])\n", "z[t in 2..T] ~ Categorical(A[z[t-1]])\n"
	var densities [2]float64
	for i, text := range []string{data + first + next, data + next + first} {
		lp, err := load(t, text).LogProb(nil)
		if err != nil {
			t.Fatal(err)
		}
		densities[i] = lp.Likelihood
	}
	if !near(densities[0], densities[1], 1e-13) {
		t.Errorf("log likelihoods %v", densities)
	}
}

// Mistakes that cannot be seen, or are not seen, before sizes are known are told, and never become internal errors.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ code, text string }{
		{"E40", "data y[N] = [1, 2]\ny ~ MvNormal([1, 2, 3], [[1, 0], [0, 1]])\n"},
		{"E40", "data y[N] = [1, 2]\ns[1] ~ HalfNormal(1)\nC[1..2, 1..2] ~ LKJ(2)\ny ~ MvNormal(0, sd = s, corr = C)\n"},
		{"E40", "data g[N]: index(J) = [1, 2], y[N] = [0, 1], J = 2\ns[1] ~ HalfNormal(1)\nC[1..2, 1..2] ~ LKJ(2)\n" +
			"b[j in J, 1..2] ~ MvNormal(fill(0, 2), sd = s, corr = C) noncentered\ny[i in N] ~ Normal(b[g[i], 1], 1)\n"},
		{"E91", "data y[N] = [1, 0.5]\nu'(t) = -u(0.5)\nu(0) = 1\ny[i in N] ~ Normal(u(i), 1)\n"},
		{"E91", "data y[N] = [1, 0.5]\nm = v(1)\nu'(t) = -m\nv'(t) = u(t)\nu(0) = 1\nv(0) = 1\ny[i in N] ~ Normal(u(i), 1)\n"},
		{"E90", "data y[N] = [1, 0.5]\nu'(t) = -v(t)\nv'(t) = u(t)\nu(0) = 1\nv() = 1\ny[i in N] ~ Normal(u(i), 1)\n"},
		{"E48", "data y[N] = [1, x], x = 2\nmu ~ Normal(0, 1)\ny ~ Normal(mu, 1)\n"},
		{"E48", "data y[N] = [1, 2], k = m\nm = mean(y)\ny ~ Normal(k, 1)\n"},
		{"E63", "data y[N] = [1, 2]\nC[1..2, N] ~ LKJ(2)\ny ~ Normal(C[1, 2], 1)\n"},
		{"E13", "data y[T] = [1, 2, 3]\ns[(1 + 1)] = 1\ns[t in 2..T] = s[t-1] / 2\ny[t in T] ~ Normal(s[t], 1)\n"},
		{"E42", "data y[T] = [1, 2, 3], K = 2\nh[1] ~ Normal(0, 1)\nh[K, 3..T] ~ Normal(0, 1)\ny[t in T] ~ Normal(h[t], 1)\n"},
		{"E99", "data s[N] missing -1 = [1, 0, -1, 1], y[N] = [1, 2, 3, 4]\ns[i in 2] ~ Bernoulli(0.3)\ny[i in N] ~ Normal(s[i], 1)\n"},
		{"E61", "data y[N] = [1, 2]\nz[i in N] ~ Bernoulli(0.5)\nx[i in N] ~ Normal(z[i], 1) noncentered\ny[i in N] ~ Normal(x[i], 1)\n"},
	} {
		if got := refusal(t, c.text); !slices.Contains(got, c.code) {
			t.Errorf("refused with %v, want %s:\n%s", got, c.code, c.text)
		}
	}
}

// A parameter whose law reads a discrete unknown has a place to begin at.
func TestStartBelowALatent(t *testing.T) {
	p := load(t, "data y[N] = [1, 2]\nz[i in N] ~ Bernoulli(0.5)\nx[i in N] ~ Normal(3 * z[i], 1)\ny[i in N] ~ Normal(x[i], 1)\n")
	at := p.Start(1, 0)
	if len(at) != 2 || at[0] == at[1] {
		t.Errorf("begins at %v", at)
	}
}
