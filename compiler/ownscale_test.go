package compiler

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
	"ppl/compiler/plan"
)

// On every example the density on the parameters' own scale is what `ppl logprob` says at the values that theta stands
// for: log ρ and log ℓ, which are emitted from values given by name, without coordinates. Split adds up to it. Relative
// 1e-8: the way to the values and back.
func TestOwnScale(t *testing.T) {
	for _, path := range modelsIn(t, "../examples") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, ds := Load(path, nil)
			if p == nil {
				t.Fatal(ds)
			}
			theta, _, _ := somewhere(p, rand.New(rand.NewPCG(3, 4)))
			g := autodiff.New()
			at := g.Data("theta", theta, p.Dim())
			prior, lik := OwnScale{p}.Density(at)
			got := autodiff.Eval(nil, prior, lik, p.Values(at))
			want, err := p.plan.LogProb(byName(p, got[2]), plan.Interpret)
			if err != nil {
				t.Skip(err) // values that rounding put on the edge of a support
			}
			same := func(name string, got, want float64) {
				if !close(got, want, 1e-8*math.Max(1, math.Abs(want))) {
					t.Errorf("%s: %.12g, logprob has %.12g", name, got, want)
				}
			}
			same("log prior", got[0][0], want.Prior)
			same("log likelihood", got[1][0], want.Likelihood)
			if n, err := p.Rows(); err == nil && n < 5000 {
				prior, whole, terms := OwnScale{p}.Split(at, g.Iota(n))
				split := autodiff.Eval(nil, prior, autodiff.Add(whole, autodiff.SumAll(terms)))
				same("log prior of the split", split[0][0], want.Prior)
				same("log likelihood of the split", split[1][0], want.Likelihood)
			}
		})
	}
}

// byName takes the parameters out of values.
func byName(p *Program, values []float64) map[string]dataset.Array {
	out := map[string]dataset.Array{}
	parameters := map[string]bool{}
	for _, a := range p.Model().Arrays {
		parameters[a.Name] = a.Role == model.Parameter || a.Role == model.Imputed
	}
	for _, v := range p.Saved() {
		if parameters[v.Name] {
			out[v.Name] = dataset.Array{Shape: v.Shape, Values: values[:v.Size()]}
		}
		values = values[v.Size():]
	}
	return out
}
