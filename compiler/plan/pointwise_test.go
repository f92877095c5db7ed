package plan_test

import (
	"math"

	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/compilertest"
)

// TestLogDensitiesAddUp checks, at several points of each model, that the log densities that a run stores have the
// right sums: those of rows the log likelihood, those of priors the log prior on the parameters' own scale.
func TestLogDensitiesAddUp(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"eight_schools", "radon", "health", "galaxies", "lynx", "slopes", "occupancy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ds := compiler.Load(compiler.Request{Path: "../../examples/" + name + ".ppl"})
			if p == nil {
				t.Fatal(ds)
			}
			theta := autodiff.New().Input("theta", p.Dim())
			prior, lik := compiler.OwnScale{Program: p}.Density(theta)
			all := compiler.Recorded{Program: p, EachRow: true}.Values(theta)
			ofPriors, _ := p.LogDensities()
			first, priors := compilertest.Size(p), 0
			for _, v := range ofPriors {
				priors += v.Size()
			}
			for walker := range 3 {
				got := autodiff.Eval(map[string][]float64{"theta": p.Start(7, walker)}, all, prior, lik)
				for what, pair := range map[string][2]float64{
					"log prior":      {floats.Sum(got[0][first : first+priors]), got[1][0]},
					"log likelihood": {floats.Sum(got[0][first+priors:]), got[2][0]},
				} {
					if a, b := pair[0], pair[1]; !(math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b))) {
						t.Errorf("the %s kept adds up to %v, the density has %v", what, a, b)
					}
				}
			}
		})
	}
}

// TestRowsAreNamed checks that a missing entry is not a row, that the other rows keep their numbers, and that
// statements about parts of an array name its rows individually.
func TestRowsAreNamed(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"data y[N] missing -9 = [1, -9, 3, 4]\nmu ~ Normal(0, 1)\ny[i in N] ~ Normal(mu, 1)\n":               "1 3 4",
		"data y[T] = [1, 2, 3]\nmu ~ Normal(0, 1)\ny[1] ~ Normal(mu, 1)\ny[t in 2..T] ~ Normal(y[t-1], 1)\n": "1 2 3",
		// vectors with at least one observed element are rows; those of a random walk only if all elements are observed
		"data y[N, K] missing -9 = [[-9, 1], [2, 3], [-9, -9], [1, -9]]\nm ~ Normal(0, 1)\n" +
			"y[i in N] ~ MvNormal([m, m], [[1, 0.5], [0.5, 1]])\n": "1 2 4",
		"data y[N, K] missing -9 = [[-9, 1], [2, 3], [-9, -9], [1, -9]]\nm ~ Normal(0, 1)\n" +
			"y[i in N] ~ GaussianRandomWalk(m, 1)\n": "2",
		// if the bounds of plates depend on an index, only existing elements are rows
		"data a[I] = [1, 2], b[I] = [2, 2], y[I, T] = [[1, 2, 9], [9, 2, 9]]\nmu ~ Normal(0, 1)\n" +
			"y[i in I, t in a[i]..b[i]] ~ Normal(mu, 1)\n": "1,1 1,2 2,2",
	} {
		p := compilertest.Load(t, model)
		_, rows := p.LogDensities()
		if len(rows) != 1 || strings.Join(slices.Concat(rows[0].Label...), " ") != want {
			t.Errorf("%s: rows %+v, want %s", model, rows, want)
		}
	}
}
