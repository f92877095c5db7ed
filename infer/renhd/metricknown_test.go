package renhd

import (
	"context"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
)

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
