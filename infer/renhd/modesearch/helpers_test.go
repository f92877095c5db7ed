package modesearch

import (
	"testing"

	"ppl/infer"
	"ppl/infer/renhd/parttest"
	"ppl/infer/renhd/population"
)

// modesAt are the modes known, none, of a run whose 16 explorers are at given positions.
func modesAt(t *testing.T, target infer.Target, at func(lane int) []float64) *Known {
	t.Helper()
	return NewKnown(parttest.Explorers(t, target, at))
}

// searchAfter searches for modes after walkers have made visits.
func searchAfter(r *Known, seen *population.Visits) (found bool, err error) {
	return r.Search(r.NewSearch(func() *population.Visits { return seen }, false))
}
