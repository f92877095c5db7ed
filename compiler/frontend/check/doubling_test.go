package check_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// The checker visits each definition once: 60 definitions that each read the previous one twice are checked in linear
// time.
func TestDefinitionsThatDouble(t *testing.T) {
	t.Parallel()
	const levels = 60
	for _, c := range []struct{ name, first, each, last string }{
		{"parameters", "a0 ~ Normal(0, 1)\n", "a%[1]d = a%[2]d + 0.5 * a%[2]d * a%[2]d\n",
			"y[i in N] ~ Normal(a%d, 1)\n"},
		{"latents", "z[i in N] ~ Bernoulli(0.5)\na0[i in N] = z[i]\n",
			"a%[1]d[i in N] = a%[2]d[i] + 0.5 * a%[2]d[i] * a%[2]d[i]\n", "y[i in N] ~ Normal(a%d[i], 1)\n"},
		{"sizes", "a0 = 1\nm ~ Normal(0, 1)\n", "a%[1]d = a%[2]d + a%[2]d - a%[2]d\n",
			"x[1..a%d] = m\ny[i in N] ~ Normal(m, 1)\n"},
		{"neighbours", "a0[i in 1..200] ~ Normal(0, 1)\n",
			"a%[1]d[i in %[1]d..200-%[1]d] = a%[2]d[max(i-1, 1)] + a%[2]d[i] + a%[2]d[min(i+1, 200-%[2]d)]\n",
			"y[i in N] ~ Normal(a%d[100], 1)\n"},
		{"domains", "a0 ~ Normal(0, 1)\n", "a%[1]d = a%[2]d * (a%[2]d - a%[2]d)\n",
			"y[i in N] ~ Normal(0, exp(a%d))\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("data y[N]\n" + c.first)
			for k := range levels {
				fmt.Fprintf(&b, c.each, k+1, k)
			}
			fmt.Fprintf(&b, c.last, levels)
			if got := say("doubling.ppl", b.String()); strings.Contains(got, "error") {
				t.Error(got)
			}
		})
	}
}

// Functions and templates that each call the previous one twice are rejected with one error before they exhaust memory.
func TestBodiesThatDouble(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	for name, each := range map[string]string{
		"functions": "f%[1]d(x) = f%[2]d(x) + f%[2]d(2*x)\n",
		"templates": "f%[1]d(x) ~ {\n  a ~ f%[2]d(x)\n  b ~ f%[2]d(x)\n  return a + b\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			first := map[string]string{"functions": "f0(x) = x + 1\n", "templates": "f0(x) ~ Normal(x, 1)\n"}
			b.WriteString(first[name])
			for k := range 30 {
				fmt.Fprintf(&b, each, k+1, k)
			}
			b.WriteString(map[string]string{"functions": "z = f30(1)\n", "templates": "z ~ f30(1)\n"}[name])
			b.WriteString("data y\ny ~ Normal(z, 1)\n")
			if got := say("doubling.ppl", b.String()); strings.Count(got, "error") != 1 ||
				!strings.Contains(got, "E89") {
				t.Error(got)
			}
		})
	}
}

// Checking a model with twice the lines allocates about twice the memory. The bound, 3.2 times, excludes a quadratic
// algorithm, which would need four times.
func TestLinesThatDouble(t *testing.T) { // not parallel: it counts what the process allocates
	const before = "data x[N] = [1, 2, 3], y[N] = [1.1, 1.9, 3.2]\ns ~ HalfNormal(5)\nc0 = s\n"
	for name, each := range map[string]string{
		"rows": "a%[1]d ~ Normal(0, 1)\nm%[1]d[i in N] = a%[1]d * x[i]\n" +
			"factor [i in N]: -(y[i] - m%[1]d[i]) ^ 2\n",
		"sums":        "d%[1]d[i in N] = sum(j in 1..3: x[i] * s * j)\nfactor [i in N]: -d%[1]d[i] ^ 2\n",
		"definitions": "c%[1]d = c%[2]d + s\n",
		"jointly": "u%[1]d[k in 1..2] ~ Normal(0, s)\nm%[1]d[i in N] = u%[1]d[1] * x[i]\n" +
			"factor [i in N]: -(y[i] - m%[1]d[i]) ^ 2\n",
		"elements": "b[%[1]d] ~ Normal(0, 1)\n",
	} {
		t.Run(name, func(t *testing.T) {
			model := func(statements int) string {
				var b strings.Builder
				b.WriteString(before)
				for k := range statements {
					fmt.Fprintf(&b, each, k+1, k)
				}
				return b.String()
			}
			few, many := allocated(t, model(150)), allocated(t, model(300))
			if ratio := many / few; ratio > 3.2 {
				t.Errorf("twice the lines take %.1f times the memory", ratio)
			}
		})
	}
}

// allocated returns the number of bytes that a check of a model allocates.
func allocated(t *testing.T, text string) float64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := say("lines.ppl", text); strings.Contains(got, "error") {
		t.Fatal(got)
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}
