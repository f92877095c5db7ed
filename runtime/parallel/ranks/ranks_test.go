package ranks

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
			if s.Share(c.turns); s.Idle() != c.idle {
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
