package simulate_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/compiler/compilertest"
)

const predicting = `data y[N] = [1, 2], x[N] = [0, 1], x_new[M]GIVEN
a, b ~ Normal(0, 1)
y[i in N] ~ Normal(a + b * x[i], 1)
mean_new = a + b * x_new
generate y_new[j in M] ~ Normal(mean_new[j], 1e-9)
generate total = sum(y_new) + M
generate other[M] ~ Normal(0, 1)
generate c = a
`

// TestDataForPredictionMayBeLeftOut checks that data that only generate statements read may be omitted. Everything
// generated from them, also through definitions and sizes, is then omitted, too. The other values of a draw, and the
// density, are unchanged.
func TestDataForPredictionMayBeLeftOut(t *testing.T) {
	t.Parallel()
	without := compilertest.Load(t, strings.ReplaceAll(predicting, "GIVEN", ""))
	with := compilertest.Load(t, strings.ReplaceAll(predicting, "GIVEN", " = [10, 20]"))
	if d := cmp.Diff([]string{"a", "b", "c"}, compilertest.Names(without)); d != "" {
		t.Error("without x_new:", d)
	}
	if d := cmp.Diff([]string{"a", "b", "y_new", "total", "other", "c"}, compilertest.Names(with)); d != "" {
		t.Error("with x_new:", d)
	}
	at := map[string]float64{"a": 0.5, "b": 2}
	if p, q := compilertest.LikelihoodAt(t, without, at), compilertest.LikelihoodAt(t, with, at); p != q {
		t.Errorf("log likelihoods %g and %g", p, q)
	}
	values := []float64{0.5, 2, 0, 0, 0, 0, 0, 0.5}
	with.Complete(rand.New(rand.NewPCG(1, 1)), values)
	if !compilertest.Near(values[2], 20.5, 1e-6) || !compilertest.Near(values[4], 20.5+40.5+2, 1e-6) {
		t.Errorf("predictions %v", values)
	}
}

// TestDataOfTheModelMayNotBeLeftOut checks that data that the model reads, or whose size only they determine, must not
// be omitted.
func TestDataOfTheModelMayNotBeLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ code, text string }{
		{"E83", "data y[N] = [1, 2], x[N]\nmu ~ Normal(0, 1)\nm = mu * x\ny ~ Normal(m, 1)\ngenerate z = sum(x)\n"},
		{"E83", "data y[N] = [1, 2], k\nw[1..k] ~ Normal(0, 1)\ny ~ Normal(sum(w), 1)\n"},
		{"E46", "data y[N] = [1, 2], x[M]\nw[M] ~ Normal(0, 1)\ny ~ Normal(sum(w), 1)\ngenerate z[j in M] = " +
			"w[j] * x[j]\n"},
		{"E83", "data y[N] = [1, 2], t[M]\nk ~ HalfNormal(1)\nu'(s) = -k * u(s)\nu(0) = 1\ny[i in N] ~ Normal(u(i), " +
			"1)\ngenerate z[j in M] = u(t[j])\n"},
	} {
		if got := compilertest.ErrorCodes(t, c.text); len(got) != 1 || got[0] != c.code {
			t.Errorf("refused with %v, want %s:\n%s", got, c.code, c.text)
		}
	}
}

// TestReturnedDrawIsSavedOnce checks that a variable that a template draws and returns is saved once, under the name at
// its use.
func TestReturnedDrawIsSavedOnce(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, `data y[T] = [1, 2, 3]
F(s) ~ {
    tau ~ HalfNormal(s)
    e ~ Normal(0, tau)
    return e
}
G(s) ~ {
    e ~ Normal(0, s)
    return 2 * e
}
u[t in T] ~ F(1)
v ~ G(1)
y[t in T] ~ Normal(u[t] + u.e[1] + v, 1)
`)
	if d := cmp.Diff([]string{"u.tau", "u", "v.e", "v"}, compilertest.Names(p)); d != "" {
		t.Error(d)
	}
}

// TestMaxSteps checks that a solution has no value if max_steps is too small, and otherwise equals the solution with
// the budget from pilot solutions.
func TestMaxSteps(t *testing.T) {
	t.Parallel()
	const text = "data y[N] = [1, 0.5]\nk ~ HalfNormal(1)\nu'(t) = -k * u(t)\nu(0) = 1\ny[i in N] ~ Normal(u(i), 1)\n"
	at := map[string]float64{"k": 0.7}
	want := compilertest.LikelihoodAt(t, compilertest.Load(t, text), at)
	if got := compilertest.LikelihoodAt(t, compilertest.Load(t, text+"infer ode(max_steps = 500)\n"), at); got != want {
		t.Errorf("log likelihood %v with many steps, want %v", got, want)
	}
	if got := compilertest.LikelihoodAt(t, compilertest.Load(t, text+"infer ode(max_steps = 2)\n"), at); got == got {
		t.Errorf("log likelihood %v with two steps", got)
	}
	for _, option := range []string{"max_steps = 0", "max_steps = 2.5", "rtol = -1", "atol = small", "method = euler",
		"steps = 3"} {
		if codes := compilertest.ErrorCodes(t, text+"infer ode("+option+")\n"); len(codes) != 1 || codes[0] != "E50" {
			t.Errorf("%s: refused with %v", option, codes)
		}
	}
}
