package compiler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNotFinite: the parts that are named are those made impossible; a model that starts somewhere has none.
func TestNotFinite(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a datum outside": {"data y[N] = [1, 99, 2], z[N] = [1, 2, 3]\na ~ Uniform(0, 1)\ny[i in N] ~ Uniform(a, 10 + a)\nz[i in N] ~ Normal(a, 1)",
			[]string{"the log likelihood of `y` is -Inf in 1 of 3 rows, row 2 first"}},
		"a prior by formula": {"data y[N] = [1]\na ~ Density(log(-1 - a^2))\ny[i in N] ~ Normal(a, 1)", []string{"the log prior is NaN"}},
		"sound":              {"data y[N] = [1]\na ~ Normal(0, 1)\ny[i in N] ~ Normal(a, 1)", nil},
	} {
		if d := cmp.Diff(c.want, load(t, c.text).NotFinite(1)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
