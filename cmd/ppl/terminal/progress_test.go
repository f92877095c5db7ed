package terminal

import (
	"testing"
	"time"

	"ppl/infer"
)

// Lines come at once, after 1 s, 2 s, 4 s and so on, and then every 30 s; each has the share of the phase that is done,
// the part of warm-up, the gradients and the time left. A new phase is announced at once.
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
	search := infer.Progress{Phase: infer.WarmingUp, Done: 11, Total: 1000, Part: "mode search", Gradients: 27120}
	at(0, warm(1), "warm-up: 1000 iterations")
	at(.9, warm(10), "")
	at(1, search, "warm-up: 11 of 1000 iterations (1 %), mode search, 27,120 gradients, about 1m39s left")
	at(2.9, warm(30), "")
	at(3, warm(31), "warm-up: 31 of 1000 iterations (3 %), about 1m37s left")
	at(6.9, warm(60), "")
	at(7, warm(61), "warm-up: 61 of 1000 iterations (6 %), about 1m50s left")
	at(15, warm(61), "warm-up: 61 of 1000 iterations (6 %), about 3m55s left")
	at(31, warm(61), "warm-up: 61 of 1000 iterations (6 %), about 8m5s left")
	pass := infer.Progress{Phase: infer.WarmingUp, Done: 61, Total: 1000, Part: "anchors", Share: .25}
	at(61, pass, "warm-up: 61 of 1000 iterations (6 %), anchors (25 % of a pass over the rows)")
	at(90, warm(500), "")
	at(91, warm(501), "warm-up: 501 of 1000 iterations (50 %), about 1m31s left")
	at(91.5, infer.Progress{Phase: infer.Sampling, Total: 10, Thin: 3}, "sampling: 10 iterations, 1 of 3 kept")
	at(100, infer.Progress{Phase: infer.Sampling, Total: 10, Thin: 3}, "")
	at(122, infer.Progress{Phase: infer.Sampling, Total: 10, Thin: 3}, "sampling: 0 of 10 iterations (0 %)")
}
