package compiler

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/autodiff"
)

// Holes in a series that its own law reads are parameters: the density is that of the model in which they are written
// as such.
func TestHolesInASeries(t *testing.T) {
	p := load(t, `data x[T] missing -9 = [0.3, 1.7, -9, 2.4, -9, -9, 1]
m ~ Normal(0, 1)
x[1] ~ Normal(m, 2)
x[t in 2..T] ~ Normal(m * x[t-1], 1)
`)
	want := load(t, `m ~ Normal(0, 1)
a, b, c ~ Flat
x = [0.3, 1.7, a, 2.4, b, c, 1]
data y = 0
y ~ Density(logpdf(Normal(m, 2), x[1]) + sum(t in 2..7: logpdf(Normal(m * x[t-1], 1), x[t])))
`)
	if d := cmp.Diff([]string{"x", "m"}, names(p)); d != "" {
		t.Fatal(d)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 5 {
		at := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		got, slope := joint(p, at)
		exact, tangent := joint(want, []float64{at[3], at[0], at[1], at[2]})
		if !close(got, exact, 1e-12*(1+math.Abs(exact))) {
			t.Errorf("log density %v, written out %v", got, exact)
		}
		for i, k := range []int{1, 2, 3, 0} {
			if !close(slope[i], tangent[k], 1e-11*(1+math.Abs(tangent[k]))) {
				t.Errorf("its derivative %d is %v, written out %v", i, slope[i], tangent[k])
			}
		}
	}
	for text, code := range map[string]string{
		"x[2] ~ Normal(0, 1)\nx[t in 3..T] ~ Normal(x[t-1], 1)\n":         "E12",
		"x[1] ~ Normal(0, 1)\nx[t in 2..T] ~ LogNormal(x[t-1], 1)\n":      "E99",
		"x[1] ~ Normal(0, 1)\nx[t in 2..T] ~ Normal(x[t-1], 1) in 0..9\n": "E99",
	} {
		if codes := refusal(t, "data x[T] missing -9 = [0.3, 1.7, -9, 2.4]\n"+text); len(codes) != 1 ||
			codes[0] != code {
			t.Errorf("%s: refused with %v, want %s", text, codes, code)
		}
	}
}

// joint is log ρ + log ℓ, and its gradient.
func joint(p *Program, theta []float64) (float64, []float64) {
	x := autodiff.New().Input("theta", p.Dim())
	prior, lik := p.Density(x)
	sum := autodiff.Add(prior, lik)
	out := autodiff.Eval(map[string][]float64{"theta": theta}, sum, autodiff.Grad(sum, x)[0])
	return out[0][0], out[1]
}
