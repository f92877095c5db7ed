//go:build !nonative && linux && (amd64 || arm64)

package cuda

import "runtime"

// A thread is one of the operating system's, on which all calls are made: CUDA keeps the context that is in use by
// thread, and goroutines move between them.
type thread struct {
	work chan func()
	done chan struct{}
}

func newThread() *thread {
	t := &thread{make(chan func()), make(chan struct{})}
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
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

func (t *thread) close() { close(t.work) }
