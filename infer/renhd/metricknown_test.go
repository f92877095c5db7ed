package renhd

import (
	"context"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
)

// TestWarmUpEndsEarlyInOneMode checks that warm-up ends early if walkers agree at once, and uses all of its iterations
// if there are several modes.
func TestWarmUpEndsEarlyInOneMode(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	iterations := func(target infer.Target) int {
		_, s, err := population.NewConfig(target, renhdtest.Options(1), population.SwapRules{})
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(context.Background(), s, ladder.Exchange{Test: ladder.Penalty()}, new(memory))
		defer r.Close()
		if err := r.warmUp(); err != nil {
			t.Fatal(err)
		}
		return r.Iterations
	}
	all := renhdtest.Options(1).Warmup
	if n := iterations(dynamicstest.Normal(1, 1e-3, 10)); n > all*2/3 {
		t.Errorf("%d of %d iterations in one mode", n, all)
	}
	if n := iterations(dynamicstest.FiveModes().Target()); n < all {
		t.Errorf("%d of %d iterations in five modes", n, all)
	}
}
