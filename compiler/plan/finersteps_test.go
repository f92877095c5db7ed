package plan_test

import (
	"strings"
	"testing"

	"ppl/compiler/compilertest"
)

// TestSolutionsAtSmallerSteps checks that a solution that depends on the steps of its solver causes a warning, and that
// smooth, stiff and discontinuous right sides do not.
func TestSolutionsAtSmallerSteps(t *testing.T) {
	t.Parallel()
	const data = "data y[N] = [1, 2.2, 3.4], time[N] = [20, 60, 100]\nk ~ LogNormal(-3, 0.1)\n"
	const observed = "u(0) = 1\ny[i in N] ~ Normal(u(time[i]), 1)\n"
	for _, c := range []struct{ model, names string }{
		{data + "u'(t) = -k * u(t) + 20 * exp(-((t - 50) / 0.05)^2)\n" + observed, "`u`"},
		{data + "u'(t) = -k * u(t) + 50 * exp(-((t - 33.37) / 0.02)^2)\n" + observed, "`u`"},
		{data + "u'(t) = -k * u(t)\nv'(t) = k * u(t) - k * v(t) + 30 * exp(-((t - 83.7) / 0.03)^2)\n" +
			"v(0) = 0\nu(0) = 1\n" +
			"y[i in N] ~ Normal(u(time[i]) + v(time[i]), 1)\n", "`u`, `v`"},
		{data + "infer ode(method = bdf)\nu'(t) = -k * u(t) + 20 * exp(-((t - 50) / 0.05)^2)\n" + observed, "`u`"},
		{data + "late ~ Uniform(90, 100)\nu'(t) = -k * u(t) + 20 * exp(-((t - 50) / 0.05)^2)\nu(0) = 1\n" +
			"y[i in N] ~ Normal(u(late), 1)\n", "`u`"},
		{data + "u'(t) = -k * u(t)\n" + observed, ""},
		{data + "u'(t) = -k * u(t) + 20 * exp(-((t - 50) / 5)^2)\n" + observed, ""},
		{data + "u'(t) = -k * u(t) + (t > 50 && t < 50.1 ? 20 : 0)\n" + observed, ""},
		{data + "u'(t) = -k * u(t)\nat t = 50: u += 2\n" + observed, ""},
		{data + "u'(t) = -k * u(t) + sin(t)\n" + observed, ""},
		{data + "infer ode(rtol = 1e-3, atol = 1e-3)\nu'(t) = -k * u(t) + sin(t)\n" + observed, ""},
		{data + "u'(t) = v(t)\nv'(t) = -u(t)\nv(0) = k\n" + observed, ""},
		{data + "infer ode(method = bdf)\nu'(t) = -1000 * (u(t) - cos(t))\n" + observed, ""},
		{data + "u'(t) = 0.3 * u(t) * (1 - u(t) / 50)\n" + observed, ""},
	} {
		got := compilertest.Messages(t, c.model)
		if c.names == "" && strings.Contains(got, "W34") ||
			c.names != "" && !strings.Contains(got, "W34]: the solution of "+c.names+" changes by") {
			t.Errorf("%s\n%s\nwant a warning that names %q", c.model, got, c.names)
		}
	}
}
