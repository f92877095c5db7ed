package density_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/compiler/compilertest"
)

// TestHolesInASeries checks that missing values in a series that its own distribution reads are parameters: the density
// equals that of the model in which they are written as parameters.
func TestHolesInASeries(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, `data x[T] missing -9 = [0.3, 1.7, -9, 2.4, -9, -9, 1]
m ~ Normal(0, 1)
x[1] ~ Normal(m, 2)
x[t in 2..T] ~ Normal(m * x[t-1], 1)
`)
	want := compilertest.Load(t, `m ~ Normal(0, 1)
a, b, c ~ Flat
x = [0.3, 1.7, a, 2.4, b, c, 1]
data y = 0
y ~ Density(logpdf(Normal(m, 2), x[1]) + sum(t in 2..7: logpdf(Normal(m * x[t-1], 1), x[t])))
`)
	if d := cmp.Diff([]string{"x", "m"}, compilertest.Names(p)); d != "" {
		t.Fatal(d)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 5 {
		at := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		prior, lik, slope := compilertest.Density(p, at)
		wantPrior, wantLik, tangent := compilertest.Density(want, []float64{at[3], at[0], at[1], at[2]})
		got, exact := prior+lik, wantPrior+wantLik
		if !compilertest.Within(got, exact, 1e-12*(1+math.Abs(exact))) {
			t.Errorf("log density %v, written out %v", got, exact)
		}
		for i, k := range []int{1, 2, 3, 0} {
			if !compilertest.Within(slope[i], tangent[k], 1e-11*(1+math.Abs(tangent[k]))) {
				t.Errorf("its derivative %d is %v, written out %v", i, slope[i], tangent[k])
			}
		}
	}
	for text, code := range map[string]string{
		"x[2] ~ Normal(0, 1)\nx[t in 3..T] ~ Normal(x[t-1], 1)\n":         "E12",
		"x[1] ~ Normal(0, 1)\nx[t in 2..T] ~ LogNormal(x[t-1], 1)\n":      "E99",
		"x[1] ~ Normal(0, 1)\nx[t in 2..T] ~ Normal(x[t-1], 1) in 0..9\n": "E99",
	} {
		if codes := compilertest.ErrorCodes(t, "data x[T] missing -9 = [0.3, 1.7, -9, 2.4]\n"+text); len(codes) != 1 ||
			codes[0] != code {
			t.Errorf("%s: refused with %v, want %s", text, codes, code)
		}
	}
}
