package evaluate_test

import (
	"math"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
)

// TestEquationsForParts checks that equations for parts of a state give the same solution as separate states.
func TestEquationsForParts(t *testing.T) {
	t.Parallel()
	const head = "data time[N] = [0.5, 1, 2.5], y[N] = [0.2, 0.5, 0.3], c[1..3] = [0.3, 0.5, 0.1]\na, b ~ " +
		"HalfNormal(1)\n"
	named := compilertest.Load(t,
		head+"S'(t) = -a * S(t) * I(t)\nI'(t) = a * S(t) * I(t) - b * I(t)\nR'(t) = b * I(t)\nS(0) = "+
			"0.9\nI(0) = 0.1\nR(0) = 0\n"+
			"y[i in N] ~ Normal(I(time[i]) + 2 * R(time[i]), 0.1)\n")
	chained := compilertest.Load(t,
		head+"p'(t) = c[1] - a * p(t)\nq'(t) = a * p(t) - c[2] * q(t)\nr'(t) = a * q(t) - c[3] * "+
			"r(t)\np(0) = b\nq(0) = 0.2\nr(0) = 0.3\ny[i in N] ~ Normal(q(time[i]) * r(time[i]), 0.1)\n")
	for _, c := range []struct {
		name, text string
		want       *compiler.Program
	}{
		{"element by element", "u'[1](t) = -a * u[1](t) * u[2](t)\nu'[2](t) = a * u[1](t) * u[2](t) - b * " +
			"u[2](t)\nu'[3](t) = b * u[2](t)\nu[1](0) = 0.9\nu[2](0) = 0.1\nu[3](0) = 0\n" +
			"y[i in N] ~ Normal(u[2](time[i]) + 2 * u[3](time[i]), 0.1)\n", named},
		{"the first, and the others by index", "u'[1](t) = c[1] - a * u[1](t)\nu'[k in 2..3](t) = a * u[k-1](t) - " +
			"c[k] * u[k](t)\nu[1](0) = b\nu[k in 2..3](0) = k / 10\n" +
			"y[i in N] ~ Normal(u[2](time[i]) * u[3](time[i]), 0.1)\n", chained},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, at := compilertest.Load(t, head+c.text), []float64{-0.4, 0.3}
			prior, lik, slope := compilertest.Density(p, at)
			wantPrior, wantLik, wantSlope := compilertest.Density(c.want, at)
			got, want := append(slope, prior, lik), append(wantSlope, wantPrior, wantLik)
			if !compilertest.AllNear(got, want, 1e-9) {
				t.Errorf("gradient and density %v, want %v", got, want)
			}
		})
	}
}

// TestEquationsThatReadAnotherSystem checks that a right side may read a state of another system at a fixed time; the
// solution is compared with a closed form. A read of a state of its own system at a fixed time, or at a time that
// depends on the present, is a delay, which is an error.
func TestEquationsThatReadAnotherSystem(t *testing.T) {
	t.Parallel()
	const rest = "\nS(0) = 1\nI(0) = 1\nI'(t) = -k * I(t)\nk ~ HalfNormal(1)\ndata y[N] = [1, 2, 3]\n" +
		"y[i in N] ~ Normal(S(i), 1)\n"
	const k = 0.5
	i := func(t float64) float64 { return math.Exp(-k * t) }
	for right, s := range map[string]func(t float64) float64{
		"-k * I(2)":               func(t float64) float64 { return 1 - k*i(2)*t },
		"-k * I(I(1))":            func(t float64) float64 { return 1 - k*i(i(1))*t },
		"sum(j in 1..2: I(j))":    func(t float64) float64 { return 1 + (i(1)+i(2))*t },
		"early\nearly = I(2) + 1": func(t float64) float64 { return 1 + (i(2)+1)*t },
		"I(2) * S(t)":             func(t float64) float64 { return math.Exp(i(2) * t) },
	} {
		want := 0.0
		for at := 1.0; at <= 3; at++ {
			want += compilertest.NormalLog(at, s(at), 1)
		}
		p := compilertest.Load(t, "S'(t) = "+right+rest)
		if got := compilertest.LikelihoodAt(t, p, map[string]float64{"k": k}); !compilertest.Near(got, want, 1e-5) {
			t.Errorf("%s: log likelihood %v, want %v", right, got, want)
		}
	}
	for _, right := range []string{"I(I(t))", "I(k * S(t))", "S(2)", "I(t - 1)"} {
		if codes := compilertest.ErrorCodes(t, "S'(t) = "+right+rest); len(codes) != 1 || codes[0] != "E91" {
			t.Errorf("%s: %v, want E91", right, codes)
		}
	}
}

// TestEquationsWithUnknowns checks that equations that read a discrete unknown are errors, because systems have no axis
// for its values.
func TestEquationsWithUnknowns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"u'(t) = -z * u(t)\nu(0) = 1\n", "u'(t) = -u(t)\nu(0) = 1 + z\n", "u'(t) = -r * u(t)\nr = 1 + z\nu(0) = 1\n",
	} {
		codes := compilertest.ErrorCodes(t, "data y[N] = [1, 2, 3]\nz ~ Bernoulli(0.3)\n"+text+
			"y[i in N] ~ Normal(u(i), 1)\n")
		if len(codes) != 1 || codes[0] != "E99" {
			t.Errorf("%s: %v, want E99", text, codes)
		}
	}
}
