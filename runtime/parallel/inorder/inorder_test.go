package inorder

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
)

// TestOrder checks that results are taken in order, each with the memory of the worker that computed it.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2, 3, 8} {
		for _, n := range []int{0, 1, 2, 7, 100} {
			memory := make([]int, workers)
			var got, want []int
			for k := range n {
				want = append(want, k*k)
			}
			err := Run(workers, n, func(worker, k int) error {
				memory[worker] = k * k
				return nil
			}, func(worker, _ int) error {
				got = append(got, memory[worker])
				return nil
			})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d workers: %v, %v", workers, got, err)
			}
		}
	}
}

// TestPanics checks that a panic in compute can be recovered by the caller, after the results before it were taken.
func TestPanics(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2, 5} {
		last := -1
		func() {
			defer func() {
				if cause := recover(); cause != "planted" || last != 6 {
					t.Errorf("%d workers: %v after %d", workers, cause, last)
				}
			}()
			err := Run(workers, 20, func(_, k int) error {
				if k == 7 {
					panic("planted")
				}
				return nil
			}, func(_, k int) error {
				last = k
				return nil
			})
			t.Errorf("%d workers: Run has returned %v", workers, err)
		}()
	}
}

// TestErrors checks that the error of the first result in order is returned, that later results are not taken, and that
// no goroutine computes after Run has returned.
func TestErrors(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	for _, workers := range []int{1, 2, 5} {
		for _, inTake := range []bool{false, true} {
			var running atomic.Int32
			last := -1
			err := Run(workers, 50, func(_, k int) error {
				running.Add(1)
				defer running.Add(-1)
				if !inTake && k >= 11 {
					return bad
				}
				return nil
			}, func(_, k int) error {
				if inTake && k == 11 {
					return bad
				}
				last = k
				return nil
			})
			if !errors.Is(err, bad) || last != 10 || running.Load() != 0 {
				t.Errorf("%d workers: %v after %d, %d computing", workers, err, last, running.Load())
			}
		}
	}
}
