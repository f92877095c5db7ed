package gpu

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
	"ppl/runtime/device"
	"ppl/runtime/gpu/driver"
)

type executable struct {
	device.LaneBuffers
	*plan
	driver   driver.Driver
	module   driver.Module
	byLanes  *kernel
	advance  *kernel
	kernels  map[string]*kernel // kernels of stages by name
	library  *library           // nil: kernels compute all products
	noGraphs bool               // the driver has no graphs, or no memory for them
	seed     uint64
	first    int // number of the first lane
	group    int // number of lanes that may read from each other
	buffers  []buffer
	ids      map[string]ir.BufID // ids of the buffers that the host accesses by name
	entries  map[string]*entry
	warps    int // number of warps that run at the same time, each with scratch memory
	local    int // number of bytes of local memory per thread
	need     int // number of bytes on the device
	call     call
	poison   []byte // pinned; nil: scratch memory is not overwritten with NaN
	failed   error  // error of a copy that could not report it, or of a fault
	poisoned bool
}

// An entry holds its number in the text, the lane buffers that it assigns, and its stages; stages is nil if the entry
// runs by lanes.
type entry struct {
	number uint64
	writes []ir.BufID
	device.Traits
	stages []stage
	graphs []graph // graphs of 1, 2, 4, … executions
}

// A stage is a launch of a kernel (for one iteration, if it belongs to a recurrence), or calls of a library that
// replace it.
type stage struct {
	*kernel
	render.Stage
	calls []driver.Product
}

// A kernel holds its number of items, and the largest number of threads of a block with which it has run.
type kernel struct {
	driver.Kernel
	items, threads int
	free           bool // any number of warps can run it
}

func newExecutable(l *plan, o device.Options, d *Device, m driver.Module) *executable {
	e := &executable{plan: l, driver: d.driver, module: m, seed: o.Seed, first: o.First, group: max(o.Group, 1),
		poisoned: d.poisoned, noGraphs: d.noGraphs, entries: map[string]*entry{}, ids: map[string]ir.BufID{}}
	for i, s := range l.program.Entries {
		e.entries[s.Name] = &entry{number: uint64(i), writes: device.LaneWrites(l.program, s.Body),
			Traits: device.TraitsOf(s)}
	}
	for i, b := range l.program.Buffers {
		if b.Named() {
			e.ids[b.Name] = ir.BufID(i)
		}
	}
	return e
}

// find finds the kernels in the module.
func (e *executable) find() (err error) {
	if e.byLanes, err = e.kernel("launch", 1); err != nil {
		return err
	}
	if e.advance, err = e.kernel("advance", 1); err != nil {
		return err
	}
	e.kernels = map[string]*kernel{}
	for i, s := range e.program.Entries {
		for _, stage := range e.stages[i] {
			if !e.launching.Points[i] {
				continue
			}
			if err := e.addStage(e.entries[s.Name], stage); err != nil {
				return err
			}
		}
	}
	return nil
}

// addStage adds a launch to an entry. The iterations of a recurrence launch the same kernels.
func (e *executable) addStage(to *entry, s render.Stage) (err error) {
	k, ok := e.kernels[s.Kernel]
	if !ok {
		if k, err = e.kernel(s.Kernel, s.Items); err != nil {
			return err
		}
		k.free = s.Free && k.Needs().LocalBytes == 0
		e.kernels[s.Kernel] = k
	}
	to.stages = append(to.stages, stage{kernel: k, Stage: s})
	return nil
}

func (e *executable) kernel(name string, items int) (*kernel, error) {
	k, err := e.module.Kernel(name)
	if err != nil {
		return nil, err
	}
	e.local = max(e.local, k.Needs().LocalBytes)
	return &kernel{Kernel: k, items: items, threads: warpsOfABlock * render.Warp}, nil
}

// A multiprocessor has 65,536 registers and can hold 64 warps. Only 16 warps per multiprocessor use scratch memory;
// each of their threads may use 128 registers. A block has up to four warps.
const (
	warpsEach     = 16
	mostWarpsEach = 64
	registersEach = 65536
	warpsOfABlock = 4
)

// warpsOf returns the number of warps that run a kernel, at most `wanted`.
func (e *executable) warpsOf(k *kernel, wanted int) int {
	if !k.free {
		return min(e.warps, wanted)
	}
	each := min(mostWarpsEach, registersEach/(max(k.Needs().Registers, 1)*render.Warp))
	return min(max(e.warps, each*max(1, e.driver.Info().Multiprocessors)), wanted)
}

// mostWarps returns the number of warps that run at the same time, a multiple of the warps of any block.
func mostWarps(wanted, multiprocessors int) int {
	return over(min(wanted, warpsEach*max(1, multiprocessors)), warpsOfABlock) * warpsOfABlock
}

// threadsFor returns the number of threads per block that distributes warps over all multiprocessors.
func threadsFor(warps, multiprocessors int) int {
	switch each := warps / max(1, multiprocessors); {
	case each >= warpsOfABlock:
		return warpsOfABlock * render.Warp
	case each >= 2:
		return 2 * render.Warp
	}
	return render.Warp
}

// Statement describes in words which resources of the GPU a program uses.
func (e *executable) Statement() string {
	return fmt.Sprintf("%s: lanes %d, memory %s, %s", e.driver.Info().Name, e.Lanes, amount(e.need), e.words())
}

// current downloads a buffer if the host's copy is out of date.
func (e *executable) current(b *buffer) {
	if b.stale {
		e.download(b)
	}
	b.read = true
}

// download copies a buffer to the host. It also copies the buffers that the host has read since their previous
// download: a sampler reads the same buffers after each trajectory, and waiting for each separately would take longer
// than copying it. An error is reported by the next Run; until then, and after a failure of a Run, the buffers are NaN.
func (e *executable) download(b *buffer) {
	var all []*buffer
	for i := range e.buffers {
		if other := &e.buffers[i]; other.stale && (other == b || other.read) {
			all = append(all, other)
		}
	}
	for _, o := range all {
		o.stale, o.read = false, false
		if e.failed == nil {
			e.failed = e.driver.Download(o.host, o.at)
		}
	}
	if e.failed == nil {
		e.failed = e.driver.Wait()
	}
	if e.failed != nil {
		for _, o := range all {
			lose(o)
		}
	}
}

func lose(b *buffer) {
	n := len(b.host) / b.Type.Bytes()
	if b.Type == ir.F32 {
		for i := range n {
			unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b.host))), n)[i] = float32(math.NaN())
		}
		return
	}
	for i := range n {
		unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b.host))), n)[i] = math.NaN()
	}
}

// named returns a buffer that the host accesses by name. For an unknown name it returns an empty buffer, and
// LaneBuffers panics.
func (e *executable) named(name string) *buffer {
	if id, ok := e.ids[name]; ok {
		return &e.buffers[id]
	}
	return &buffer{}
}

// Set copies values to the host's copy of a lane buffer.
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

// Get copies the values of an entire lane buffer.
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
	errs := []error{e.forgetGraphs(), e.call.close(e.driver)}
	if e.poison != nil {
		errs = append(errs, e.driver.ReleasePinned(e.poison))
	}
	for _, b := range e.buffers {
		if b.at != 0 {
			errs = append(errs, e.driver.Release(b.at))
		}
		if b.host != nil {
			errs = append(errs, e.driver.ReleasePinned(b.host))
		}
	}
	e.buffers, e.Blocks = nil, nil
	return errors.Join(append(errs, e.module.Close())...)
}
