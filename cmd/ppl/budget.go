package main

import "time"

const (
	// saveEvery is how much of a run a kill may cost, where checkpoints take so little that they can be so frequent.
	saveEvery = 2 * time.Second
	// leastTimes is how many times as long as its checkpoints a run has to be.
	leastTimes = 100

	// What a checkpoint is assumed to take before the first: to sync files, and to write a number.
	syncTime   = 10 * time.Millisecond
	numberTime = 100 * time.Nanosecond
)

// A budget spaces checkpoints, so that they take a hundredth of the time at most, with one that comes at the end. A
// large one waits until it can be afforded, or has become small, as that of warm-up does whenever a window ends:
//
//	b := newBudget(time.Now())
//	if now := time.Now(); b.due(numbers, now) {
//		…
//		b.took(numbers, now, time.Now())
//	}
type budget struct {
	began, last time.Time
	spent       time.Duration
	slow        float64 // how many times what was assumed checkpoints take; rises at once and falls slowly
}

func newBudget(now time.Time) budget { return budget{began: now, last: now, slow: 1} }

// due reports whether it is time to write that many numbers.
func (b *budget) due(numbers int, now time.Time) bool {
	need := b.spent + 2*b.expected(numbers)
	return now.Sub(b.last) >= saveEvery && leastTimes*need <= now.Sub(b.began)
}

func (b *budget) expected(numbers int) time.Duration {
	return time.Duration(b.slow * float64(assumed(numbers)))
}

func assumed(numbers int) time.Duration { return syncTime + time.Duration(numbers)*numberTime }

// took takes note of what it has taken.
func (b *budget) took(numbers int, from, to time.Time) {
	b.last, b.spent = to, b.spent+to.Sub(from)
	slow := float64(to.Sub(from)) / float64(assumed(numbers))
	b.slow = max(slow, (b.slow+slow)/2)
}
