//go:build linux

package thread_test

import (
	"syscall"
	"testing"

	"ppl/runtime/sys/thread"
)

func TestOneThread(t *testing.T) {
	a, b := thread.New(), thread.New()
	defer a.Close()
	defer b.Close()
	id := func(on *thread.Thread) (id int) {
		on.Do(func() { id = syscall.Gettid() })
		return id
	}
	first := id(a)
	for range 100 {
		if got := id(a); got != first {
			t.Fatalf("a call was made on thread %d, after thread %d", got, first)
		}
		if id(b) == first {
			t.Fatal("two threads are one")
		}
	}
}
