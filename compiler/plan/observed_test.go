package plan_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/compiler/compilertest"
)

// TestObservedHoles checks that a run directory stores the data as they were given, whether missing values are omitted
// or are parameters. A missing value is NaN, so counts with missing values are stored as reals.
func TestObservedHoles(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	p := compilertest.Load(t, `
data dropped[N] missing -1 = [2, -1, 3]
data imputed[N] missing -1 = [1, 2, -1]
imputed[i in N] ~ Normal(0, 1)
dropped[i in N] ~ Poisson(exp(imputed[i]))
`)
	variables, values := p.Observed()
	want := map[string][]float64{"dropped": {2, nan, 3}, "imputed": {1, 2, nan}}
	got := map[string][]float64{}
	for i, v := range variables {
		got[v.Name] = values[i]
		if v.Int {
			t.Errorf("%s has a hole and is kept as integers", v.Name)
		}
	}
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
}
