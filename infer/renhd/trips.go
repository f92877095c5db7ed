package renhd

// trips counts journeys of walkers from the cold end to the hot end and back.
type trips struct {
	last  []int // by lane: the way it goes
	count int
}

// The ways a walker can go: towards the end where it was not last.
const (
	undecided = iota
	upward    // from the cold end
	downward  // from the hot end, and the cold one before
)

func (t *trips) note(w *walkers) {
	for lane, r := range w.rungOf {
		switch {
		case r == len(w.rungs)-1 && t.last[lane] == upward:
			t.last[lane] = downward
		case r == 0 && t.last[lane] == downward:
			t.last[lane] = upward
			t.count++
		case r == 0:
			t.last[lane] = upward
		}
	}
}
