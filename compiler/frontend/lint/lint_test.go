package lint_test

import (
	"slices"
	"testing"

	"ppl/compiler/frontend/check"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// codesOf returns the codes of the diagnostics of a model.
func codesOf(t *testing.T, text string) (codes []diag.Code) {
	t.Helper()
	file, ds := parse.File(source.New("m.ppl", text))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	_, ds = check.File(file, nil)
	for _, d := range ds {
		codes = append(codes, d.Code)
	}
	return codes
}

// Each kind of mistake is reported with its code, and a model without the mistake has no diagnostics.
func TestMistakes(t *testing.T) {
	const line = "data y[N], x[N]\na, b ~ Normal(0, 1)\ns ~ HalfNormal(1)\n"
	for _, c := range []struct {
		name, wrong, right string
		code               diag.Code
	}{
		{"domain", "y[i in N] ~ Poisson(s * (a + b * x[i]))", "y[i in N] ~ Poisson(log = s * (a + b * x[i]))",
			diag.ArgumentDomain},
		{"crossed", "u ~ Uniform(s, 1 - s)\ny[i in N] ~ Normal(a + b * x[i] * u, s)",
			"u ~ Uniform(-s, s)\ny[i in N] ~ Normal(a + b * x[i] * u, s)", diag.EmptyInterval},
		{"variance", "y[i in N] ~ Normal(a + b * x[i], s^2)", "y[i in N] ~ Normal(a + b * x[i], var = s^2)",
			diag.WrongScale},
		{"one element", "y[1] ~ Normal(a + b * x[1], s)", "y[i in N] ~ Normal(a + b * x[i], s)", diag.SingleElements},
		{"itself", "y[i in N] ~ Normal(a * x[i] + b * y[i], s)",
			"y[i in 2..N] ~ Normal(a * x[i] + b * y[i-1], s)", diag.ExplainsItself},
	} {
		if !slices.Contains(codesOf(t, line+c.wrong), c.code) {
			t.Errorf("%s: %v in\n%s", c.name, codesOf(t, line+c.wrong), c.wrong)
		}
		if got := codesOf(t, line+c.right); len(got) > 0 {
			t.Errorf("%s: %v in\n%s", c.name, got, c.right)
		}
	}
}
