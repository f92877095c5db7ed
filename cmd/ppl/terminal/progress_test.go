package terminal

import (
	"testing"
	"time"

	"ppl/infer"
)

// Lines come at once, after 2 s, 4 s, 8 s and so on, and then every 30 s; each says what part of the phase is done and
// when it ends. A new phase is announced at once.
func TestPlainProgress(t *testing.T) {
	lines, began := plainLines{phase: -1, wait: plainFirst}, time.Unix(0, 0)
	at := func(second float64, p infer.Progress, want string) {
		t.Helper()
		now := began.Add(time.Duration(second * float64(time.Second)))
		if got := lines.next(p, now); got != want {
			t.Errorf("at %v s: %q, want %q", second, got, want)
		}
	}
	warm := func(done int) infer.Progress { return infer.Progress{Phase: infer.WarmingUp, Done: done, Total: 1000} }
	at(0, warm(1), "warm-up: 1000 iterations")
	at(1.9, warm(20), "")
	at(2, warm(21), "warm-up: 21 of 1000 iterations (2 %), about 1m38s left")
	at(5.9, warm(60), "")
	at(6, warm(61), "warm-up: 61 of 1000 iterations (6 %), about 1m34s left")
	at(14, warm(61), "warm-up: 61 of 1000 iterations (6 %), about 3m39s left")
	at(30, warm(61), "warm-up: 61 of 1000 iterations (6 %), about 7m50s left")
	at(59, warm(500), "")
	at(60, warm(501), "warm-up: 501 of 1000 iterations (50 %), about 1m0s left")
	at(60.5, infer.Progress{Phase: infer.Sampling, Total: 10, Thin: 3}, "sampling: 10 iterations, 1 of 3 kept")
	at(70, infer.Progress{Phase: infer.Sampling, Total: 10, Thin: 3}, "")
	at(91, infer.Progress{Phase: infer.Sampling, Total: 10, Thin: 3}, "sampling: 0 of 10 iterations (0 %)")
}
