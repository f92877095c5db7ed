package compiler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/infer/draws"
)

// TestNotFinite: the parts that are named are those made impossible; a model that starts somewhere has none.
func TestNotFinite(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a datum outside": {"data y[N] = [1, 99, 2], z[N] = [1, 2, 3]\na ~ Uniform(0, 1)\ny[i in N] ~ Uniform(a, 10 + a)\nz[i in N] ~ Normal(a, 1)",
			[]string{"the log likelihood of `y` is -Inf in 1 of 3 rows, row 2 first"}},
		"a prior by formula": {"data y[N] = [1]\na ~ Density(log(-1 - a^2))\ny[i in N] ~ Normal(a, 1)", []string{"the log prior of `a` is NaN"}},
		"sound":              {"data y[N] = [1]\na ~ Normal(0, 1)\ny[i in N] ~ Normal(a, 1)", nil},
	} {
		if d := cmp.Diff(c.want, load(t, c.text).NotFinite(1)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestCulprits: at a point outside a law's domain the law is named, at one where only a gradient fails the one whose it is, elsewhere none.
func TestCulprits(t *testing.T) {
	p := load(t, "data y[N] = [1.2, 0.3], z[N] = [1, 2]\na ~ Normal(0, 3)\ny[i in N] ~ Normal(sqrt(a), 1)\nz[i in N] ~ Normal(log(a), 1)")
	for _, c := range []struct {
		points [][]float64
		want   []draws.Culprit
	}{
		{[][]float64{{1}, {2}}, nil},
		{[][]float64{{-1}, {1}, {-2}}, []draws.Culprit{{Part: "the log likelihood of `y`", Points: 2}, {Part: "the log likelihood of `z`", Points: 2}}},
		{[][]float64{{0}, {0}, {-1}}, []draws.Culprit{{Part: "the log likelihood of `z`", Points: 3}, {Part: "the log likelihood of `y`", Points: 1}}},
	} {
		got, looked := p.Culprits(c.points)
		if d := cmp.Diff(c.want, got); d != "" || looked != len(c.points) {
			t.Errorf("%v: looked at %d; %s", c.points, looked, d)
		}
	}
	root := load(t, "data y[N] = [1.2, 0.3]\na ~ Normal(0, 3)\ny[i in N] ~ Normal(sqrt(a), 1)")
	want := []draws.Culprit{{Part: "the log likelihood of `y`", Points: 1}}
	if got, _ := root.Culprits([][]float64{{0}}); !cmp.Equal(want, got) {
		t.Errorf("a gradient: got %v, want %v", got, want)
	}
}
