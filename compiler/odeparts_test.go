package compiler

import (
	"testing"
)

// Equations for parts of a trajectory are those of states with names of their own.
func TestEquationsForParts(t *testing.T) {
	const head = "data time[N] = [0.5, 1, 2.5], y[N] = [0.2, 0.5, 0.3], c[1..3] = [0.3, 0.5, 0.1]\na, b ~ " +
		"HalfNormal(1)\n"
	named := load(t, head+"S'(t) = -a * S(t) * I(t)\nI'(t) = a * S(t) * I(t) - b * I(t)\nR'(t) = b * I(t)\nS(0) = "+
		"0.9\nI(0) = 0.1\nR(0) = 0\n"+
		"y[i in N] ~ Normal(I(time[i]) + 2 * R(time[i]), 0.1)\n")
	chained := load(t, head+"p'(t) = c[1] - a * p(t)\nq'(t) = a * p(t) - c[2] * q(t)\nr'(t) = a * q(t) - c[3] * "+
		"r(t)\np(0) = b\nq(0) = 0.2\nr(0) = 0.3\ny[i in N] ~ Normal(q(time[i]) * r(time[i]), 0.1)\n")
	for _, c := range []struct {
		name, text string
		want       *Program
	}{
		{"element by element", "u'[1](t) = -a * u[1](t) * u[2](t)\nu'[2](t) = a * u[1](t) * u[2](t) - b * " +
			"u[2](t)\nu'[3](t) = b * u[2](t)\nu[1](0) = 0.9\nu[2](0) = 0.1\nu[3](0) = 0\n" +
			"y[i in N] ~ Normal(u[2](time[i]) + 2 * u[3](time[i]), 0.1)\n", named},
		{"the first, and the others by index", "u'[1](t) = c[1] - a * u[1](t)\nu'[k in 2..3](t) = a * u[k-1](t) - " +
			"c[k] * u[k](t)\nu[1](0) = b\nu[k in 2..3](0) = k / 10\n" +
			"y[i in N] ~ Normal(u[2](time[i]) * u[3](time[i]), 0.1)\n", chained},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, at := load(t, head+c.text), []float64{-0.4, 0.3}
			got, want := densityAt(p, at), densityAt(c.want, at)
			for k := range want {
				if !near(got[k], want[k], 1e-9) {
					t.Errorf("density and gradient %v, want %v", got, want)
					break
				}
			}
		})
	}
}
