package plan_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/compilertest"
)

// TestOwnScale checks, on every example, that the density on the parameters' own scale at theta equals that of `ppl
// logprob` at the values that theta represents, which is computed from values given by name, without coordinates. Split
// must have the same sum. The relative tolerance is 1e-8, for the conversion to values and back.
func TestOwnScale(t *testing.T) {
	t.Parallel()
	for _, path := range compilertest.Models(t, "examples") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			p, ds := compiler.Load(compiler.Request{Path: path})
			if p == nil {
				t.Fatal(ds)
			}
			theta, _, _ := compilertest.Somewhere(p, rand.New(rand.NewPCG(3, 4)))
			g := autodiff.New()
			at := g.Data("theta", theta, p.Dim())
			prior, lik := compiler.OwnScale{Program: p}.Density(at)
			got := autodiff.Eval(nil, prior, lik, p.Values(at))
			want, err := p.LogProb(compilertest.Parameters(p, got[2]))
			if err != nil {
				t.Skip(err) // rounding has moved values to the boundary of a support
			}
			same := func(name string, got, want float64) {
				if !compilertest.Within(got, want, 1e-8*math.Max(1, math.Abs(want))) {
					t.Errorf("%s: %.12g, logprob has %.12g", name, got, want)
				}
			}
			same("log prior", got[0][0], want.Prior)
			same("log likelihood", got[1][0], want.Likelihood)
			if n, err := p.Rows(); err == nil && n < 5000 {
				prior, whole, terms := compiler.OwnScale{Program: p}.Split(at, g.Iota(n))
				split := autodiff.Eval(nil, prior, autodiff.Add(whole, autodiff.SumAll(terms)))
				same("log prior of the split", split[0][0], want.Prior)
				same("log likelihood of the split", split[1][0], want.Likelihood)
			}
		})
	}
}

// TestEffectsOfEmptyGroups checks that a group without elements has no effects to recentre, and that a group with
// elements has an effect in each of its arrays.
func TestEffectsOfEmptyGroups(t *testing.T) {
	t.Parallel()
	const model = "data y[N] = [1, 2, 3]\ns ~ HalfNormal(1)\na[k in K] ~ Normal(0, s)\nb ~ Normal(0, 1)\n" +
		"y[i in N] ~ Normal(sum(a) + b, 1)\n"
	for size, want := range map[string]int{"K = 0\n": 0, "K = -3\n": 0, "K = 2\n": 1} {
		if blocks := compilertest.Load(t, size+model).EffectBlocks(); len(blocks) != want {
			t.Errorf("%s: %d effects, want %d", size, len(blocks), want)
		}
	}
}
