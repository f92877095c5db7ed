package app

import "time"

const (
	// saveEvery is how much of a run a kill may cost, where checkpoints take so little that they can be so frequent.
	saveEvery = 2 * time.Second
	// leastTimes is how many times as long as its checkpoints a run has to be.
	leastTimes = 100

	// What a checkpoint is assumed to take before the first: in any case, for each file, and for each number. Syncing
	// takes most of it. A number of a lane was measured to take 14 to 17 ns, one on its own 25 to 50.
	leastTime  = 7 * time.Millisecond
	fileTime   = 3 * time.Millisecond
	numberTime = 30 * time.Nanosecond
)

// A content is what a checkpoint writes.
type content struct{ numbers, files int }

// A budget spaces checkpoints, so that they take a hundredth of the time at most, with one that comes at the end. A
// large one waits until it can be afforded, or has become small, as that of warm-up does whenever a window ends:
//
//	b := newBudget(time.Now())
//	if now := time.Now(); b.due(c, now) {
//		…
//		b.took(c, now, time.Now())
//	}
type budget struct {
	began, last time.Time
	spent       time.Duration
	slow        float64 // how many times what was assumed checkpoints take; rises at once and falls slowly
}

func newBudget(now time.Time) budget { return budget{began: now, last: now, slow: 1} }

// due reports whether it is time to write a checkpoint.
func (b *budget) due(c content, now time.Time) bool {
	need := b.spent + 2*b.expected(c)
	return now.Sub(b.last) >= saveEvery && leastTimes*need <= now.Sub(b.began)
}

func (b *budget) expected(c content) time.Duration {
	return time.Duration(b.slow * float64(assumed(c)))
}

func assumed(c content) time.Duration {
	return leastTime + time.Duration(c.files)*fileTime + time.Duration(c.numbers)*numberTime
}

// took records the time that was spent on a content.
func (b *budget) took(c content, from, to time.Time) {
	b.last, b.spent = to, b.spent+to.Sub(from)
	slow := float64(to.Sub(from)) / float64(assumed(c))
	b.slow = max(slow, (b.slow+slow)/2)
}
