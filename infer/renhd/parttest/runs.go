package parttest

import (
	"context"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
)

// Explorers returns a run with 16 explorers; at returns the position of each.
func Explorers(t *testing.T, target infer.Target, at func(lane int) []float64) *part.Run {
	t.Helper()
	_, s, err := population.NewConfig(target, renhdtest.Options(1), population.SwapRules{})
	if err != nil {
		t.Fatal(err)
	}
	r := part.NewRun(context.Background(), s.OnPath(dynamics.Plain), &dynamicstest.Memory{})
	if err := r.Load([]float64{1}, population.MostOfChain); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	positions := make([][]float64, r.Walkers.Lanes())
	for lane := range positions {
		positions[lane] = at(lane)
	}
	if _, err := r.Walkers.Place(r.Ctx, positions); err != nil {
		t.Fatal(err)
	}
	return r
}

// WithLateHalves sets the statistics of the second half of each walker's positions, and returns s.
func WithLateHalves(s *population.Visits) *population.Visits {
	s.Late = make([]population.LateHalf, len(s.Visited))
	for lane, xs := range s.Visited {
		for i := len(xs) / 2; i < len(xs); i++ {
			s.Late[lane].Add(xs[i], s.Density[lane][i])
		}
	}
	return s
}
