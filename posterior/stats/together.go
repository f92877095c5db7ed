package stats

import (
	"sync"
	"sync/atomic"
)

// Together calls look for the numbers 0 to n−1 from several goroutines, each of which has its own workspace. A panic in
// look continues in the caller's goroutine.
func Together(workers, n int, look func(k int, w *Workspace)) {
	var wait sync.WaitGroup
	var next atomic.Int64
	var panicked atomic.Pointer[any]
	for range min(workers, n) {
		wait.Go(func() {
			defer func() {
				if cause := recover(); cause != nil {
					panicked.Store(&cause)
				}
			}()
			var w Workspace
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				look(k, &w)
			}
		})
	}
	wait.Wait()
	if cause := panicked.Load(); cause != nil {
		panic(*cause)
	}
}
