package renhd

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/posterior/stats"
)

// Where rejections are as those of a constant density of the barrier in log β, equal rejection is a geometric ladder
// (closed form).
func TestRespace(t *testing.T) {
	betas := []float64{1, 0.5, 0.45, 1. / 16}
	var rates []float64
	for j := 1; j < len(betas); j++ {
		rates = append(rates, 1-0.1*math.Log2(betas[j-1]/betas[j]))
	}
	got := respace(betas, rates, 5)
	for j, want := range []float64{1, 0.5, 0.25, 0.125, 0.0625} {
		if math.Abs(got[j]/want-1) > 1e-12 {
			t.Errorf("β[%d] = %v, want %v", j, got[j], want)
		}
	}
}

// Four rungs cannot trade all the way from a prior 300 times as wide as the posterior: they go as far as they can, and
// trade.
func TestFewRungsGoAsFarAsTheyTrade(t *testing.T) {
	target, mean, variance := dynamicstest.Means(normals(1000))
	o := options(3)
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

func TestFirstGuess(t *testing.T) {
	if d := cmp.Diff([]float64{1, 0.5, 0.25}, firstGuess(dynamics.Energy, 3, 4)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{1, 0.0625, 0}, firstGuess(dynamics.Likelihood, 3, 4)); d != "" {
		t.Error(d)
	}
}

// A walker that goes 0 1 2 1 0 has made one round trip, one that turns back in the middle none.
func TestRoundTrips(t *testing.T) {
	w := &walkers{roster: &roster{Rungs: make([]rung, 3), RungOf: make([]int, 1)}}
	count := func(path ...int) int {
		trips := roundTrips{LastEnd: make([]int, 1)}
		for _, r := range path {
			w.RungOf[0] = r
			trips.count(w)
		}
		return trips.Count
	}
	for want, path := range map[int][]int{0: {0, 1, 0, 1, 2}, 1: {0, 1, 2, 1, 0}, 2: {2, 0, 1, 2, 1, 0, 1, 2, 0}} {
		if got := count(path...); got != want {
			t.Errorf("path %v: %d round trips, want %d", path, got, want)
		}
	}
}

// A ladder is used where it is asked for although walkers agree, and not elsewhere.
func TestLadderOnDemand(t *testing.T) {
	normal := dynamicstest.Density{D: 2, LogPrior: func(x autodiff.Node) autodiff.Node {
		return autodiff.Mul(x.Graph().Const(-.5), autodiff.SumAll(autodiff.Mul(x, x)))
	}}
	for _, ladder := range []bool{false, true} {
		o := options(3)
		o.Warmup, o.Draws, o.Ladder = 200, 100, ladder
		if _, report := draw(t, normal, o); (len(report.Temperatures) > 1) != ladder {
			t.Errorf("ladder %t: temperatures %v", ladder, report.Temperatures)
		}
	}
}
