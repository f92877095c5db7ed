package ranks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ppl/runtime/device"
)

// A Session is one run of a sampler on all ranks. Signals and clocks differ between ranks. So the requests that they
// cause are exchanged before each call of the device, and every rank handles them at the same point of its program.
type Session struct {
	Comm
	// Due reports on rank 0 whether it is time for a checkpoint; nil means never.
	Due func() bool
	// Failed reports whether an error has occurred on this rank that the others do not know about; nil means never.
	Failed func() bool

	wish   context.Context // cancelled when this rank is asked to stop
	agreed context.Context
	stop   context.CancelFunc
	saving bool // it is time for a checkpoint, as agreed
	failed bool // a rank has failed
	cause  stop
	lost   error   // why other ranks cannot be reached
	alone  float64 // arithmetic of calls since the last exchange of states, in additions
	parts  int     // number of ranks with a part of the program that was divided among most ranks
}

// A stop is the reason why a rank wants to stop.
type stop byte

const (
	none stop = iota
	cancelled
	timeOver
	failure
)

// Bytes of the status that a rank sends in an exchange.
const (
	stopAt = iota
	dueAt
	endedAt
	statusSize
)

const (
	// additions is the number of additions (ir.Work) that a core does in a second; some do half or twice as many.
	additions = 3e10
	// longestAlone is the largest number of additions between exchanges of the ranks' states: a few milliseconds.
	longestAlone = 1e8
)

// NewSession starts a run. wish is the context of this rank alone.
func NewSession(wish context.Context, c Comm) *Session {
	s := &Session{Comm: c, wish: wish}
	s.agreed, s.stop = context.WithCancel(context.WithoutCancel(wish))
	return s
}

// Gather calls the Comm's Gather. It also stores an error, for callers that cannot return one.
func (s *Session) Gather(all []byte, starts []int) error {
	s.lost = cmp.Or(s.lost, s.Comm.Gather(all, starts))
	return s.lost
}

// Collect calls the Comm's Collect. It also stores an error, like Gather.
func (s *Session) Collect(mine, all []byte, starts []int) error {
	s.lost = cmp.Or(s.lost, s.Comm.Collect(mine, all, starts))
	return s.lost
}

// Broadcast calls the Comm's Broadcast. It also stores an error, like Gather.
func (s *Session) Broadcast(data []byte, from int) error {
	s.lost = cmp.Or(s.lost, s.Comm.Broadcast(data, from))
	return s.lost
}

// Lost reports why other ranks cannot be reached any more; nil while they can. Results computed after the loss may be
// wrong.
func (s *Session) Lost() error { return s.lost }

// Context returns a context that is cancelled once the ranks have agreed, in an exchange, that one of them was asked to
// stop.
func (s *Session) Context() context.Context { return s.agreed }

// Saving reports whether it is time for a checkpoint, as agreed.
func (s *Session) Saving() bool { return s.saving }

// Saved records that the checkpoint has been taken.
func (s *Session) Saved() { s.saving = false }

// errElsewhere is the error on a rank if another rank has failed.
var errElsewhere = errors.New("another rank has failed")

// Synchronise exchanges the states of all ranks, each of which must call it at the same point. It returns an error if a
// rank has failed.
func (s *Session) Synchronise() error { return s.exchange(false) }

func (s *Session) exchange(ended bool) error {
	all, rank, n := make([]byte, statusSize*s.Size()), s.Rank(), s.Size()
	mine := all[statusSize*rank:]
	mine[stopAt] = byte(s.wanted())
	if s.Due != nil && s.Due() {
		mine[dueAt] = 1
	}
	if ended {
		mine[endedAt] = 1
	}
	if err := s.Gather(all, Even(n, statusSize, n)); err != nil {
		return err
	}
	s.saving, s.alone = all[dueAt] > 0, 0
	for r := range n {
		other := all[statusSize*r:]
		s.cause = max(s.cause, stop(other[stopAt]))
		s.failed = s.failed || other[endedAt] > 0 && !ended
	}
	if s.cause > none {
		s.stop()
	}
	if s.failed {
		return errElsewhere
	}
	return nil
}

func (s *Session) wanted() stop {
	switch err := s.wish.Err(); {
	case s.Failed != nil && s.Failed():
		return failure
	case err == nil:
		return none
	case errors.Is(err, context.DeadlineExceeded):
		return timeOver
	}
	return cancelled
}

// Agree returns an error on all ranks if one of them has failed: a failed rank gets its own error, the others get the
// first error with the number of its rank.
func (s *Session) Agree(mine error) error {
	text := ""
	if mine != nil && !errors.Is(mine, errElsewhere) {
		text = mine.Error()
	}
	texts, err := GatherTexts(s, text)
	if err != nil {
		return err
	}
	for r, other := range texts {
		if mine != nil && text != "" {
			return mine
		}
		if other != "" {
			return fmt.Errorf("rank %d of %d: %s", r, s.Size(), other)
		}
	}
	return mine
}

// Conclude ends a run. A rank that has failed alone reports this to the others, which are about to call the device. If
// all ranks were asked to stop, the error is that of the context that requested it.
func (s *Session) Conclude(mine error) error {
	if !s.failed {
		_ = s.exchange(true)
	}
	err := s.Agree(mine)
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		return err
	case err != nil && s.cause == timeOver:
		return context.DeadlineExceeded
	}
	return err
}

// Share implements device.Turns. It divides iterations evenly, unless they take less than the time of two
// exchanges. Then every rank runs all of them.
func (s *Session) Share(n int, work float64) (first, end int, shared bool) {
	if work < 2*s.ExchangeTime().Seconds()*additions {
		return 0, n, false
	}
	starts := Even(n, 1, s.Size())
	s.parts = max(s.parts, min(n, s.Size()))
	return starts[s.Rank()], starts[s.Rank()+1], true
}

// GatherTurns implements device.Turns: it sends the results of all iterations, which have equal sizes, to every rank.
func (s *Session) GatherTurns(all []byte, turns int) {
	_ = s.Gather(all, Even(turns, len(all)/turns, s.Size())) // the Run that called this returns the error
}

// synchroniseBefore exchanges the states of all ranks before a call of the device, unless the call and those since the
// last exchange take little time and exchange nothing.
func (s *Session) synchroniseBefore(e device.Executable, calls []device.Call) error {
	of, known := e.(device.Sharing)
	for _, c := range calls {
		if !known {
			return s.Synchronise()
		}
		shared, work := of.Shares(c.Entry)
		s.alone += work * float64(c.Times)
		if shared || s.alone > longestAlone {
			return s.Synchronise()
		}
	}
	return s.Lost()
}

// Idle returns the number of ranks that had no part of any program: all but one if nothing could be divided.
func (s *Session) Idle() int { return s.Size() - max(1, s.parts) }

// Waits calls say each time that an exchange has waited for other ranks for at least the time `long`. It returns when
// ctx ends.
func Waits(ctx context.Context, waiting func() time.Duration, long time.Duration, say func(time.Duration)) {
	tick := time.NewTicker(long / 6)
	defer tick.Stop()
	for said := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := waiting()
		if now >= long && !said {
			say(now)
		}
		said = now >= long
	}
}
