//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"ppl/compiler/backend/render"
)

// A context is the Go side of the C struct of that name in compiler/backend/render/c/types.h. It lies outside the heap,
// where the collector does not look, so that no field may be a pointer into the heap: it would outlive what it points
// to, and to assign such a field reports what it held before to a collector at work: memory that may be free.
type context struct {
	lane       [render.MaxLanes]uint64
	buffer     *unsafe.Pointer
	seed, step uint64
	schedule   uintptr // of scheduled calls, pinned while C reads them
	calls      uint64
	part, turn uint64
	work       uintptr // memory for large products, in the arena
	moving     uintptr // the lane buffers, in the arena
	moved      uint64
	// the first block of lanes, and how many
	block, blocks uint64
	// the number of the first lane of all, and how many there are
	first, lanes uint64
	group        uint64 // lanes that may read of each other
}

// A scheduled call is an entry by number, and how often it runs.
type scheduled struct{ entry, times uint64 }

// alignment of all memory: that of the longest vector.
const alignment = 64

// An arena is memory outside the Go heap, initially zero. C code keeps pointers to it, which Go's garbage collector
// must not move.
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

// release gives the memory from one byte to another of an allocation to the system; whole pages of it are zero then.
// Mapping new pages in their place works everywhere: MADV_DONTNEED leaves their contents on macOS.
func (a *arena) release(at unsafe.Pointer, from, to int) {
	page := uintptr(syscall.Getpagesize())
	first := (uintptr(at) + uintptr(from) + page - 1) / page * page
	end := (uintptr(at) + uintptr(to)) / page * page
	if first >= end {
		return
	}
	// It saves memory only: nothing depends on its success.
	_, _ = unix.MmapPtr(-1, 0, unsafe.Add(at, first-uintptr(at)), end-first, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED)
}

// aligned rounds a number of bytes up to the alignment.
func aligned(bytes int) int { return (bytes + alignment - 1) / alignment * alignment }

// alloc takes the next bytes from the arena.
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
