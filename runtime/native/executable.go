//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"ppl/compiler/ir"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

type executable struct {
	*library
	device.LaneBuffers
	arena   *arena
	buffers []ir.Buffer
	entries map[string]entry
	shared  [][]float64 // by buffer, nil elsewhere
	workers []*worker

	// The run in progress.
	schedule []scheduled
	writes   []ir.BufID // lane buffers that it assigns
	step     uint64
	mask     []bool
	next     atomic.Int64 // block to take
	done     sync.WaitGroup
}

// An entry is its number in the library and the lane buffers that it assigns.
type entry struct {
	number uint64
	writes []ir.BufID
}

// A worker is what one goroutine needs: a context with its own table of buffers and its own scratch, and room for masked lanes.
type worker struct {
	*context
	table []unsafe.Pointer
	saved [][]float64
}

func newExecutable(p *ir.Program, o device.Options, l *library) (*executable, error) {
	e := &executable{library: l, buffers: p.Buffers, entries: map[string]entry{}}
	blocks := (o.Lanes + l.width - 1) / l.width
	threads := min(o.Threads, blocks)
	var err error
	if e.arena, err = newArena(e.size(blocks, threads)); err != nil {
		return nil, err
	}
	e.allocate(o.Lanes)
	for i, s := range p.Entries {
		e.entries[s.Name] = entry{uint64(i), device.LaneWrites(p, s.Body)}
	}
	for range threads {
		e.workers = append(e.workers, e.newWorker(o.Seed))
	}
	call(l.setup, e.workers[0].context)
	return e, nil
}

// size is the bytes of all buffers, and of each worker's context and table.
func (e *executable) size(blocks, threads int) int {
	n := threads * (room(int(unsafe.Sizeof(context{}))) + room(8*len(e.buffers)))
	for _, b := range e.buffers {
		n += room(8*b.Size*e.lanesOf(b)) * copies(b, blocks, threads)
	}
	return n
}

// lanesOf is the numbers that a buffer has for each element.
func (e *executable) lanesOf(b ir.Buffer) int {
	if b.Space == ir.Shared {
		return 1
	}
	return e.width
}

func copies(b ir.Buffer, blocks, threads int) int {
	return map[ir.Space]int{ir.Shared: 1, ir.Lane: blocks, ir.Scratch: threads}[b.Space]
}

func (e *executable) allocate(lanes int) {
	e.LaneBuffers = device.NewLaneBuffers(e.buffers, lanes, e.width, e.arena.numbers)
	e.shared = make([][]float64, len(e.buffers))
	for i, b := range e.buffers {
		if b.Space == ir.Shared {
			e.shared[i] = e.arena.numbers(b.Size)
			copy(e.shared[i], b.Init)
			round(e.shared[i], b.Type)
		}
	}
}

// round makes values what a buffer of type t can hold; an I32 is truncated towards zero.
func round(x []float64, t ir.Type) {
	switch t {
	case ir.F32:
		for i, v := range x {
			x[i] = float64(float32(v))
		}
	case ir.I32:
		for i, v := range x {
			x[i] = math.Trunc(v)
		}
	}
}

func (e *executable) newWorker(seed uint64) *worker {
	w := &worker{context: (*context)(e.arena.take(int(unsafe.Sizeof(context{})))), saved: make([][]float64, len(e.buffers))}
	w.buffer = (*unsafe.Pointer)(e.arena.take(8 * len(e.buffers)))
	w.table = unsafe.Slice(w.buffer, len(e.buffers))
	w.seed = seed
	for i, b := range e.buffers {
		switch b.Space {
		case ir.Shared:
			w.table[i] = unsafe.Pointer(unsafe.SliceData(e.shared[i]))
		case ir.Scratch:
			w.table[i] = e.arena.take(8 * b.Size * e.width)
		}
	}
	return w
}

// Close unloads the library and frees the buffers; the executable is not to be used afterwards.
func (e *executable) Close() error {
	e.Blocks, e.shared, e.workers = nil, nil, nil
	return errors.Join(e.library.close(), e.arena.close())
}

// Run gives each block of lanes the whole schedule at once.
func (e *executable) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	next, err := e.plan(calls, step, mask)
	if err != nil {
		return step, err
	}
	if len(e.schedule) == 0 {
		return next, nil
	}
	var pin runtime.Pinner
	pin.Pin(&e.schedule[0])
	defer pin.Unpin()
	e.next.Store(0)
	for _, w := range e.workers[1:] {
		e.done.Add(1)
		go func() { e.takeBlocks(w); e.done.Done() }()
	}
	e.takeBlocks(e.workers[0])
	e.done.Wait()
	return next, nil
}

// plan resolves the calls into e.schedule and counts their steps.
func (e *executable) plan(calls []device.Call, step uint64, mask []bool) (next uint64, err error) {
	if mask != nil && len(mask) != e.Lanes {
		return 0, fmt.Errorf("native: mask of %d for %d lanes", len(mask), e.Lanes)
	}
	e.schedule, e.writes, e.step, e.mask = e.schedule[:0], e.writes[:0], step, mask
	for _, c := range calls {
		entry, ok := e.entries[c.Entry]
		if !ok || c.Times < 0 {
			return 0, fmt.Errorf("native: cannot run entry %q %d times", c.Entry, c.Times)
		}
		e.schedule = append(e.schedule, scheduled{entry.number, uint64(c.Times)})
		e.writes = append(e.writes, entry.writes...)
		step += uint64(c.Times)
	}
	if step > noise.Steps {
		return 0, fmt.Errorf("native: noise step %d is beyond %d", step, uint64(noise.Steps))
	}
	return step, nil
}
