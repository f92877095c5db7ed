package ladder

import (
	"ppl/infer/renhd/population"
)

// roundTrips counts how often walkers go from the coldest rung to the hottest and back.
type roundTrips struct {
	LastEnd []int // by lane: the end of the ladder where the walker was last, as its direction
	Count   int
}

// The directions of a walker: away from the end where it was last.
const (
	undecided = iota
	upward    // from the coldest rung
	downward  // from the hottest, and the coldest one before
)

// count counts one iteration. A walker counts as moving up again only after it has reached the coldest rung.
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
