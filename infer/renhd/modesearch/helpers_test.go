package modesearch

import (
	"testing"

	"ppl/infer"
	"ppl/infer/renhd/parttest"
	"ppl/infer/renhd/population"
)

// modesAt returns a Known without modes, of a run whose 16 explorers are at the given positions.
func modesAt(t *testing.T, target infer.Target, at func(lane int) []float64) *Known {
	t.Helper()
	return NewKnown(parttest.Explorers(t, target, at))
}

// searchAfter searches for modes after the visits seen.
func searchAfter(r *Known, seen *population.Visits) (found bool, err error) {
	return r.Search(r.NewSearch(func() *population.Visits { return seen }, false))
}
