package analyze_test

import (
	"strings"
	"testing"

	"ppl/compiler/frontend/analyze"
	"ppl/compiler/frontend/check"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// Predictive reports priors that cannot be sampled at their statements.
func TestPriorsThatCannotBeDrawn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ code, place, text string }{
		{"E33", "2:1", "data y[N] = [1, 2]\nmu ~ Flat\ny ~ Normal(mu, 1)\n"},
		{"E33", "2:1", "data y[N] = [1, 2]\nmu ~ Density(-mu^2)\ny ~ Normal(mu, 1)\n"},
		{"E33", "1:6", "data x[N] missing -1 = [1, -1], y[N] = [1, 2]\nx[1] ~ Normal(0, 1)\nx[i in 2..N] ~ " +
			"Normal(x[i-1], 1)\ny[i in N] ~ Normal(x[i], 1)\n"},
	} {
		f, _ := parse.File(source.New("model.ppl", c.text))
		_, ds := check.Predictive(f, nil, analyze.FromPrior)
		var b strings.Builder
		diag.Render(&b, ds, false)
		if !strings.Contains(b.String(), c.place+": error["+c.code+"]") {
			t.Errorf("want %s at %s, got\n%s", c.code, c.place, b.String())
		}
	}
}
