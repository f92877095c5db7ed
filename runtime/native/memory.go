//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"ppl/compiler/backend/render"
)

// A context has the layout of the C struct of that name in compiler/backend/render/c/types.h. It is allocated outside
// the Go heap, where the garbage collector does not look. So none of its fields may be a pointer into the heap: the
// object could be freed while the field still points to it, and the write barrier of an assignment would pass the old,
// possibly freed pointer to a running collector.
type context struct {
	lane       [render.MaxLanes]uint64
	buffer     *unsafe.Pointer
	seed, step uint64
	schedule   uintptr // address of scheduled calls, pinned while C reads them
	calls      uint64
	part, turn uint64
	work       uintptr // memory for large products, in the arena
	moving     uintptr // the lane buffers, in the arena
	moved      uint64
	// number of the first block of lanes, and number of blocks
	block, blocks uint64
	// number of the first lane of all, and number of lanes
	first, lanes uint64
	group        uint64 // number of lanes that may read from each other
}

// A scheduled call is the number of an entry, and the number of times to run it.
type scheduled struct{ entry, times uint64 }

// alignment of all memory in bytes: that of the longest vector.
const alignment = 64

// An arena is memory outside the Go heap, initially zero. C code keeps pointers to it, so it must not be moved or freed
// by the garbage collector.
type arena struct{ all, free []byte }

func newArena(size int) (*arena, error) {
	size = max(size, 1)
	all, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("native: cannot allocate %d bytes: %w", size, err)
	}
	return &arena{all, all}, nil
}

func (a *arena) close() error { return syscall.Munmap(a.all) }

// release returns the bytes from `from` to `to` of an allocation to the system, in complete pages, which are zero
// afterwards. It maps new pages in their place, which works on all systems; MADV_DONTNEED keeps the contents on macOS.
func (a *arena) release(at unsafe.Pointer, from, to int) {
	page := uintptr(syscall.Getpagesize())
	first := (uintptr(at) + uintptr(from) + page - 1) / page * page
	end := (uintptr(at) + uintptr(to)) / page * page
	if first >= end {
		return
	}
	// Errors can be ignored, since this only saves memory.
	_, _ = unix.MmapPtr(-1, 0, unsafe.Add(at, first-uintptr(at)), end-first, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED)
}

// aligned rounds a number of bytes up to the alignment.
func aligned(bytes int) int { return (bytes + alignment - 1) / alignment * alignment }

// alloc returns the next bytes of the arena.
func (a *arena) alloc(bytes int) unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(a.free))
	a.free = a.free[aligned(bytes):]
	return p
}

// singles allocates n numbers of single precision.
func (a *arena) singles(n int) []float32 {
	return unsafe.Slice((*float32)(a.alloc(4*n)), n)
}

// numbers allocates n numbers; nil if n is 0.
func (a *arena) numbers(n int) []float64 {
	return unsafe.Slice((*float64)(a.alloc(8*n)), n)
}
