// Package thread runs functions on one thread of the operating system, for libraries that keep state per thread, while
// goroutines move between threads:
//
//	t := thread.New()
//	t.Do(func() { err = open() })
//	t.Do(func() { err = use() }) // on the same thread
//	t.Close()
//
// CUDA keeps the current context per thread, and MPI at the level MPI_THREAD_FUNNELED allows calls on one thread only.
package thread

import "runtime"

// A Thread is a thread of the operating system. Do may be called from any goroutine; calls run one after the other.
type Thread struct {
	work chan func()
	done chan struct{}
}

// New starts a thread.
func New() *Thread {
	t := &Thread{make(chan func()), make(chan struct{})}
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		for f := range t.work {
			f()
			t.done <- struct{}{}
		}
	}()
	return t
}

// Do runs f on the thread and waits for it.
func (t *Thread) Do(f func()) {
	t.work <- f
	<-t.done
}

// Close ends the thread, which must not be used afterwards.
func (t *Thread) Close() { close(t.work) }
