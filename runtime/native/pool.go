//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"sync"
	"sync/atomic"
)

// A workerPool runs the tasks of many calls on a fixed set of goroutines: that of the caller, which is worker 0, and
// helpers, which sleep between calls.
type workerPool struct {
	task    func(worker, i int)
	left    atomic.Int64 // number of tasks not yet started; below 0 if there are none
	running atomic.Int64 // number of tasks not yet finished
	start   chan struct{}
	done    chan struct{}
	gone    sync.WaitGroup
}

func newWorkerPool(workers int) *workerPool {
	helpers := workers - 1
	c := &workerPool{start: make(chan struct{}, helpers), done: make(chan struct{}, 1)}
	for i := range helpers {
		c.gone.Go(func() {
			for range c.start {
				c.runTasks(1 + i)
			}
		})
	}
	return c
}

// do runs tasks 0 … n−1 and returns when all are done. A helper that wakes up late finds no task, or tasks of the next
// call, which it may run as well.
func (c *workerPool) do(n int, task func(worker, i int)) {
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
	c.runTasks(0)
	<-c.done
}

func (c *workerPool) runTasks(worker int) {
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

// close stops the helpers.
func (c *workerPool) close() {
	close(c.start)
	c.gone.Wait()
}
