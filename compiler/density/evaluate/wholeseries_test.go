package evaluate_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
)

// TestWholeDefinitionsWithinSeries checks that a definition of an entire array within a series has the density of the
// same definition written for each element, in any order of the statements.
func TestWholeDefinitionsWithinSeries(t *testing.T) {
	t.Parallel()
	const head = "data y[T] = [1, 1.2, 0.9, 1.4], u[T] = [0.1, 0.3, -0.2, 0.4], g[T] = [2, 1, 1, 3]\n" +
		"K = 2\nr ~ HalfNormal(1)\nW[i in K, j in K] ~ Normal(0, 1)\n"
	const one = "a[1] ~ Normal(0, 3)\na[t in 2..T] ~ Normal(r * d[t-1], 1)\ny ~ Normal(d, 1)\n"
	const two = "a[1, K] ~ Normal(0, 3)\na[t in 2..T, k in K] ~ Normal(r * d[t-1, k], 1)\n" +
		"y[t in T] ~ Normal(d[t, 1], 1)\n"
	const recurrence = "a[1] = r\na[t in 2..T] = 0.5 * a[t-1] + r * d[t-1]\ny ~ Normal(d, 1)\n"
	for _, c := range []struct{ name, rest, whole, indexed string }{
		{"function", one, "d = exp(a)", "d[t in T] = exp(a[t])"},
		{"two series", one + "b[T] ~ Normal(0, 1)\n", "d = exp(a) + b", "d[t in T] = exp(a[t]) + b[t]"},
		{"through others", one, "e = a * u\nd = e + 1", "e[t in T] = a[t] * u[t]\nd[t in T] = e[t] + 1"},
		{"condition", one, "d = u > 0 ? a : -a", "d[t in T] = u[t] > 0 ? a[t] : -a[t]"},
		{"comprehension", one, "d = [t in T: a[t] * t]", "d[t in T] = a[t] * t"},
		{"cumulative sum", one, "d = cumsum(a)", "d[t in T] = sum(i in 1..t: a[i])"},
		{"logcdf", one, "d = logcdf(Normal(0, 1), a)", "d[t in T] = logcdf(Normal(0, 1), a[t])"},
		{"gather of other data", one, "d = a + u[g]", "d[t in T] = a[t] + u[g[t]]"},
		{"softmax", two, "d = softmax(a)", "d[t in T] = softmax(a[t])"},
		{"product", two, "d = a @ W", "d[t in T] = a[t] @ W"},
		{"sum over the other axis", two, "s = [t in T: sum(a[t])]\nd = [t in T, k in K: s[t] * k]",
			"d[t in T, k in K] = sum(a[t]) * k"},
		{"slice", two, "s = a[_, 2]\nd = [t in T, k in K: s[t] * k]", "d[t in T, k in K] = a[t, 2] * k"},
		{"recurrence", recurrence, "d = exp(a / 4)", "d[t in T] = exp(a[t] / 4)"},
		{"noncentered", strings.ReplaceAll(one, "d[t-1], 1)", "d[t-1], 1) noncentered"), "d = exp(a)",
			"d[t in T] = exp(a[t])"},
	} {
		for _, text := range []string{head + c.whole + "\n" + c.rest, head + c.rest + c.whole + "\n"} {
			got, want := compilertest.Load(t, text), compilertest.Load(t, head+c.rest+c.indexed+"\n")
			theta, _, _ := compilertest.Somewhere(want, rand.New(rand.NewPCG(1, 2)))
			prior, likelihood, gradient := compilertest.Density(want, theta)
			gotPrior, gotLikelihood, gotGradient := compilertest.Density(got, theta)
			if !compilertest.Near(gotPrior, prior, 1e-13) || !compilertest.Near(gotLikelihood, likelihood, 1e-13) {
				t.Errorf("%s: %g + %g, by element %g + %g", c.name, gotPrior, gotLikelihood, prior, likelihood)
			}
			compilertest.CheckVector(t, c.name, gotGradient, gradient, 1e-12)
		}
	}
}

// TestWholeDefinitionsThatReadAhead checks the errors for definitions of entire arrays that cannot be computed from the
// past alone.
func TestWholeDefinitionsThatReadAhead(t *testing.T) {
	t.Parallel()
	for _, whole := range []string{"d = a * sum(a)", "d = softmax(a)", "d = a - mean(a)"} {
		text := "data y[T] = [1, 1.2, 0.9]\na[1] ~ Normal(0, 3)\na[t in 2..T] ~ Normal(d[t-1], 1)\ny ~ Normal(a, 1)\n" +
			whole + "\n"
		if messages := compilertest.Messages(t, text); !strings.Contains(messages, "E16") {
			t.Errorf("%s: %s", whole, messages)
		}
	}
}

// TestLastElementFromOthers checks that the last element of each row may be defined by the elements before it.
func TestLastElementFromOthers(t *testing.T) {
	t.Parallel()
	const head = "data caught[I, T] = [[1, 2, 3], [0, 2, 2]]\np ~ Uniform(0, 1)\n" +
		"caught[i in I] ~ Multinomial(sum(caught[i]), share[i])\n"
	const others = "share[i in I, j in 1..T-1] = j < i ? 0 : p * (1 - p)^(j - i)\n"
	want := compilertest.Load(t, head+
		"share[i in I, j in T] = j < i ? 0 : j < T ? p * (1 - p)^(j - i) : (1 - p)^(T - i)\n")
	const last = "share[i in I, T..T] = 1 - sum(j in 1..T-1: share[i, j])\n"
	for _, text := range []string{head + others + last, head + last + others} {
		got := compilertest.Load(t, text)
		_, likelihood, gradient := compilertest.Density(want, []float64{0.3})
		_, gotLikelihood, gotGradient := compilertest.Density(got, []float64{0.3})
		if !compilertest.Near(gotLikelihood, likelihood, 1e-12) {
			t.Errorf("%g, want %g", gotLikelihood, likelihood)
		}
		compilertest.CheckVector(t, "gradient", gotGradient, gradient, 1e-12)
	}
}
