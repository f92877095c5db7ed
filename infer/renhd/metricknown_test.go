package renhd

import (
	"context"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
)

// The metric counts as known only where walkers agree, have forgotten their starts, and move in short trajectories in
// the coordinates that they keep: each case but the first lacks one of these.
func TestMetricKnown(t *testing.T) {
	known := windowResult{Steps: 2, Disagreement: 0.03, verdict: verdict{OnePlace: true}}
	for name, c := range map[string]struct {
		change func(*windowResult)
		want   bool
	}{
		"known":             {func(*windowResult) {}, true},
		"apart":             {func(r *windowResult) { r.OnePlace = false }, false},
		"connected alone":   {func(r *windowResult) { r.OnePlace, r.Connected = false, true }, false},
		"slow":              {func(r *windowResult) { r.Disagreement = 0.1 }, false},
		"long trajectories": {func(r *windowResult) { r.Steps = 20 }, false},
		"other coordinates": {func(r *windowResult) { r.Recentred = true }, false},
	} {
		found := known
		if c.change(&found); found.metricKnown() != c.want {
			t.Errorf("%s: known is %v", name, found.metricKnown())
		}
	}
}

// Warm-up ends early where walkers agree at once; where they are in several modes it has all of its iterations.
func TestWarmUpEndsEarlyInOneMode(t *testing.T) {
	iterations := func(target infer.Target) int {
		_, s, err := newConfig(target, options(1), swapRules{})
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(context.Background(), s, exchange{test: penalty()}, new(memory))
		defer r.close()
		if err := r.warmUp(); err != nil {
			t.Fatal(err)
		}
		return r.Iterations
	}
	all := options(1).Warmup
	if n := iterations(dynamicstest.Normal(1, 1e-3, 10)); n > all*2/3 {
		t.Errorf("%d of %d iterations in one mode", n, all)
	}
	if n := iterations(dynamicstest.FiveModes().Target()); n < all {
		t.Errorf("%d of %d iterations in five modes", n, all)
	}
}
