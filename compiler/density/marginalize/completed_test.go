package marginalize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler/compilertest"
)

// TestMissingCountsAreDrawnAfterInference checks that missing counts that only generated quantities read are drawn from
// their distribution, which may be unbounded. All statements read the same draw of them, and the observed counts
// unchanged. The likelihood is that of the observed counts.
func TestMissingCountsAreDrawnAfterInference(t *testing.T) {
	t.Parallel()
	p := compilertest.LoadWith(t, `
data n[N] missing, x[N]
rate ~ Gamma(2, 0.1)
n[i in N] ~ Poisson(rate * x[i])
last = n[N]
generate total = sum(n)
generate copy[i in N] = n[i]
generate unequal = abs(total - sum(copy)) + abs(last - copy[N])
generate noisy ~ Normal(last, 1)
`, `{"n": [3, null, 5, null], "x": [1, 1, 2, 2]}`)
	const draws, rate = 4000, 3.0
	want := 3*math.Log(rate) - rate - math.Log(6) + 5*math.Log(2*rate) - 2*rate - math.Log(120)
	if got := compilertest.LikelihoodAt(t, p, map[string]float64{"rate": rate}); !compilertest.Near(got, want, 1e-12) {
		t.Errorf("log likelihood %v, want %v", got, want)
	}
	means, _ := compilertest.Completed(p, draws, rand.New(rand.NewPCG(1, 2)), rate)
	se := 1 / math.Sqrt(draws)
	for _, c := range []struct {
		name     string
		want, sd []float64
	}{
		{"total", []float64{8 + 3*rate}, []float64{math.Sqrt(3 * rate)}},
		{"copy", []float64{3, rate, 5, 2 * rate}, []float64{0, math.Sqrt(rate), 0, math.Sqrt(2 * rate)}},
		{"unequal", []float64{0}, []float64{0}},
		{"noisy", []float64{2 * rate}, []float64{math.Sqrt(2*rate + 1)}},
	} {
		for i, want := range c.want {
			if got := means[c.name][i]; math.Abs(got-want) > 4.5*se*c.sd[i]+1e-9 {
				t.Errorf("%s[%d]: mean %v, want %v", c.name, i+1, got, want)
			}
		}
	}
}

// TestMissingCountsThatTheModelReads checks that missing counts remain discrete unknowns if the density of the
// posterior reads them, or if a statement reads their probabilities.
func TestMissingCountsThatTheModelReads(t *testing.T) {
	t.Parallel()
	const begin = "data n[N] missing -1 = [3, -1, 5]\nrate ~ Gamma(2, 0.1)\nn[i in N] ~ Poisson(rate)\n"
	for _, more := range []string{
		"data y[N] = [1, 2, 3]\ny[i in N] ~ Normal(n[i], 1)",
		"data y = 4\nmiddle = n[2]\ny ~ Normal(middle, 1)",
		"factor -n[2]",
		"generate p = probability(n[2] == 3)",
		"generate best = mode(n)",
	} {
		if codes := compilertest.ErrorCodes(t, begin+more+"\n"); len(codes) != 1 || codes[0] != "E70" {
			t.Errorf("%s: %v, want E70", more, codes)
		}
	}
}

// TestMissingEntriesByFormula checks that missing entries whose distribution is a formula are an error, because they
// cannot be drawn.
func TestMissingEntriesByFormula(t *testing.T) {
	t.Parallel()
	codes := compilertest.ErrorCodes(t, "data y[N] missing -1 = [3, -1, 5]\nm ~ Normal(0, 1)\n"+
		"y[i in N] ~ Density(-(y[i] - m)^2)\n")
	if len(codes) != 1 || codes[0] != "E99" {
		t.Errorf("%v, want E99", codes)
	}
}
