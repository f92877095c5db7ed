package gpu

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"ppl/compiler/ir"
	"ppl/compiler/render"
	"ppl/runtime/device"
	"ppl/runtime/gpu/driver"
)

type executable struct {
	device.LaneBuffers
	driver  driver.Driver
	kernel  driver.Kernel
	seed    uint64
	first   int // the number of the first lane
	buffers []buffer
	ids     map[string]ir.BufID // of the lane buffers
	entries map[string]entry
	warps   int // that run at the same time, each with scratch memory
	threads int // in a block of a launch
	need    int // bytes on the device
	call    call
	failed  error // of a copy that had no way to report it, or of a fault
}

// An entry has its number in the text, and the lane buffers that it assigns.
type entry struct {
	number uint64
	writes []ir.BufID
}

func newExecutable(p *ir.Program, o device.Options, d driver.Driver, k driver.Kernel) *executable {
	e := &executable{driver: d, kernel: k, seed: o.Seed, first: o.First,
		entries: map[string]entry{}, ids: map[string]ir.BufID{}}
	for i, s := range p.Entries {
		e.entries[s.Name] = entry{uint64(i), device.LaneWrites(p, s.Body)}
	}
	for i, b := range p.Buffers {
		if b.Space == ir.Lane {
			e.ids[b.Name] = ir.BufID(i)
		}
	}
	e.threads = threadsFor((o.Lanes+render.Warp-1)/render.Warp, d.Info().Multiprocessors)
	return e
}

// A multiprocessor runs 16 warps of 128 registers a thread; a block has up to four warps.
const (
	warpsEach     = 16
	warpsOfABlock = 4
)

// mostWarps is how many warps run at the same time, a multiple of any block's.
func mostWarps(blocks, multiprocessors int) int {
	n := min(blocks, warpsEach*max(1, multiprocessors))
	return (n + warpsOfABlock - 1) / warpsOfABlock * warpsOfABlock
}

// threadsFor is the size of blocks that spreads warps over all multiprocessors.
func threadsFor(warps, multiprocessors int) int {
	switch each := warps / max(1, multiprocessors); {
	case each >= warpsOfABlock:
		return warpsOfABlock * render.Warp
	case each >= 2:
		return 2 * render.Warp
	}
	return render.Warp
}

// Statement says in words what a program takes of the GPU.
func (e *executable) Statement() string {
	return fmt.Sprintf("%s: lanes %d, memory %s", e.driver.Info().Name, e.Lanes, amount(e.need))
}

// current brings the host's copy of a buffer up to date. A failure is reported by the next Run; until then, and after a
// failure of a Run, the buffer is NaN.
func (e *executable) current(b *buffer) {
	if !b.stale {
		return
	}
	b.stale = false
	if e.failed == nil {
		e.failed = e.driver.Download(b.host, b.at)
	}
	if e.failed == nil {
		e.failed = e.driver.Wait()
	}
	if e.failed != nil {
		poison(b)
	}
}

func poison(b *buffer) {
	if b.Type == ir.F32 {
		for i := range b.bytes / 4 {
			unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b.host))), b.bytes/4)[i] = float32(math.NaN())
		}
		return
	}
	for i := range b.bytes / 8 {
		unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b.host))), b.bytes/8)[i] = math.NaN()
	}
}

// named is a lane buffer; one that does not exist is left to LaneBuffers to refuse.
func (e *executable) named(name string) *buffer {
	if id, ok := e.ids[name]; ok {
		return &e.buffers[id]
	}
	return &buffer{}
}

// Set copies a whole lane buffer to the host's copy.
func (e *executable) Set(name string, values []float64) {
	b := e.named(name)
	e.LaneBuffers.Set(name, values)
	b.dirty, b.stale = true, false
}

// SetLane copies one lane's values to the host's copy.
func (e *executable) SetLane(name string, lane int, values []float64) {
	b := e.named(name)
	e.current(b)
	e.LaneBuffers.SetLane(name, lane, values)
	b.dirty = true
}

// Get copies a whole lane buffer.
func (e *executable) Get(name string, dst []float64) {
	e.current(e.named(name))
	e.LaneBuffers.Get(name, dst)
}

// GetLane copies one lane's values.
func (e *executable) GetLane(name string, lane int, dst []float64) {
	e.current(e.named(name))
	e.LaneBuffers.GetLane(name, lane, dst)
}

// Close releases memory and machine code; after a fault the driver has released them already.
func (e *executable) Close() error {
	fault := (*driver.Error)(nil)
	if errors.As(e.failed, &fault) && fault.Fault() {
		return nil
	}
	errs := []error{e.call.close(e.driver)}
	for _, b := range e.buffers {
		if b.at != 0 {
			errs = append(errs, e.driver.Release(b.at))
		}
		if b.host != nil {
			errs = append(errs, e.driver.ReleasePinned(b.host))
		}
	}
	e.buffers, e.Blocks = nil, nil
	return errors.Join(append(errs, e.kernel.Close())...)
}
