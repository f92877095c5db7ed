package ladder

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// TestRespace checks a barrier that is proportional to log β, for which rungs with equal rejection rates form a
// geometric ladder.
func TestRespace(t *testing.T) {
	betas := []float64{1, 0.5, 0.45, 1. / 16}
	var rates []float64
	for j := 1; j < len(betas); j++ {
		rates = append(rates, 1-0.1*math.Log2(betas[j-1]/betas[j]))
	}
	got := Respace(betas, rates, 5)
	for j, want := range []float64{1, 0.5, 0.25, 0.125, 0.0625} {
		if math.Abs(got[j]/want-1) > 1e-12 {
			t.Errorf("β[%d] = %v, want %v", j, got[j], want)
		}
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

// TestRoundTrips checks that the path 0 1 2 1 0 is one round trip, and that a path that reverses in the middle is none.
func TestRoundTrips(t *testing.T) {
	w := &population.Walkers{Lineup: &population.Lineup{Rungs: make([]population.Rung, 3), RungOf: make([]int, 1)}}
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
