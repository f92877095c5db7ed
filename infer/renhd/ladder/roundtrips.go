package ladder

import (
	"ppl/infer/renhd/population"
)

// roundTrips counts how often walkers go from the coldest rung to the hottest and back.
type roundTrips struct {
	LastEnd []int // direction of the walker on each lane: away from the end that it reached last
	Count   int
}

// Directions of a walker: away from the end that it reached last.
const (
	undecided = iota
	upward    // from the coldest rung
	downward  // from the hottest rung, after the coldest
)

// count counts one iteration. A walker moves upward again only after it has reached the coldest rung.
func (t *roundTrips) count(w *population.Walkers) {
	for lane, r := range w.RungOf {
		switch {
		case r == len(w.Rungs)-1 && t.LastEnd[lane] == upward:
			t.LastEnd[lane] = downward
		case r == 0 && t.LastEnd[lane] == downward:
			t.LastEnd[lane] = upward
			t.Count++
		case r == 0:
			t.LastEnd[lane] = upward
		}
	}
}
