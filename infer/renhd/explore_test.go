package renhd

import (
	"testing"

	"ppl/infer"
	"ppl/infer/renhd/renhdtest"
)

// TestExplore checks that walkers from independent starts agree on a normal and disagree on two modes, and that the
// result is empty if the budget of gradients is very small.
func TestExplore(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		target infer.Target
		most   int64
		apart  bool
		cut    bool
	}{
		"one": {renhdtest.Widths(2, 1, 1e-300), 1e6, false, false},
		"two": {renhdtest.Widths(2, .5, .5), 1e6, true, false},
		"cut": {renhdtest.Widths(2, 1, 1e-300), 100, false, true},
	} {
		seen, err := Explore(t.Context(), c.target, renhdtest.Options(1), c.most)
		if err != nil || seen.Apart != c.apart || seen.Cut != c.cut || seen.Gradients < 1 ||
			(len(seen.Visited) == 16) == c.cut {
			t.Errorf("%s: %d walkers, apart %v, cut %v, %d gradients, %v", name, len(seen.Visited), seen.Apart,
				seen.Cut, seen.Gradients, err)
		}
	}
}
