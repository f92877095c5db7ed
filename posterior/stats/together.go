package stats

import (
	"sync"
	"sync/atomic"
)

// Together calls look for the numbers 0 to n−1 from several goroutines, each of which has its own workspace.
func Together(workers, n int, look func(k int, w *Workspace)) {
	var wait sync.WaitGroup
	var next atomic.Int64
	for range min(workers, n) {
		wait.Go(func() {
			var w Workspace
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				look(k, &w)
			}
		})
	}
	wait.Wait()
}
