package renhd

import (
	"context"
	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"testing"
)

// explorersOf is a run whose 16 explorers are at given positions.
func explorersOf(t *testing.T, target infer.Target, at func(lane int) []float64) *course {
	t.Helper()
	_, s, err := newConfig(target, options(1), swapRules{})
	if err != nil {
		t.Fatal(err)
	}
	r := newCourse(context.Background(), s.onPath(dynamics.Plain), &dynamicstest.Memory{})
	if err := r.load([]float64{1}, mostOfChain); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	positions := make([][]float64, r.walkers.lanes())
	for lane := range positions {
		positions[lane] = at(lane)
	}
	if _, err := r.walkers.place(r.ctx, positions); err != nil {
		t.Fatal(err)
	}
	return r
}

// withLateHalves fills in what a window keeps of the second half of each walker's way.
func withLateHalves(s *visits) *visits {
	s.Late = make([]lateHalf, len(s.Visited))
	for lane, xs := range s.Visited {
		for i := len(xs) / 2; i < len(xs); i++ {
			s.Late[lane].add(xs[i], s.Density[lane][i])
		}
	}
	return s
}
