package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestOrderedDensities compares the printed log densities of ordered elements with the density computed by hand: 2!
// times the product of the priors of both elements, times the likelihood. The evidence is its integral over m[1] <
// m[2].
func TestOrderedDensities(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	ys := []float64{-2.1, -1.6, 1.7}
	normal := func(x, mean, sd float64) float64 {
		return -(x-mean)*(x-mean)/(2*sd*sd) - math.Log(sd) - math.Log(2*math.Pi)/2
	}
	density := func(a, b float64) float64 {
		sum := math.Ln2 + normal(a, 0, 2) + normal(b, 0, 2)
		for _, y := range ys {
			sum += math.Log((math.Exp(normal(y, a, 1)) + math.Exp(normal(y, b, 1))) / 2)
		}
		return sum
	}
	const h = 0.01
	integral, best := 0.0, math.Inf(-1)
	for a := -10.0; a < 10; a += h {
		for b := a + h/2; b < 10; b += h { // midpoints of the half above the diagonal
			u := density(a, b)
			integral, best = integral+h*h*math.Exp(u), math.Max(best, u)
		}
	}
	dir := t.TempDir()
	model, at := filepath.Join(dir, "m.ppl"), filepath.Join(dir, "at.json")
	for path, text := range map[string]string{model: "data y[N] = [-2.1, -1.6, 1.7]\n" +
		"m[k in 1..2] ~ Normal(0, 2) ordered\nz[i in N] ~ Categorical([0.5, 0.5])\ny[i in N] ~ Normal(m[z[i]], 1)\n",
		at: `{"m": [-0.3, 0.4]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var point struct {
		LogPrior float64 `json:"log_prior"`
		LogLik   float64 `json:"log_likelihood"`
	}
	pplJSON(t, &point, "logprob", model, "--at", at, "--json")
	if got, want := point.LogPrior+point.LogLik, density(-0.3, 0.4); math.Abs(got-want) > 1e-9 {
		t.Errorf("logprob has %.10g, by hand %.10g", got, want)
	}
	var mode struct {
		LogDensity float64 `json:"log_density"`
	}
	pplJSON(t, &mode, "optimize", model, "--seed", "1", "--device", "host", "--json")
	if got := mode.LogDensity; !(got >= best-1e-9 && got < best+1e-3) {
		t.Errorf("optimize has %.10g, a grid %.10g", got, best)
	}
	run, of := filepath.Join(dir, "run"), evidenceRow{}
	pplJSON(t, nil, "sample", model, "--seed", "3", "--out", run, "--device", "host", "--quiet", "--json")
	var all []evidenceRow
	pplJSON(t, &all, "evidence", run, "--json")
	if of = all[0]; of.off(math.Log(integral)) > 4.5 || of.SE > 0.05 {
		t.Errorf("evidence has %v ± %v, by quadrature %v", of.LogZ, of.SE, math.Log(integral))
	}
}
