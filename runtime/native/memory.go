//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"fmt"
	"syscall"
	"unsafe"

	"ppl/compiler/render"
)

// A context is what C calls context: see compiler/render/c/types.h.
type context struct {
	lane       [render.MaxLanes]uint64
	buffer     *unsafe.Pointer
	seed, step uint64
	schedule   *scheduled
	calls      uint64
	part, turn uint64
	gemms
}

// gemms are cblas_dgemm and cblas_sgemm; 0: there are none.
type gemms struct{ double, single uintptr }

// A scheduled call is an entry by number.
type scheduled struct{ entry, times uint64 }

// alignment of everything: that of the longest vector.
const alignment = 64

// An arena is memory outside the Go heap, zero at first.
type arena struct{ all, free []byte }

func newArena(size int) (*arena, error) {
	size = max(size, 1)
	all, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("native: no memory of %d bytes: %w", size, err)
	}
	return &arena{all, all}, nil
}

func (a *arena) close() error { return syscall.Munmap(a.all) }

// room is the bytes that a block of so many takes up.
func room(bytes int) int { return (bytes + alignment - 1) / alignment * alignment }

// take cuts off a block.
func (a *arena) take(bytes int) unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(a.free))
	a.free = a.free[room(bytes):]
	return p
}

// numbers cuts off n numbers; none has no memory.
func (a *arena) numbers(n int) []float64 {
	return unsafe.Slice((*float64)(a.take(8*n)), n)
}
