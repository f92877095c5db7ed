//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"sync"
	"sync/atomic"
)

// A crew is goroutines that share out tasks, many times over: the caller's, worker 0, and helpers, which sleep in
// between.
type crew struct {
	task    func(worker, i int)
	left    atomic.Int64 // tasks to take; below 0 when there are none
	running atomic.Int64 // tasks to end
	start   chan struct{}
	done    chan struct{}
	gone    sync.WaitGroup
}

func newCrew(workers int) *crew {
	helpers := workers - 1
	c := &crew{start: make(chan struct{}, helpers), done: make(chan struct{}, 1)}
	for i := range helpers {
		c.gone.Go(func() {
			for range c.start {
				c.take(1 + i)
			}
		})
	}
	return c
}

// do runs tasks 0 … n−1 and returns when all are done. A helper that wakes up late finds nothing left, or tasks of the
// next call, which are as good.
func (c *crew) do(n int, task func(worker, i int)) {
	if n == 0 {
		return
	}
	c.task = task
	c.running.Store(int64(n))
	c.left.Store(int64(n))
	for range min(n-1, cap(c.start)) {
		select {
		case c.start <- struct{}{}:
		default:
		}
	}
	c.take(0)
	<-c.done
}

func (c *crew) take(worker int) {
	for {
		i := c.left.Add(-1)
		if i < 0 {
			return
		}
		c.task(worker, int(i))
		if c.running.Add(-1) == 0 {
			c.done <- struct{}{}
		}
	}
}

// dismiss ends the helpers.
func (c *crew) dismiss() {
	close(c.start)
	c.gone.Wait()
}
