package ranks

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ppl/runtime/device"
)

// TestLocal checks that every rank gets the texts of all ranks, also if some are late.
func TestLocal(t *testing.T) {
	var all sync.WaitGroup
	for rank, c := range Local(3) {
		all.Go(func() {
			for turn := range 100 {
				if turn%10 == rank {
					time.Sleep(time.Millisecond)
				}
				texts, err := GatherTexts(c, strings.Repeat("x", turn*rank))
				if err != nil {
					t.Error(err)
				}
				for r, text := range texts {
					if len(text) != turn*r {
						t.Errorf("rank %d, turn %d: rank %d has brought %d bytes", rank, turn, r, len(text))
					}
				}
				got, err := BroadcastText(c, bytes.Repeat([]byte("y"), turn*(2-rank)/2))
				if err != nil || len(got) != turn {
					t.Errorf("rank %d has got %d bytes in turn %d: %v", rank, len(got), turn, err)
				}
			}
		})
	}
	all.Wait()
}

// TestByHost checks that the first rank of a host finishes before the others begin, and that no rank returns before all
// have finished.
func TestByHost(t *testing.T) {
	var all sync.WaitGroup
	var done atomic.Int32
	for rank, c := range Local(4) {
		all.Go(func() {
			err := ByHost(c, func() {
				if rank > 0 && done.Load() == 0 {
					t.Errorf("rank %d has begun first", rank)
				}
				time.Sleep(time.Duration(rank) * time.Millisecond)
				done.Add(1)
			})
			if err != nil || done.Load() != 4 {
				t.Errorf("rank %d goes on when %d are done: %v", rank, done.Load(), err)
			}
		})
	}
	all.Wait()
}

// TestEven checks that the parts of ranks are contiguous, cover everything, and differ by at most one element.
func TestEven(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 100} {
		for size := 1; size < 6; size++ {
			starts := Even(n, 8, size)
			if starts[0] != 0 || starts[size] != 8*n {
				t.Errorf("%d elements on %d ranks: %v", n, size, starts)
			}
			for r := range size {
				if part := starts[r+1] - starts[r]; part < 8*(n/size) || part > 8*(n/size+1) {
					t.Errorf("%d elements on %d ranks: %v", n, size, starts)
				}
			}
		}
	}
}

// TestIdle checks that ranks count as idle if no program has iterations for them.
func TestIdle(t *testing.T) {
	onAll(5, func(s *Session) {
		for i, c := range []struct{ turns, idle int }{{0, 4}, {1, 4}, {3, 2}, {2, 2}, {7, 0}} {
			if s.Share(c.turns, 1); s.Idle() != c.idle {
				t.Errorf("program %d: %d ranks are idle, want %d", i, s.Idle(), c.idle)
			}
		}
	})
}

// TestWaits checks that a long wait is reported once.
func TestWaits(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	said := 0
	Waits(ctx, func() time.Duration { return time.Hour }, 60*time.Millisecond, func(time.Duration) { said++ })
	if said != 1 {
		t.Errorf("said %d times", said)
	}
}

// A slow Comm has the given time of an exchange.
type slow struct {
	Comm
	exchange time.Duration
}

func (c slow) ExchangeTime() time.Duration { return c.exchange }

// TestShare checks that iterations are shared if they take longer than an exchange, and otherwise run on each rank.
func TestShare(t *testing.T) {
	const exchange = time.Millisecond
	for rank, c := range Local(2) {
		s := NewSession(context.Background(), slow{c, exchange})
		first, end, shared := s.Share(8, additions*exchange.Seconds())
		if shared || first != 0 || end != 8 || s.Idle() != 1 {
			t.Errorf("little work: %d ≤ i < %d, %v, %d idle", first, end, shared, s.Idle())
		}
		first, end, shared = s.Share(8, 3*additions*exchange.Seconds())
		if !shared || first != 4*rank || end != first+4 || s.Idle() != 0 {
			t.Errorf("much work: %d ≤ i < %d, %v, %d idle", first, end, shared, s.Idle())
		}
	}
}

// A sharer is an executable that shares the entry "rows", and whose entries take some arithmetic.
type sharer struct {
	device.Executable
	work float64
}

func (e sharer) Shares(entry string) (shared bool, work float64) { return entry == "rows", e.work }

// TestCallsAlone checks that ranks exchange their states before a call that shares iterations, and otherwise only after
// calls that take some milliseconds together.
func TestCallsAlone(t *testing.T) {
	counted := &cut{Local(1)[0], 0}
	s := NewSession(context.Background(), counted)
	for _, c := range []struct {
		entry       string
		work, calls float64
		exchanges   int
	}{{"rows", 1, 5, 5}, {"step", longestAlone / 10, 21, 1}, {"step", 2 * longestAlone, 3, 3}, {"rows", 1, 1, 1}} {
		counted.left = 1000
		for range int(c.calls) {
			calls := []device.Call{{Entry: c.entry, Times: 1}}
			if err := s.synchroniseBefore(sharer{nil, c.work}, calls); err != nil {
				t.Fatal(err)
			}
		}
		if got := 1000 - counted.left; got != c.exchanges {
			t.Errorf("%v calls of %q: %d exchanges, want %d", c.calls, c.entry, got, c.exchanges)
		}
	}
}
