package validate_test

import (
	"strings"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// TestLawsThatReadWhatTheyDraw checks arrays whose elements are drawn from other elements. The product of the densities
// integrates to 1 if no element depends on itself, in whatever order the elements are. A cycle is an error.
func TestLawsThatReadWhatTheyDraw(t *testing.T) {
	t.Parallel()
	const tail = "y[n in N] ~ Normal(x[n], 1)\n"
	for _, c := range []struct{ name, text, refused string }{
		{"parents before children", "data parent[N] = [0, 1, 1, 2], y[N] = [1, 2, 3, 4]\nx[1] ~ Normal(0, 1)\nx[n in " +
			"2..N] ~ Normal(x[parent[n]], 1)\n", ""},
		{"children before parents", "data parent[N] = [2, 4, 4, 0], y[N] = [1, 2, 3, 4]\nx[n in 1..3] ~ " +
			"Normal(x[parent[n]], 1)\nx[4] ~ Normal(0, 1)\n", ""},
		{"the root in a branch", "data parent[N] = [0, 3, 1, 2], y[N] = [1, 2, 3, 4]\nx[n in N] ~ Normal(parent[n] > " +
			"0 ? x[parent[n]] : 0, 1)\n", ""},
		{"through a definition", "data parent[N] = [0, 3, 1, 2], y[N] = [1, 2, 3, 4]\nm[n in 2..N] = 2 * " +
			"x[parent[n]]\nx[1] ~ Normal(0, 1)\nx[n in 2..N] ~ Normal(m[n], 1)\n", ""},
		{"one element that all read", "data y[N] = [1, 2, 3, 4]\nx[1] ~ Normal(0, 1)\nx[n in 2..N] ~ Normal(x[1], 1)\n",
			""},
		{"from both ends", "data y[N] = [1, 2, 3, 4, 5, 6]\nx[1] ~ Normal(0, 1)\nx[n in 2..3] ~ Normal(x[n-1], " +
			"1)\nx[n in 4..5] ~ Normal(x[n+1], 1)\nx[6] ~ Normal(0, 1)\n", ""},
		{"the mean of some", "data y[N] = [1, 2, 3, 4]\nx[n in 1..2] ~ Normal(0, 1)\nx[n in 3..N] ~ " +
			"Normal(mean(x[1..2]), 1)\n", ""},
		{"a circle of three", "data parent[N] = [0, 3, 4, 2], y[N] = [1, 2, 3, 4]\nx[1] ~ Normal(0, 1)\nx[n in 2..N] " +
			"~ Normal(x[parent[n]], 1)\n", "x[2] → x[3] → x[4] → x[2]"},
		{"its own parent", "data parent[N] = [0, 1, 3, 2], y[N] = [1, 2, 3, 4]\nx[1] ~ Normal(0, 1)\nx[n in 2..N] ~ " +
			"Normal(x[parent[n]], 1)\n", "x[3] → x[3]"},
		{"a circle through a definition", "data parent[N] = [0, 3, 2, 1], y[N] = [1, 2, 3, 4]\nm[n in 2..N] = " +
			"x[parent[n]]\nx[1] ~ Normal(0, 1)\nx[n in 2..N] ~ Normal(m[n], 1)\n", "m[2] → x[3] → m[3] → x[2] → m[2]"},
		{"two arrays", "data g[N] = [1, 2, 3, 4], y[N] = [1, 2, 3, 4]\nx[n in N] ~ Normal(w[g[n]], 1)\nw[1] ~ " +
			"Normal(0, 1)\nw[n in 2..N] ~ Normal(x[g[n]], 1)\n", "x[2] → w[2] → x[2]"},
		{"a mean of all", "data y[N] = [1, 2, 3, 4]\nx[1] ~ Normal(0, 1)\nx[n in 2..N] ~ Normal(mean(x[1..3]), 1)\n",
			"x[2] → x[2]"},
		{"both ways, by data", "data d[N] = [0, 1, -1, 1], y[N] = [1, 2, 3, 4]\nx[1] ~ Normal(0, 1)\nx[n in 2..N] ~ " +
			"Normal(x[d[n] > 0 ? n - 1 : n + 1], 1)\n", "x[3] → x[4] → x[3]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := compilertest.Messages(t, c.text+tail); c.refused == "" && got != "" || !strings.Contains(got,
				c.refused) {
				t.Errorf("want %q, got\n%s", c.refused, got)
			}
		})
	}
}

// TestATreeOfLaws checks the density of a tree whose children have smaller numbers than their parents.
func TestATreeOfLaws(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, "data parent[N] = [2, 4, 4, 0], y[N] = [1, 2, 3, 4]\ns ~ HalfNormal(1)\nx[n in 1..3] ~ "+
		"Normal(x[parent[n]], s)\nx[4] ~ Normal(0, 1)\ny[n in N] ~ Normal(x[n], 1)\n")
	x := []float64{0.2, -0.3, 1.4, 0.9}
	lp, err := p.LogProb(map[string]*content.Array{"s": {Values: numbers.Of(0.7)},
		"x": {Shape: []int{4}, Values: numbers.Of(x...)}})
	if err != nil {
		t.Fatal(err)
	}
	want := compilertest.NormalLog(0.7, 0, 1) + 0.69314718055994531 + compilertest.NormalLog(x[0], x[1],
		0.7) + compilertest.NormalLog(x[1], x[3], 0.7) +
		compilertest.NormalLog(x[2], x[3], 0.7) + compilertest.NormalLog(x[3], 0, 1)
	if !compilertest.Near(lp.Prior, want, 1e-13) {
		t.Errorf("log prior %.15g, want %.15g", lp.Prior, want)
	}
}
