package stdlib

import (
	"fmt"
	"math"
	"slices"
	"testing"

	ad "ppl/autodiff"
)

// TestPlates stacks the cases of a form that have arguments of one size, each point with the arguments of its own case,
// twice along a second plate: every element must get its own arguments.
func TestPlates(t *testing.T) {
	groups := map[string][]distCase{}
	for _, c := range distCases {
		key := c.form
		for _, a := range c.args {
			key += fmt.Sprint(" ", len(a))
		}
		groups[key] = append(groups[key], c)
	}
	for key, cases := range groups {
		d, f := find(t, cases[0].form)
		xs, want, args := stacked(cases)
		g, n := ad.New(), len(want)
		nodes := make([]Node, len(args))
		for i := range args {
			shape := shapeOf(len(cases[0].args[i]), f.Args[i].Rank)
			nodes[i] = g.Data("a", repeat(args[i], 2), join([]int{2, n}, shape...)...)
		}
		x := g.Data("x", repeat(xs, 2), join([]int{2, n}, shapeOf(len(cases[0].at[0].x), d.Event)...)...)
		lp := f.LogProb(x, nodes)
		for i, got := range ad.Eval(nil, lp)[0] {
			if !near(got, want[i%n], 2e-12, 2e-12) {
				t.Errorf("%s: point %d is %g, want %g", key, i, got, want[i%n])
			}
		}
	}
}

// TestPlatesOfArguments evaluates one value with many arguments, as happens for a bound of a truncation.
func TestPlatesOfArguments(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if d.Event > 0 || len(c.args) == 0 {
			return
		}
		g := ad.New()
		args := c.plated(g, f, 3, true)
		nodes := []Node{f.LogProb(g.Const(c.at[0].x[0]), args)}
		want := []float64{c.at[0].logProb}
		if len(c.cdf) > 0 {
			p := c.cdf[0]
			nodes = append(nodes, f.LogCDF(g.Const(p.x), args), f.LogCCDF(g.Const(p.x), args))
			want = append(want, p.logCDF, p.logCCDF)
		}
		for i, got := range ad.Eval(nil, nodes...) {
			if len(got) != 3 || !near(math.Exp(got[len(got)-1]), math.Exp(want[i]), 1e-8, 1e-11) {
				t.Errorf("%v, want three times %g", got, want[i])
			}
		}
	})
}

func stacked(cases []distCase) (xs, want []float64, args [][]float64) {
	args = make([][]float64, len(cases[0].args))
	for _, c := range cases {
		for _, p := range c.at {
			if len(p.x) != len(cases[0].at[0].x) {
				continue
			}
			xs, want = append(xs, p.x...), append(want, p.logProb)
			for i, a := range c.args {
				args[i] = append(args[i], a...)
			}
		}
	}
	return xs, want, args
}

// TestSumsOverPlates checks that the table of sums is as long as the largest support, and that each plate stops at its
// own end.
func TestSumsOverPlates(t *testing.T) {
	_, f := find(t, "BetaBinomial(n, a, b)")
	g := ad.New()
	args := []Node{g.Data("n", []float64{3, 10, 0}, 3), g.Const(1), g.Const(0.5)}
	got := ad.Eval(nil, f.LogCDF(g.Const(5), args))[0]
	// mpmath's sum at 30 digits, and scipy.stats.betabinom.cdf
	for i, want := range []float64{1, 0.33490657948862283, 1} {
		if !near(math.Exp(got[i]), want, 1e-13, 0) {
			t.Errorf("P(X ≤ 5) of plate %d is %g, want %g", i, math.Exp(got[i]), want)
		}
	}
}

// TestSumNeedsStatic checks that a cumulative function that adds up probabilities is invalid if their number is
// unknown.
func TestSumNeedsStatic(t *testing.T) {
	_, f := find(t, "BetaNegBinomial(size, a, b)")
	g := ad.New()
	args := []Node{g.Const(3), g.Const(2), g.Const(4)}
	if f.LogCDF(g.Input("x"), args).Valid() || f.LogCCDF(g.Input("x"), args).Valid() {
		t.Error("a sum up to a parameter")
	}
	if f.LogCDF(g.Const(1e9), args).Valid() {
		t.Error("a sum of a billion terms")
	}
	r := ad.Eval(nil, f.LogCDF(g.Const(inf), args), f.LogCCDF(g.Const(inf), args))
	if r[0][0] != 0 || !math.IsInf(r[1][0], -1) {
		t.Errorf("at infinity %v", r)
	}
}

// TestScalarMean checks that MvNormal(0, C) accepts one number for all elements of the mean.
func TestScalarMean(t *testing.T) {
	for _, form := range Dists()["MvNormal"].Forms {
		g := ad.New()
		x, zero, zeros := g.Data("x", []float64{1, 2, -3, 0.5}, 2, 2), g.Const(0), g.Full(0, 2)
		rest := []Node{g.Data("m", []float64{1, 0, 0, 1}, 2, 2)}
		switch form.Args[1].Name {
		case "cov_factor":
			rest = append(rest, g.Const(0.5))
		case "sd":
			rest = []Node{g.Data("sd", []float64{2, 3}, 2), rest[0]}
		}
		r := ad.Eval(nil, form.LogProb(x, append([]Node{zero}, rest...)),
			form.LogProb(x, append([]Node{zeros}, rest...)))
		if !slices.Equal(r[0], r[1]) || len(r[0]) != 2 {
			t.Errorf("with mean 0: %v, with mean [0, 0]: %v", r[0], r[1])
		}
	}
}
