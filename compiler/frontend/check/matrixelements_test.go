package check_test

import (
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/lang/diag"
)

// An element of a covariance or correlation matrix may be used as a scale: elements of the diagonal are positive, and
// the checker knows only one range for all elements. Expressions that are always negative are rejected.
func TestElementsOfMatrices(t *testing.T) {
	for _, drawn := range []string{"Wishart(3, diagonal(1, 2))", "InverseWishart(3, diagonal(1, 2))", "LKJ(2)",
		"LKJCholesky(2)"} {
		for _, scale := range []string{"S[2, 2]", "sqrt(S[1, 1])", "var = S[1, 1]", "exp(S[2, 1])"} {
			text := "data y[3]\nS[1..2, 1..2] ~ " + drawn + "\ny[i in 1..3] ~ Normal(0, " + scale + ")\n"
			if _, ds := compiler.CheckText("m.ppl", text); diag.HasErrors(ds) {
				t.Errorf("%s\n%v", text, ds)
			}
		}
	}
	text := "data y[3]\nS[1..2, 1..2] ~ LKJ(2)\ny[i in 1..3] ~ Normal(0, S[1, 1] - 3)\n"
	_, ds := compiler.CheckText("m.ppl", text)
	if !diag.HasErrors(ds) || !strings.Contains(ds[0].Message, "must be positive") {
		t.Errorf("%s\n%v", text, ds)
	}
}
