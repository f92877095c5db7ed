// Package inorder computes a sequence of results by several goroutines, and takes them in order. Each worker computes
// its next result only after its last one was taken, so that it can use its memory again:
//
//	chunks := make([]chunk, 3)
//	err := inorder.Run(3, n,
//		func(worker, k int) error { return chunks[worker].decode(k) },  // chunks 0, 3, 6, … by worker 0, and so on
//		func(worker, k int) error { return use(chunks[worker]) })       // chunk 0, 1, 2, …
package inorder

import (
	"runtime"
	"sync"

	"ppl/runtime/sys/memory"
)

// mostMemory bounds the memory of all workers together, in bytes.
const mostMemory = 128 << 20

// Workers returns the number of workers for n results, each of which needs the given number of bytes: one more than
// there are cores, since one of them waits while its result is taken, but no more than fit into an eighth of the memory
// limit.
func Workers(n, bytes int) int {
	fit := int(min(mostMemory, memory.Limit()/8)) / max(1, bytes)
	return min(n, 1+runtime.GOMAXPROCS(0), max(1, fit))
}

// Run calls compute and then take for k = 0, …, n−1. Goroutine k mod workers calls compute, for the next numbers while
// take runs; the caller's goroutine calls take, in order. Run returns the first error in this order, and ends when no
// goroutine runs any more. A panic in compute continues in the caller's goroutine.
func Run(workers, n int, compute, take func(worker, k int) error) error {
	workers = min(workers, n)
	if workers <= 1 {
		return runAlone(n, compute, take)
	}
	var wait sync.WaitGroup
	defer wait.Wait()
	stop := make(chan struct{})
	defer close(stop)
	computed, taken := make([]chan outcome, workers), make([]chan struct{}, workers)
	for w := range workers {
		computed[w], taken[w] = make(chan outcome), make(chan struct{})
		wait.Go(func() {
			for k := w; k < n; k += workers {
				if !send(computed[w], try(compute, w, k), stop) || !receive(taken[w], stop) {
					return
				}
			}
		})
	}
	for k := range n {
		w := k % workers
		switch c := <-computed[w]; {
		case c.panicked != nil:
			panic(c.panicked)
		case c.err != nil:
			return c.err
		}
		if err := take(w, k); err != nil {
			return err
		}
		taken[w] <- struct{}{}
	}
	return nil
}

// An outcome is how a call of compute ended.
type outcome struct {
	err      error
	panicked any // value of a panic
}

func try(compute func(worker, k int) error, worker, k int) (o outcome) {
	defer func() { o.panicked = recover() }()
	o.err = compute(worker, k)
	return o
}

func runAlone(n int, compute, take func(worker, k int) error) error {
	for k := range n {
		if err := compute(0, k); err != nil {
			return err
		}
		if err := take(0, k); err != nil {
			return err
		}
	}
	return nil
}

// send sends a value, and reports false if stop was closed instead.
func send(to chan<- outcome, value outcome, stop <-chan struct{}) bool {
	select {
	case to <- value:
		return true
	case <-stop:
		return false
	}
}

// receive receives a value, and reports false if stop was closed instead.
func receive(from, stop <-chan struct{}) bool {
	select {
	case <-from:
		return true
	case <-stop:
		return false
	}
}
