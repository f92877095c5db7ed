//go:build !nonative && linux && (amd64 || arm64)

package mpi

import "runtime"

// A thread is one of the operating system's, on which all calls are made: the level MPI_THREAD_FUNNELED asks for that.
type thread struct {
	work chan func()
	done chan struct{}
}

func newThread() *thread {
	t := &thread{make(chan func()), make(chan struct{})}
	go func() {
		runtime.LockOSThread()
		for f := range t.work {
			f()
			t.done <- struct{}{}
		}
	}()
	return t
}

// do runs f on the thread and waits for it.
func (t *thread) do(f func()) {
	t.work <- f
	<-t.done
}
