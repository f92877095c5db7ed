package app

import (
	"testing"
	"time"
)

// Checkpoints of any cost and size take a hundredth of the time, including one at the end. Small ones are written every
// two seconds, and large ones are written, too. The planted fault is a budget that forgets the time spent.
func TestCheckpointsTakeAHundredth(t *testing.T) {
	const length, step = 10 * time.Minute, 10 * time.Millisecond
	run := func(numbers, files int, takes time.Duration, forget bool) (n int, share float64) {
		now := time.Unix(1000, 0)
		b, began, spent := newBudget(now), now, time.Duration(0)
		for now.Sub(began) < length {
			now = now.Add(step)
			if forget {
				b.spent = 0
			}
			if b.due(checkpointSize{numbers, files}, now) {
				n++
				spent += takes
				b.took(checkpointSize{numbers, files}, now, now.Add(takes))
				now = now.Add(takes)
			}
		}
		return n, float64(spent+takes) / float64(now.Sub(began))
	}
	for _, c := range []struct {
		numbers, files int
		takes          time.Duration
		least          int
	}{
		{100, 1, time.Millisecond, 290}, // every two seconds
		{100, 1, 9 * time.Millisecond, 290},
		{100, 1, 30 * time.Millisecond, 190},
		{10_000_000, 1, 1100 * time.Millisecond, 4},
		{10_000_000, 1, 300 * time.Millisecond, 15},
		{20_000, 110, 330 * time.Millisecond, 15}, // the first draws of a run with many arrays
	} {
		n, share := run(c.numbers, c.files, c.takes, false)
		if n < c.least || share > 0.01 {
			t.Errorf("%d numbers, %d files in %v: %d times, %.2f %% of the time", c.numbers, c.files, c.takes, n,
				100*share)
		}
	}
	if _, share := run(10_000_000, 1, 5*time.Second, true); share <= 0.01 {
		t.Error("what was spent need not be known: the test could not fail")
	}
}

// The first draws of a run become readable once writing them takes at most a tenth of the time since sampling began,
// and not in its first two seconds.
func TestFirstDrawsAreReadableSoon(t *testing.T) {
	b := newBudget(time.Unix(1000, 0))
	for _, c := range []struct {
		size checkpointSize
		at   time.Duration
	}{
		{checkpointSize{100, 1}, 2 * time.Second},
		{checkpointSize{20_000, 110}, 10 * (leastTime + 110*fileTime + 20_000*numberTime)},
	} {
		if b.dueFirst(c.size, c.at-time.Millisecond) || !b.dueFirst(c.size, c.at) {
			t.Errorf("draws of %d files are not readable from %v on", c.size.files, c.at)
		}
	}
}
