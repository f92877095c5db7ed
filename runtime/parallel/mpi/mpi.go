//go:build !nonative && linux && (amd64 || arm64)

package mpi

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"ppl/runtime/parallel/ranks"
	"ppl/runtime/sys/thread"
)

// A Comm connects all ranks that a launcher has started. Calls may come from any goroutine, one at a time.
type Comm struct {
	rank, size int
	thread     *thread.Thread
	lib        library
	path       string
	exchange   time.Duration // time of an exchange, measured when all had joined
	since      atomic.Int64  // start of the current call, in nanoseconds; 0 if there is none
}

// A library holds the addresses of functions, and the handles of one binary interface.
type library struct {
	initialize, rank, size, version, gather, collect, broadcast, barrier, test, abort, finalize uintptr

	world, bytes, inPlace uintptr
	funneled              int
}

// Join joins the job of the launcher that started this process. It returns nil if there is no launcher, or if it
// started only one process. The error is a sentence for the user.
func Join() (*Comm, error) {
	l, n, found := launched()
	if !found {
		return nil, nil
	}
	c := &Comm{thread: thread.New()}
	var err error
	c.thread.Do(func() { err = c.join(l, n) })
	if err != nil {
		return nil, err
	}
	c.exchange = ranks.MeasureExchange(c)
	return c, nil
}

func (c *Comm) join(l launcher, n int) error {
	kept := keepSignals()
	if err := c.open(l); err != nil {
		return err
	}
	var provided, rank, size int32
	if code := call(c.lib.initialize, 0, 0, uintptr(c.lib.funneled), uintptr(unsafe.Pointer(&provided))); code != 0 {
		return fmt.Errorf("%s cannot be initialised: error %d", c.path, code)
	}
	kept.restore()
	call(c.lib.rank, c.lib.world, uintptr(unsafe.Pointer(&rank)))
	call(c.lib.size, c.lib.world, uintptr(unsafe.Pointer(&size)))
	c.rank, c.size = int(rank), int(size)
	switch {
	case c.size != n:
		call(c.lib.finalize)
		return fmt.Errorf("%s has started %d processes, but the library %s (%s), of another MPI, counts %d; "+
			"name the launcher's own library with PPL_MPI=FILE", l.name, n, c.path, c.describe(), c.size)
	case int(provided) < c.lib.funneled:
		call(c.lib.finalize)
		return fmt.Errorf("%s (%s) does not support processes of several threads (MPI_THREAD_FUNNELED)", c.path,
			c.describe())
	}
	return nil
}

// open finds and opens the library.
func (c *Comm) open(l launcher) error {
	paths := l.candidates()
	for _, path := range paths {
		handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			continue
		}
		c.path = path
		return c.bind(handle)
	}
	return fmt.Errorf("%s has started several processes, but its MPI library cannot be loaded (%s); name it with "+
		"PPL_MPI=FILE", l.name, strings.Join(paths, ", "))
}

func (c *Comm) bind(handle uintptr) error {
	l := &c.lib
	functions := map[string]*uintptr{"MPI_Init_thread": &l.initialize, "MPI_Comm_rank": &l.rank,
		"MPI_Comm_size": &l.size, "MPI_Get_library_version": &l.version, "MPI_Iallgatherv": &l.gather,
		"MPI_Igatherv": &l.collect, "MPI_Ibcast": &l.broadcast, "MPI_Ibarrier": &l.barrier, "MPI_Test": &l.test,
		"MPI_Abort": &l.abort, "MPI_Finalize": &l.finalize}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		var err error
		if *functions[name], err = purego.Dlsym(handle, name); err != nil {
			return fmt.Errorf("%s is not an MPI library: it has no function %s", c.path, name)
		}
	}
	if world, err := purego.Dlsym(handle, "ompi_mpi_comm_world"); err == nil { // Open MPI: handles are addresses
		l.world, l.inPlace, l.funneled = world, 1, 1
		l.bytes, err = purego.Dlsym(handle, "ompi_mpi_byte")
		return err
	}
	if strings.HasPrefix(filepath.Base(c.path), "libmpi_abi") {
		l.world, l.bytes, l.inPlace, l.funneled = 0x101, 0x247, 1, 1024
		return nil
	}
	l.world, l.bytes, l.inPlace, l.funneled = 0x44000000, 0x4c00010d, ^uintptr(0), 1
	return nil
}

// call calls a C function. Pointers among the arguments are converted in the call expression, so that the objects that
// they point to are not moved during the call.
//
//go:uintptrescapes
func call(function uintptr, args ...uintptr) int32 {
	code, _, _ := purego.SyscallN(function, args...)
	return int32(code)
}

// describe returns the first line of the library's version text.
func (c *Comm) describe() string {
	text, n := make([]byte, 8192), int32(0)
	call(c.lib.version, uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&n)))
	line, _, _ := strings.Cut(string(text[:max(0, min(int(n), len(text)))]), "\n")
	return strings.Join(strings.Fields(strings.TrimRight(line, "\x00, ")), " ")
}

// Library returns the file of the library and its version text.
func (c *Comm) Library() (path, version string) {
	c.thread.Do(func() { version = c.describe() })
	return c.path, version
}

// Rank returns this process's number.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks.
func (c *Comm) Size() int { return c.size }

// ExchangeTime implements ranks.Comm.
func (c *Comm) ExchangeTime() time.Duration { return c.exchange }

// Gather implements ranks.Comm with an in-place MPI_Iallgatherv.
func (c *Comm) Gather(all []byte, starts []int) error {
	counts, at, err := parts(starts)
	if err != nil {
		return err
	}
	return c.collective("MPI_Iallgatherv", func(pin *runtime.Pinner, request *uintptr) int32 {
		pin.Pin(&counts[0])
		pin.Pin(&at[0])
		return call(c.lib.gather, c.lib.inPlace, 0, 0, uintptr(pinned(pin, all)), uintptr(unsafe.Pointer(&counts[0])),
			uintptr(unsafe.Pointer(&at[0])),
			c.lib.bytes, c.lib.world, uintptr(unsafe.Pointer(request)))
	})
}

// parts returns the numbers of bytes of all ranks, and where they begin. It is an error on all ranks if these numbers
// are too large for MPI's 32 bits.
func parts(starts []int) (counts, at []int32, err error) {
	if size := starts[len(starts)-1]; size > math.MaxInt32 {
		return nil, nil, fmt.Errorf("the processes cannot exchange %d bytes at once by MPI, which counts to %d; run "+
			"fewer chains, or connect the processes with --workers instead of MPI", size, math.MaxInt32)
	}
	counts, at = make([]int32, len(starts)-1), make([]int32, len(starts)-1)
	for r := range counts {
		counts[r], at[r] = int32(starts[r+1]-starts[r]), int32(starts[r])
	}
	return counts, at, nil
}

// Collect implements ranks.Comm with MPI_Igatherv.
func (c *Comm) Collect(mine, all []byte, starts []int) error {
	counts, at, err := parts(starts)
	if err != nil {
		return err
	}
	return c.collective("MPI_Igatherv", func(pin *runtime.Pinner, request *uintptr) int32 {
		pin.Pin(&counts[0])
		pin.Pin(&at[0])
		return call(c.lib.collect, uintptr(pinned(pin, mine)), uintptr(len(mine)), c.lib.bytes,
			uintptr(pinned(pin, all)), uintptr(unsafe.Pointer(&counts[0])), uintptr(unsafe.Pointer(&at[0])),
			c.lib.bytes, 0, c.lib.world, uintptr(unsafe.Pointer(request)))
	})
}

// mostSent is how many bytes one call of MPI_Ibcast sends: less than MPI's 32 bits can count.
const mostSent = 1 << 30

// Broadcast implements ranks.Comm with as many calls of MPI_Ibcast as data need.
func (c *Comm) Broadcast(data []byte, from int) error {
	for ; len(data) > mostSent; data = data[mostSent:] {
		if err := c.broadcast(data[:mostSent], from); err != nil {
			return err
		}
	}
	return c.broadcast(data, from)
}

func (c *Comm) broadcast(data []byte, from int) error {
	return c.collective("MPI_Ibcast", func(pin *runtime.Pinner, request *uintptr) int32 {
		return call(c.lib.broadcast, uintptr(pinned(pin, data)), uintptr(len(data)), c.lib.bytes, uintptr(from),
			c.lib.world, uintptr(unsafe.Pointer(request)))
	})
}

// pinned returns the address of data, which is pinned.
func pinned(pin *runtime.Pinner, data []byte) unsafe.Pointer {
	if len(data) == 0 {
		return nil
	}
	pin.Pin(&data[0])
	return unsafe.Pointer(&data[0])
}

// collective starts a call on the thread and waits for its end. By default, MPI ends the job if a call fails.
func (c *Comm) collective(name string, begin func(pin *runtime.Pinner, request *uintptr) int32) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	var code int32
	c.since.Store(time.Now().UnixNano())
	c.thread.Do(func() {
		w := &waiting{}
		pin.Pin(w)
		code = begin(&pin, &w.request)
		if code == 0 {
			code = c.lib.wait(w)
		}
	})
	c.since.Store(0)
	if code != 0 {
		return fmt.Errorf("%s ended with error %d", name, code)
	}
	return nil
}

// Waiting returns the time for which the current call has been waiting for the other ranks; 0 if there is no call.
func (c *Comm) Waiting() time.Duration {
	if began := c.since.Load(); began > 0 {
		return time.Since(time.Unix(0, began))
	}
	return 0
}

// Abort ends all ranks at once, at any point of their programs.
func (c *Comm) Abort(code int) {
	go c.thread.Do(func() { call(c.lib.abort, c.lib.world, uintptr(code)) })
	time.Sleep(2 * time.Second) // the thread may be in a call that does not return
	os.Exit(code)
}

// Exit ends this rank with an exit code when all other ranks have called Exit: launchers kill the running processes
// when one process ends. It uses C's exit, since MPICH 5 disconnects from its launcher in an exit handler.
func (c *Comm) Exit(code int) {
	_ = c.collective("MPI_Ibarrier", func(_ *runtime.Pinner, request *uintptr) int32 {
		return call(c.lib.barrier, c.lib.world, uintptr(unsafe.Pointer(request)))
	})
	c.thread.Do(func() {
		call(c.lib.finalize)
		if exit, err := purego.Dlsym(purego.RTLD_DEFAULT, "exit"); err == nil {
			call(exit, uintptr(code))
		}
	})
	os.Exit(code)
}
