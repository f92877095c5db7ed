package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler/compilertest"
)

// TestEvents compares models with doses as events with the superposition of single doses: log ℓ and its gradient at
// five points, with both solvers.
func TestEvents(t *testing.T) {
	t.Parallel()
	const head = "data ts[N] = [0.3, 1, 2.5, 4], y[N] = [0.7, 0.5, 0.2, 0.3]\n" +
		"data who[N]: index(S) = [1, 2, 2, 1], S = 2\n" +
		"data when[D] = [2, 0.5, 0, 2], dose[D] = [3, 1, 2, 0.5], of[D]: index(S) = [1, 1, 2, 2]\n" +
		"k, d ~ HalfNormal(1)\n"
	const decay = "u(0) = 1\nu'(t) = -k * u(t)\n"
	const superposed = "f(t) = exp(-k * t)\ng(t) = t > 0 ? f(t) : 0\n"
	for _, c := range []struct{ name, equation, closed string }{
		{"one dose, whose amount is a parameter", decay + "at t = 0.5: u += d\ny[i in N] ~ Normal(u(ts[i]), 1)\n",
			superposed + "y[i in N] ~ Normal(f(ts[i]) + d * g(ts[i] - 0.5), 1)\n"},
		{"doses of a table, two of them at one time",
			decay + "at[j in D] t = when[j]: u += d * dose[j]\ny[i in N] ~ Normal(u(ts[i]), 1)\n",
			superposed + "y[i in N] ~ Normal(f(ts[i]) + d * sum(j in D: dose[j] * g(ts[i] - when[j])), 1)\n"},
		{"a table of the doses of several subjects, with a lag",
			"u[s in S](0) = s\nu'[s in S](t) = -k * s * u[s](t)\nat[j in D] t = when[j] + d: u[of[j]] += dose[j]\n" +
				"y[i in N] ~ Normal(u[who[i]](ts[i]), 1)\n",
			"f(s, t) = exp(-k * s * t)\ng(s, t) = t > 0 ? f(s, t) : 0\n" +
				"y[i in N] ~ Normal(who[i] * f(who[i], ts[i]) + " +
				"sum(j in D: of[j] == who[i] ? dose[j] * g(who[i], ts[i] - when[j] - d) : 0), 1)\n"},
		{"events over two indices, which read the state and the time",
			"u[s in S](0) = s\nu'[s in S](t) = -k * u[s](t)\n" +
				"at[s in S, j in 1..2] t = j: u[s] += t * s - u[s](t) / 2\ny[i in N] ~ Normal(u[who[i]](ts[i]), 1)\n",
			"e(t) = exp(-k * t)\nfirst(s, t) = (s * e(1) / 2 + s) * e(t - 1)\n" +
				"f(s, t) = t <= 1 ? s * e(t) : t <= 2 ? first(s, t) : (first(s, 2) / 2 + 2 * s) * e(t - 2)\n" +
				"y[i in N] ~ Normal(f(who[i], ts[i]), 1)\n"},
		{"values at times that depend on parameters, and one before the initial time",
			decay + "at[j in D] t = when[j]: u += dose[j]\ny[i in N] ~ Normal(u(ts[i] * d) + u(-d), 1)\n",
			superposed + "y[i in N] ~ Normal(f(ts[i] * d) + sum(j in D: dose[j] * g(ts[i] * d - when[j])) + f(-d), " +
				"1)\n"},
		{"such values and a lag", decay + "at[j in D] t = when[j] + k: u += dose[j]\n" +
			"y[i in N] ~ Normal(u(ts[i] * d), 1)\n",
			superposed + "y[i in N] ~ Normal(f(ts[i] * d) + sum(j in D: dose[j] * g(ts[i] * d - when[j] - k)), 1)\n"},
		{"an infusion that begins at a parameter", decay[:len(decay)-1] + " + (t > d && t < d + 0.5 ? 1 : 0)\n" +
			"y[i in N] ~ Normal(u(ts[i]) + u(ts[i] * k), 1)\n",
			"f(t) = exp(-k * t)\ng(t) = t > 0 ? (1 - f(t)) / k : 0\nh(t) = f(t) + g(t - d) - g(t - d - 0.5)\n" +
				"y[i in N] ~ Normal(h(ts[i]) + h(ts[i] * k), 1)\n"},
	} {
		for _, method := range []string{"rk45", "bdf"} {
			t.Run(c.name+" by "+method, func(t *testing.T) {
				t.Parallel()
				p := compilertest.Load(t, head+"infer ode(rtol = 1e-9, atol = 1e-9, max_steps = 400, method = "+method+
					")\n"+c.equation)
				want := compilertest.Load(t, head+c.closed)
				r := rand.New(rand.NewPCG(5, 6))
				for range 5 {
					theta := []float64{0.5 * r.NormFloat64(), 0.5 * r.NormFloat64()}
					got, slope := compilertest.Likelihood(p, theta)
					exact, tangent := compilertest.Likelihood(want, theta)
					if !compilertest.Within(got[1], exact[1], 1e-6*(1+math.Abs(exact[1]))) {
						t.Errorf("log ℓ is %v, in closed form %v", got[1], exact[1])
					}
					for i, g := range slope {
						if !compilertest.Within(g, tangent[i], 1e-5*(1+math.Hypot(tangent[0], tangent[1]))) {
							t.Errorf("its derivative %d is %v, in closed form %v", i, g, tangent[i])
						}
					}
				}
			})
		}
	}
}
