package compiler_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/compiler/compilertest"
	"ppl/lang/types"
)

// TestNotFinite checks that NotFinite names exactly the parts of the density that are not finite, and none if a
// starting point has a finite density.
func TestNotFinite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a datum outside": {"data y[N] = [1, 99, 2], z[N] = [1, 2, 3]\na ~ Uniform(0, 1)\ny[i in N] ~ Uniform(a, 10 " +
			"+ a)\nz[i in N] ~ Normal(a, 1)",
			[]string{"the log likelihood of `y` is -Inf in 1 of 3 rows, row 2 first"}},
		"a prior by formula": {"data y[N] = [1]\na ~ Density(log(-1 - a^2))\ny[i in N] ~ Normal(a, 1)",
			[]string{"the log prior of `a` is NaN"}},
		"sound": {"data y[N] = [1]\na ~ Normal(0, 1)\ny[i in N] ~ Normal(a, 1)", nil},
	} {
		if d := cmp.Diff(c.want, compilertest.Load(t, c.text).NotFinite(1)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestNonFiniteTerms checks that NonFiniteTerms names the distribution if the density is not finite, the term whose
// gradient is not finite if only a gradient fails, and no term at other points.
func TestNonFiniteTerms(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t,
		"data y[N] = [1.2, 0.3], z[N] = [1, 2]\na ~ Normal(0, 3)\ny[i in N] ~ Normal(sqrt(a), 1)\nz[i in N] "+
			"~ Normal(log(a), 1)")
	for _, c := range []struct {
		points [][]float64
		want   []types.NonFiniteTerm
	}{
		{[][]float64{{1}, {2}}, nil},
		{[][]float64{{-1}, {1}, {-2}}, []types.NonFiniteTerm{{Part: "the log likelihood of `y`", Points: 2},
			{Part: "the log likelihood of `z`", Points: 2}}},
		{[][]float64{{0}, {0}, {-1}}, []types.NonFiniteTerm{{Part: "the log likelihood of `z`", Points: 3, Zeros: 2},
			{Part: "the log likelihood of `y`", Points: 1}}},
	} {
		got, looked := p.NonFiniteTerms(c.points)
		if d := cmp.Diff(c.want, got); d != "" || looked != len(c.points) {
			t.Errorf("%v: looked at %d; %s", c.points, looked, d)
		}
	}
	root := compilertest.Load(t, "data y[N] = [1.2, 0.3]\na ~ Normal(0, 3)\ny[i in N] ~ Normal(sqrt(a), 1)")
	want := []types.NonFiniteTerm{{Part: "the log likelihood of `y`", Points: 1}}
	if got, _ := root.NonFiniteTerms([][]float64{{0}}); !cmp.Equal(want, got) {
		t.Errorf("a gradient: got %v, want %v", got, want)
	}
}

// TestUnreached checks the order and the advice of the named terms if a solver exceeds its maximum number of steps:
// first the equations, then the terms that read their solution. If the solution exists but a term that reads it is not
// finite, only that term is named.
func TestUnreached(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, `data y[N] = [0.4, 0.1, 0.02], at[N] = [1, 2, 3]
k ~ LogNormal(0, 1)
u(0) = 1
u'(t) = -k * u(t)
y[i in N] ~ LogNormal(log(u(at[i]) - 1e-6), 1)
infer ode(max_steps = 40)`)
	help := "the solver did not reach all requested times within its maximum number of steps (40); `infer " +
		"ode(max_steps = 120)` raises the maximum, and stiff equations need fewer steps with `method = bdf`"
	solution, reader := types.NonFiniteTerm{Part: "the solution of `u`", Points: 1, Help: help},
		types.NonFiniteTerm{Part: "the log likelihood of `y`", Points: 1}
	for _, c := range []struct {
		k    float64
		want []types.NonFiniteTerm
	}{{1, nil}, {1000, []types.NonFiniteTerm{solution, reader}}, {6, []types.NonFiniteTerm{reader}}} {
		got, _ := p.NonFiniteTerms([][]float64{{math.Log(c.k)}})
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("k = %g: %s", c.k, d)
		}
	}
}
