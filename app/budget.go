package app

import "time"

const (
	// saveEvery is the minimum time between checkpoints. If checkpoints are cheap, a killed process loses about this
	// much work.
	saveEvery = 2 * time.Second
	// leastTimes is the minimum ratio of the time of a run to that of its checkpoints.
	leastTimes = 100
	// leastTimesFirst is the same for the first draws of a run, in the time since sampling began, so that they can be
	// looked at early in a long run.
	leastTimesFirst = 10

	// Assumed costs before the first checkpoint: fixed, per file, and per number. Syncing takes most of the time. A
	// number was measured to take 14 to 17 ns in a batch of lanes, and 25 to 50 ns alone.
	leastTime  = 7 * time.Millisecond
	fileTime   = 3 * time.Millisecond
	numberTime = 30 * time.Nanosecond
)

// A checkpointSize describes the size of a checkpoint.
type checkpointSize struct{ numbers, files int }

// A budget schedules checkpoints so that they take at most a hundredth of the time, including one at the end. A large
// checkpoint waits until it is affordable or has become small, as during warm-up whenever a window ends:
//
//	b := newBudget(time.Now())
//	if now := time.Now(); b.due(c, now) {
//		…
//		b.took(c, now, time.Now())
//	}
type budget struct {
	began, last time.Time
	spent       time.Duration
	slow        float64 // ratio of measured to assumed cost; it rises at once and falls slowly
}

func newBudget(now time.Time) budget { return budget{began: now, last: now, slow: 1} }

// due reports whether to write a checkpoint now.
func (b *budget) due(c checkpointSize, now time.Time) bool {
	need := b.spent + 2*b.expected(c)
	return now.Sub(b.last) >= saveEvery && leastTimes*need <= now.Sub(b.began)
}

// dueFirst reports whether to write the checkpoint that makes the first draws of a run readable, after sampling for
// some time.
func (b *budget) dueFirst(c checkpointSize, sampling time.Duration) bool {
	return sampling >= saveEvery && leastTimesFirst*b.expected(c) <= sampling
}

func (b *budget) expected(c checkpointSize) time.Duration {
	return time.Duration(b.slow * float64(assumed(c)))
}

func assumed(c checkpointSize) time.Duration {
	return leastTime + time.Duration(c.files)*fileTime + time.Duration(c.numbers)*numberTime
}

// took records the time that a checkpoint took.
func (b *budget) took(c checkpointSize, from, to time.Time) {
	b.last, b.spent = to, b.spent+to.Sub(from)
	slow := float64(to.Sub(from)) / float64(assumed(c))
	b.slow = max(slow, (b.slow+slow)/2)
}
