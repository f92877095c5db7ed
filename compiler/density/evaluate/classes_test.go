package evaluate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/compilertest"
)

// TestClassesFromZero checks that data with the types index(0..2) and index(5..7) select the elements of an axis in
// order. log ℓ is compared with its formula.
func TestClassesFromZero(t *testing.T) {
	t.Parallel()
	classes := []int{0, 2, 1, 0, 2}
	for distribution, density := range map[string]func(v []float64, k int) float64{
		"Categorical(logits = v)": func(v []float64, k int) float64 { return math.Log(compilertest.Softmax(v)[k]) },
		"Categorical(exp(v) / sum(j in 1..3: exp(v[j])))": func(v []float64, k int) float64 {
			return math.Log(compilertest.Softmax(v)[k])
		},
		"OrderedLogistic(v[3], [-1, 0.5])": func(v []float64, k int) float64 {
			below := []float64{0, compilertest.Logistic(-1 - v[2]), compilertest.Logistic(0.5 - v[2]), 1}
			return math.Log(below[k+1] - below[k])
		},
		"OrderedProbit(v[3], [-1, 0.5])": func(v []float64, k int) float64 {
			below := []float64{0, normalCDF(-1 - v[2]), normalCDF(0.5 - v[2]), 1}
			return math.Log(below[k+1] - below[k])
		},
	} {
		for _, first := range []int{0, 1, 5} {
			t.Run(fmt.Sprint(distribution, " from ", first), func(t *testing.T) {
				t.Parallel()
				values := make([]string, len(classes))
				for i, k := range classes {
					values[i] = fmt.Sprint(k + first)
				}
				p := compilertest.Load(t, fmt.Sprintf("data y[N]: index(%d..%d) = [%s]\nv[k in 1..3] ~ Normal(0, 1)\n"+
					"y[i in N] ~ %s", first, first+2, strings.Join(values, ", "), distribution))
				v := []float64{0.3, -1.1, 0.4}
				x := autodiff.New().Input("theta", p.Dim())
				_, lik := p.Density(x)
				got, want := autodiff.Eval(map[string][]float64{"theta": v}, lik)[0][0], 0.0
				for _, k := range classes {
					want += density(v, k)
				}
				if math.Abs(got-want) > 1e-12 {
					t.Errorf("log ℓ is %v, want %v", got, want)
				}
				if err := compilertest.SplitAgrees(p, rand.New(rand.NewPCG(1, 2))); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
