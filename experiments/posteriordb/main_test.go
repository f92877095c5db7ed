package main

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"ppl/compiler"
	"ppl/lang/diag"
)

// TestWrong checks that means and quantiles within the errors are accepted, and that they are wrong if they are shifted
// by a tenth of a standard deviation or their scale is a tenth too large.
func TestWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	normal := func(n int, mean, sd float64) (xs []float64) {
		for range n {
			xs = append(xs, mean+sd*r.NormFloat64())
		}
		return xs
	}
	var chains [][]float64
	for range 10 {
		chains = append(chains, normal(1000, 5, 2))
	}
	of := referenceOf(chains)
	for name, c := range map[string]struct {
		mean, sd float64
		want     bool
	}{"the same": {5, 2, false}, "moved": {5.3, 2, true}, "wider": {5, 2.4, true}} {
		const n = 8000
		xs := slices.Sorted(slices.Values(normal(n, c.mean, c.sd)))
		q := func(p float64) *float64 { v := stat.Quantile(p, stat.LinInterp, xs, nil); return &v }
		mean, sd, rhat, ess := stat.Mean(xs, nil), stat.StdDev(xs, nil), 1.0, float64(n)
		mcse := sd / 90
		x := element{"x", &mean, &sd, &mcse, q(.05), q(.5), q(.95), &ess, &ess, &rhat}
		if how, off := of.wrong(x); (off > 0) != c.want {
			t.Errorf("%s: %q, %.3f standard deviations", name, how, off)
		}
	}
}

// TestVerdict checks the table's verdict on runs that are wrong, slow or beyond the time limit.
func TestVerdict(t *testing.T) {
	for want, r := range map[string]run{
		"right": {Compared: 3}, "wrong": {Compared: 3, Wrong: "a"}, "wrong, flagged": {Wrong: "a", RHat: 1.02},
		"converged": {RHat: 1.001}, "converged, flagged": {Warnings: []string{"slow"}}, "out of time": {Exit: -1},
		"refused": {Exit: 1},
	} {
		if got := r.verdict(); got != want {
			t.Errorf("%+v: %s, want %s", r, got, want)
		}
	}
}

// TestModels checks that the checker accepts every model.
func TestModels(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("models/*.ppl")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	for _, f := range files {
		_, ds := compiler.Check(f)
		if diag.HasErrors(ds) {
			t.Errorf("%s: %v", f, ds)
		}
	}
}
