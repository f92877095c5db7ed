package analyze_test

import (
	"strings"
	"testing"

	"ppl/compiler/compilertest"
)

// Signs warns about models with a symmetric posterior, and about no others. Each model without a warning differs from
// one with a warning by a change that fixes the sign.
func TestSigns(t *testing.T) {
	for name, c := range map[string]struct {
		model string
		want  bool
	}{
		"factor loadings": {"load[D], f[N] ~ Normal(0, 1)\nY[n in N, d in D] ~ Normal(load[d] * f[n], 1)", true},
		"with a positive loading": {"load[D] ~ HalfNormal(1)\nf[N] ~ Normal(0, 1)\n" +
			"Y[n in N, d in D] ~ Normal(load[d] * f[n], 1)", false},
		"with one positive element": {"load[1] ~ HalfNormal(1)\nload[d in 2..D] ~ Normal(0, 1)\n" +
			"f[N] ~ Normal(0, 1)\n" +
			"Y[n in N, d in D] ~ Normal(load[d] * f[n], 1)", false},
		"with a prior off 0": {"load[D] ~ Normal(1, 1)\nf[N] ~ Normal(0, 1)\n" +
			"Y[n in N, d in D] ~ Normal(load[d] * f[n], 1)", false},
		"with an intercept": {"load[D], f[N], a ~ Normal(0, 1)\n" +
			"Y[n in N, d in D] ~ Normal(a + load[d] * f[n], 1)", true},
		"a scale of either sign": {"s ~ Normal(0, 1)\nY[n in N, d in D] ~ Normal(0, abs(s))", true},
		"a scale by hand":        {"s, z ~ Normal(0, 1)\nm = s * z\nY[n in N, d in D] ~ Normal(m, 1)", true},
		"a positive scale by hand": {"s ~ HalfNormal(1)\nz ~ Normal(0, 1)\nm = s * z\n" +
			"Y[n in N, d in D] ~ Normal(m, 1)", false},
		"through an exponential": {"a, b ~ Normal(0, 1)\nY[n in N, d in D] ~ Normal(exp(a * b), 1)", true},
		"only one of a product":  {"a, b ~ Normal(0, 1)\nY[n in N, d in D] ~ Normal(exp(a * b) + a, 1)", false},
		"a recurrence": {"a, e[N] ~ Normal(0, 1)\nx[1] = a\nx[n in 2..N] = 0.5 * x[n-1] + e[n]\n" +
			"Y[n in N, d in D] ~ Normal(x[n]^2, 1)", true},
		"a recurrence that is seen": {"a, e[N] ~ Normal(0, 1)\nx[1] = a\nx[n in 2..N] = 0.5 * x[n-1] + e[n]\n" +
			"Y[n in N, d in D] ~ Normal(x[n], 1)", false},
		"a hierarchy": {"m ~ Normal(0, 1)\na[D] ~ Normal(m, 1)\nY[n in N, d in D] ~ Normal(a[d]^2, 1)", true},
		"without any": {"m ~ Normal(0, 1)\na[D] ~ Normal(m, 1)\nY[n in N, d in D] ~ Normal(a[d], 1)", false},
	} {
		t.Run(name, func(t *testing.T) {
			said := compilertest.Messages(t, "data Y[N, D] = [[1, 2], [0, 1], [2, 2]]\n"+c.model+"\n")
			if strings.Contains(said, "W21") != c.want || strings.Contains(said, "error[") {
				t.Error(said)
			}
		})
	}
}
