package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler/compilertest"
)

// TestTimesThatDependOnParameters compares trajectories at times that depend on parameters with closed forms: log ℓ and
// its gradient at five points. The solver's tolerance is 1e-9 per step; the test allows 1e-6 for the sum and 1e-5 for
// its gradient.
func TestTimesThatDependOnParameters(t *testing.T) {
	t.Parallel()
	const head = "data ts[N] = [0.3, 1, 2.5], y[N] = [0.7, 0.5, 0.2], K = 2\nk, d ~ HalfNormal(1)\ninfer ode(rtol = " +
		"1e-9, atol = 1e-9, max_steps = 400)\n"
	for _, c := range []struct{ name, equation, closed string }{
		{"a delay, over a plate, and times that data give beside",
			"u(0) = 1\nu'(t) = -k * u(t)\ny[i in N] ~ Normal(u(ts[i] + d) + u(ts[i]), 1)\n",
			"y[i in N] ~ Normal(exp(-k * (ts[i] + d)) + exp(-k * ts[i]), 1)\n"},
		{"one time, before the initial one",
			"u(0) = 1\nu'(t) = -k * u(t)\ny[i in N] ~ Normal(u(-d) * ts[i], 1)\n",
			"y[i in N] ~ Normal(exp(k * d) * ts[i], 1)\n"},
		{"a system with plates and with the time on its right side, from another initial time",
			"u[j in K](1) = j\nu'[j in K](t) = v(t) * j + t\nv(1) = 2\nv'(t) = -k * v(t)\ny[i in N] ~ Normal(sum(j " +
				"in K: u[j](d * ts[i] * j)), 1)\n",
			"f(j, t) = j + j * 2 * (1 - exp(-k * (t - 1))) / k + (t^2 - 1) / 2\ny[i in N] ~ Normal(sum(j in K: f(j, " +
				"d * ts[i] * j)), 1)\n"},
		{"a vector of times, and a right side that reads neither time nor state",
			"u(0) = 1\nu'(t) = k\nat[n in N] = d * ts[n]\ny ~ Normal(u(at), 1)\n",
			"at[n in N] = d * ts[n]\ny ~ Normal(1 + k * at, 1)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, want := compilertest.Load(t, head+c.equation), compilertest.Load(t, head+c.closed)
			r := rand.New(rand.NewPCG(3, 4))
			for range 5 {
				theta := []float64{0.7 * r.NormFloat64(), 0.7 * r.NormFloat64()}
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
			if _, err := p.Rows(); err == nil {
				if err := compilertest.SplitAgrees(p, r); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
