package renhd

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestFewRungsGoAsFarAsTheyTrade checks that a ladder of four rungs is shortened if it cannot swap up to a prior that
// is 300 times as wide as the posterior, and that swaps then work.
func TestFewRungsGoAsFarAsTheyTrade(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	target, mean, variance := dynamicstest.Means(renhdtest.Normals(1000))
	o := renhdtest.Options(3)
	o.Draws, o.Thin, o.Warmup, o.Settings = 500, 1, 500, infer.Settings{Replicas: 4}
	m, report := draw(t, target, o)
	if report.Path != "likelihood" || slices.Min(report.SwapRates) < 0.15 ||
		!strings.Contains(strings.Join(report.Notes, " "), "hardly swap") {
		t.Errorf("path %s, temperatures %.3g, swap rates %.2f, notes %q", report.Path, report.Temperatures,
			report.SwapRates, report.Notes)
	}
	if s := stats.Summarize(m.chains(0)); math.Abs(s.Mean-mean) > 5*s.MCSEMean ||
		math.Abs(s.SD/math.Sqrt(variance)-1) > 0.1 {
		t.Errorf("%+v, want %.4f ± %.4f", s, mean, math.Sqrt(variance))
	}
}

// TestLadderOnDemand checks that a ladder is used if Options.Ladder is set, although walkers agree, and not otherwise.
func TestLadderOnDemand(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	normal := dynamicstest.Density{D: 2, LogPrior: func(x autodiff.Node) autodiff.Node {
		return autodiff.Mul(x.Graph().Const(-.5), autodiff.SumAll(autodiff.Mul(x, x)))
	}}
	for _, ladder := range []bool{false, true} {
		o := renhdtest.Options(3)
		o.Warmup, o.Draws, o.Ladder = 200, 100, ladder
		if _, report := draw(t, normal, o); (len(report.Temperatures) > 1) != ladder {
			t.Errorf("ladder %t: temperatures %v", ladder, report.Temperatures)
		}
	}
}
