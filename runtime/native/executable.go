//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"errors"
	"math"
	"time"
	"unsafe"

	"ppl/compiler/ir"
	"ppl/compiler/render"
	"ppl/runtime/device"
)

type executable struct {
	*library
	device.LaneBuffers
	arena   *arena
	buffers []ir.Buffer
	left    []int // by buffer, see render.Left
	entries map[string]entry
	shared  []unsafe.Pointer // by buffer, nil elsewhere
	workers []*worker
	seats   []*seat
	crew    *crew
	// by entry that a schedule begins with: an execution on a block, the last time; 0: not known
	pace []time.Duration
	task func(worker, i int) // block, made once

	// The run in progress.
	schedule []scheduled
	took     time.Duration // worker 0's last block
	parts    [][]part      // by schedule; nil where there are no turns to share out
	writes   []ir.BufID    // lane buffers that it assigns
	step     uint64
	mask     []bool
}

// An entry is its number in the library, its parts and the lane buffers that it assigns.
type entry struct {
	number uint64
	parts  []part
	tiled  bool
	writes []ir.BufID
}

// A part is its number in the library and its turns; 0: not of turns.
type part struct {
	number uint64
	turns  int
}

// groupBlocks is how many blocks of lanes go through tiles together, at least: each tile of the data is then read once
// for all of them.
const groupBlocks = 4

func newExecutable(p *ir.Program, o device.Options, l *library, gemm gemms) (*executable, error) {
	e := &executable{library: l, buffers: p.Buffers, left: render.Left(p), entries: map[string]entry{}}
	turns := e.addEntries(p)
	blocks := (o.Lanes + l.width - 1) / l.width
	threads := min(o.Threads, max(blocks, turns))
	seats := min(blocks, threads)
	if turns > 0 {
		seats = min(blocks, max(groupBlocks, threads))
	}
	var err error
	if e.arena, err = newArena(e.size(blocks, threads, seats)); err != nil {
		return nil, err
	}
	e.allocate(o.Lanes)
	for range threads {
		e.workers = append(e.workers, e.newWorker(o.Seed, gemm))
	}
	for range seats {
		e.seats = append(e.seats, e.newSeat())
	}
	call(l.setup, e.workers[0].context)
	e.crew, e.task, e.pace = newCrew(threads), e.block, make([]time.Duration, len(p.Entries))
	return e, nil
}

// addEntries names the entries and returns the most turns of any part.
func (e *executable) addEntries(p *ir.Program) (turns int) {
	number := uint64(0)
	for i, parts := range render.Parts(p) {
		s := entry{number: uint64(i), tiled: len(parts) > 1, writes: device.LaneWrites(p, p.Entries[i].Body)}
		for _, q := range parts {
			s.parts = append(s.parts, part{number, q.Turns})
			turns = max(turns, q.Turns)
			number++
		}
		e.entries[p.Entries[i].Name] = s
	}
	return turns
}

// size is the bytes of all buffers, and of each worker's context and table.
func (e *executable) size(blocks, threads, seats int) int {
	n := threads * (room(int(unsafe.Sizeof(context{}))) + room(8*len(e.buffers)))
	for i, b := range e.buffers {
		one := elementSize(b.Type) * b.Size * max(1, e.left[i])
		switch e.owner(i) {
		case nobody:
			n += room(one)
		case aBlock:
			n += room(one*e.width) * blocks
		case aSeat:
			n += room(one*e.width) * seats
		case aWorker:
			n += room(one*e.width) * threads
		}
	}
	return n
}

// An owner is who has a buffer for itself.
type owner int

const (
	nobody owner = iota // one for all
	aBlock
	aSeat
	aWorker
)

func (e *executable) owner(id int) owner {
	switch e.buffers[id].Space {
	case ir.Lane:
		return aBlock
	case ir.Scratch:
		return aSeat
	case ir.Tile:
		if e.left[id] > 0 {
			return aSeat
		}
		return aWorker
	}
	return nobody
}

func (e *executable) allocate(lanes int) {
	e.LaneBuffers = device.NewLaneBuffers(e.buffers, lanes, e.width, e.arena.numbers)
	e.shared = make([]unsafe.Pointer, len(e.buffers))
	for i, b := range e.buffers {
		if b.Space == ir.Shared {
			e.shared[i] = e.arena.take(elementSize(b.Type) * b.Size)
			fill(e.shared[i], b)
		}
	}
}

// elementSize is the bytes of an element in memory, where whole numbers are as long as others.
func elementSize(t ir.Type) int {
	if t == ir.F32 {
		return 4
	}
	return 8
}

// fill writes a buffer's initial values as its type holds them; an I32 is truncated towards zero.
func fill(at unsafe.Pointer, b ir.Buffer) {
	switch b.Type {
	case ir.F32:
		x := unsafe.Slice((*float32)(at), b.Size)
		for i, v := range b.Init {
			x[i] = float32(v)
		}
	case ir.I32:
		x := unsafe.Slice((*float64)(at), b.Size)
		for i, v := range b.Init {
			x[i] = math.Trunc(v)
		}
	default:
		copy(unsafe.Slice((*float64)(at), b.Size), b.Init)
	}
}

// Close unloads the library and frees the buffers; the executable is not to be used afterwards.
func (e *executable) Close() error {
	e.crew.dismiss()
	e.Blocks, e.shared, e.workers, e.seats = nil, nil, nil, nil
	return errors.Join(e.library.close(), e.arena.close())
}
