package renhd

import (
	"ppl/infer"
	"testing"
)

// modesAt are the modes known, none, of a run whose 16 explorers are at given positions.
func modesAt(t *testing.T, target infer.Target, at func(lane int) []float64) *knownModes {
	t.Helper()
	return newKnownModes(explorersOf(t, target, at))
}

// searchAfter searches for modes after walkers have made visits.
func searchAfter(r *knownModes, seen *visits) (found bool, err error) {
	return r.search(r.newSearch(func() *visits { return seen }, false))
}
