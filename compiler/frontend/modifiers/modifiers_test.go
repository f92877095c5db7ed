package modifiers_test

import (
	"slices"
	"testing"

	"ppl/compiler/frontend/check"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// Each modifier is accepted for arrays for which it has a meaning, and an error for others.
func TestModifiers(t *testing.T) {
	const data = "data y[N], c[N]\nmu ~ Normal(0, 1)\n"
	for _, c := range []struct {
		right, wrong string
		code         diag.Code
	}{
		{"s ~ Normal(0, 1) in 0..inf\ny[i in N] ~ Normal(mu, s) upto c[i]",
			"s ~ Normal(0, 1) upto 1\ny[i in N] ~ Normal(mu + c[i], s)", diag.CensoredNotData},
		{"k[J] ~ Normal(0, 2) ordered\nJ = 3\ny[i in N] ~ Normal(k[1] + mu * c[i], 1)",
			"k ~ Normal(0, 2) ordered\ny[i in N] ~ Normal(k + mu * c[i], 1)", diag.BadOrder},
		{"b[N] ~ Normal(mu, 1) noncentered\ny[i in N] ~ Normal(b[i] + c[i], 1)",
			"b[N] ~ Flat noncentered\ny[i in N] ~ Normal(b[i] + mu * c[i], 1)", diag.BadNoncentered},
	} {
		for text, wrong := range map[string]bool{c.right: false, c.wrong: true} {
			file, ds := parse.File(source.New("m.ppl", data+text))
			if len(ds) > 0 {
				t.Fatal(ds)
			}
			_, ds = check.File(file, nil)
			refused := slices.ContainsFunc(ds, func(d diag.Diagnostic) bool { return d.Code == c.code })
			if refused != wrong || diag.HasErrors(ds) != wrong {
				t.Errorf("%s: %v, want %v: %v", text, ds, c.code, wrong)
			}
		}
	}
}
