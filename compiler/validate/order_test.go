package validate_test

import (
	"slices"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// likelihoodOf returns the log likelihood of a model without parameters.
func likelihoodOf(t *testing.T, text string) float64 {
	t.Helper()
	lp, err := compilertest.Load(t, text).LogProb(nil)
	if err != nil {
		t.Fatal(err)
	}
	return lp.Likelihood
}

// TestOrderIsFree checks that statements may be in any order: data after the statements that observe them, and the
// statements of a chain in either order.
func TestOrderIsFree(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"data y[N] = [1, 2]\ny ~ Normal(1, 2)\n", "y ~ Normal(1, 2)\ndata y[N] = [1, 2]\n"},
		{"data y[T] = [1, 0, 2]\nz[1] ~ Categorical([0.3, 0.7])\nz[t in 2..T] ~ Categorical(z[t-1] == 1 ? [0.2, 0.8] " +
			": [0.6, 0.4])\ny[t in T] ~ Normal(z[t], 1)\n",
			"z[t in 2..T] ~ Categorical(z[t-1] == 1 ? [0.2, 0.8] : [0.6, 0.4])\nz[1] ~ Categorical([0.3, 0.7])\ny[t " +
				"in T] ~ Normal(z[t], 1)\ndata y[T] = [1, 0, 2]\n"},
	} {
		if a, b := likelihoodOf(t, c[0]), likelihoodOf(t, c[1]); !compilertest.Near(a, b, 1e-14) {
			t.Errorf("log likelihood %v, in another order %v:\n%s", a, b, c[1])
		}
	}
}

// TestRefusedWhenLoaded checks the codes of errors for chains and ragged reductions that have no meaning.
func TestRefusedWhenLoaded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ code, model string }{
		{"E70", "data y[T] = [0, 2, 1]\nz[1] ~ DiscreteUniform(0, 1)\nz[t in 2..T] ~ DiscreteUniform(0, 2)\ny[t in " +
			"T] ~ Normal(z[t], 1)\n"},
		{"E70", "data y[T] = [0, 2, 1]\nz[t in 1..T] ~ Bernoulli(z[t-1] == 1 ? 0.9 : 0.2)\ny[t in T] ~ " +
			"Normal(z[t], 1)\n"},
		{"E45", "data y[N] = [0, 2, 1]\ny[i in N] ~ Normal(mean(j in 1..i-1: y[j]), 1)\n"},
	} {
		if codes := compilertest.ErrorCodes(t, c.model); !slices.Contains(codes, c.code) {
			t.Errorf("refused with %v, want %s:\n%s", codes, c.code, c.model)
		}
	}
}

// TestRaggedMean checks means and variances over ragged ranges against formulas; x is 1, 2, 4.
func TestRaggedMean(t *testing.T) {
	t.Parallel()
	const head = "data y[N] = [0, 0, 0], x[N] = [1, 2, 4]\n"
	for _, c := range []struct {
		fold string
		want float64
	}{
		{"mean(j in i..N: x[j])", 7.0/3 + 3 + 4},
		{"mean(j in 1..i: x[j])", 1 + 1.5 + 7.0/3},
		{"i > 1 ? mean(j in 1..i-1: x[j]) : 7", 7 + 1 + 1.5},
		{"i > 2 ? var(j in 1..i-1: x[j]) : 0", 0.5},
		{"i > 1 ? sd(j in 1..i: x[j]) : 0", 0.70710678118654752 + 1.5275252316519466},
		{"mean(j in 1..2, k in 1..j: x[k])", 3 * 4.0 / 3},
	} {
		if got := likelihoodOf(t, head+"y[i in N] ~ Density("+c.fold+")\n"); !compilertest.Near(got, c.want, 1e-14) {
			t.Errorf("the sum of %s is %v, want %v", c.fold, got, c.want)
		}
	}
}

// TestPiecesWiden checks that an array with an integer in one piece and real numbers in another is saved as real.
func TestPiecesWiden(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t,
		"data y[T] = [1, 2]\nu[1] = 0\nu[t in 2..T] ~ Normal(0, 1)\ny[t in T] ~ Normal(u[t], 1)\n")
	for _, v := range p.Saved() {
		if v.Int {
			t.Errorf("%s is saved as whole numbers", v.Name)
		}
	}
}

// TestDeviationOfEqualElements checks that the standard deviation of equal elements is 0 and has gradient 0, not NaN.
func TestDeviationOfEqualElements(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, "data y = 1\na ~ Normal(0, 1)\ny ~ Normal(a + sd([i in 1..3: a]), 2)\n")
	lp, err := p.LogProb(map[string]*content.Array{"a": {Values: numbers.Of(0.5)}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lp.Gradient["a"][0], -0.5+0.5/4; !compilertest.Near(got, want, 1e-14) { // −a + (y − a)/4
		t.Errorf("gradient %v, want %v", got, want)
	}
}
