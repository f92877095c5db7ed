package compiler

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
)

// What a run keeps of the log density adds up to it: rows to the log likelihood, priors to the log prior on the
// parameters' own scale, at several points of each model.
func TestLogDensitiesAddUp(t *testing.T) {
	for _, name := range []string{"eight_schools", "radon", "health", "galaxies", "lynx", "slopes", "occupancy"} {
		p := loadExample(t, name)
		theta := autodiff.New().Input("theta", p.Dim())
		k, own := p.plan.Pointwise(theta), p.plan.OwnScale(theta)
		sum := func(ns []autodiff.Node) autodiff.Node {
			total := theta.Graph().Const(0)
			for _, n := range ns {
				total = autodiff.Add(total, autodiff.SumAll(n))
			}
			return total
		}
		var priors, rows []autodiff.Node
		for _, x := range k.Priors {
			priors = append(priors, x.Node)
		}
		for _, x := range k.Rows {
			rows = append(rows, x.Node)
		}
		for walker := range 3 {
			got := autodiff.Eval(map[string][]float64{"theta": p.Start(7, walker)}, sum(priors), own.Prior, sum(rows),
				own.Likelihood)
			for i, what := range []string{"log prior", "log likelihood"} {
				if a, b := got[2*i][0], got[2*i+1][0]; !(math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b))) {
					t.Errorf("%s: the %s kept adds up to %v, the density has %v", name, what, a, b)
				}
			}
		}
	}
}

func loadExample(t *testing.T, name string) *Program {
	t.Helper()
	p, ds := Load("../examples/"+name+".ppl", nil)
	if p == nil {
		t.Fatalf("%s: %v", name, ds)
	}
	return p
}

// A missing entry is no row; the others keep their numbers. Statements for parts of an array give its rows one by one.
func TestRowsAreNamed(t *testing.T) {
	for model, want := range map[string]string{
		"data y[N] missing -9 = [1, -9, 3, 4]\nmu ~ Normal(0, 1)\ny[i in N] ~ Normal(mu, 1)\n":               "1 3 4",
		"data y[T] = [1, 2, 3]\nmu ~ Normal(0, 1)\ny[1] ~ Normal(mu, 1)\ny[t in 2..T] ~ Normal(y[t-1], 1)\n": "1 2 3",
	} {
		p := load(t, model)
		_, rows := p.LogDensities()
		if len(rows) != 1 || strings.Join(slices.Concat(rows[0].Label...), " ") != want {
			t.Errorf("%s: rows %+v, want %s", model, rows, want)
		}
	}
}
