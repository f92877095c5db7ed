//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"errors"
	"math"
	"slices"
	"time"
	"unsafe"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
	"ppl/runtime/device"
)

type executable struct {
	*library
	device.LaneBuffers
	key         string // of the library in the cache
	arena       *arena
	buffers     []ir.Buffer
	tileResults []int  // by buffer: turns whose results it keeps, see render.TileResults
	bytes       []bool // by buffer: data of which a byte each is kept, see ir.Program.Bytes
	entries     map[string]entry
	shared      []unsafe.Pointer // by buffer, nil elsewhere
	located     []located        // the lane buffers, in the arena
	workers     []*worker
	states      []*blockState
	pool        *workerPool
	needed      []ir.Span    // by buffer: the elements that are read here
	first       int          // number of the first lane
	sharing     device.Turns // nil: all turns run here
	stage       []byte       // what turns have left, on the way to other processes
	// by the entry that a schedule begins with: time of an execution on a block in the last run; 0 if not known
	blockTime []time.Duration
	task      func(worker, i int) // the method takeChunk, as a value made once so that no call allocates

	// The fields below describe the Run in progress.
	schedule []scheduled
	chunk    int           // blocks that a worker takes at a time
	took     time.Duration // of a block, in the first chunk of worker 0; 0 before
	parts    [][]part      // by schedule; nil if there are no turns to share
	still    []bool        // by schedule: takes no noise step
	writes   []ir.BufID    // lane buffers that the schedule assigns
	step     uint64
	mask     []bool
}

// An entry has its number in the library, its parts, the lane buffers that it assigns, and by buffer the elements that
// it reads here.
type entry struct {
	number uint64
	parts  []part
	tiled  bool
	device.Traits
	writes []ir.BufID
	reads  []ir.Span
}

// A part has its number in the library, its number of turns (0 if it has no turns), and the buffers in which each of
// them leaves all its results (none if it writes elsewhere, too).
type part struct {
	number uint64
	turns  int
	left   []ir.BufID
}

// groupBlocks is the least number of blocks of lanes that go through tiles together: each tile of the data is
// then read once for all of them. Where lanes are apart there is scratch memory for one lane of a thread.
const groupBlocks = 4

func newExecutable(p *ir.Program, o device.Options, l *library) (*executable, error) {
	e := &executable{library: l, buffers: p.Buffers, tileResults: render.TileResults(p), bytes: p.Bytes(),
		entries: map[string]entry{},
		first:   o.First, sharing: o.Turns}
	turns := e.addEntries(p)
	e.addReads(p)
	blocks := (o.Lanes + l.width - 1) / l.width
	threads := min(o.Threads, max(blocks, turns))
	states := min(blocks, threads)
	if turns > 0 && p.Layout == ir.Interleaved {
		states = min(blocks, max(groupBlocks, threads))
	}
	var err error
	if e.arena, err = newArena(e.size(blocks, threads, states)); err != nil {
		return nil, err
	}
	e.allocate(p, o.Lanes)
	for range threads {
		e.workers = append(e.workers, e.newWorker(o))
	}
	for range states {
		e.states = append(e.states, e.newBlockState())
	}
	call(l.setup, e.workers[0].context)
	e.release()
	e.pool, e.task, e.blockTime = newWorkerPool(threads), e.takeChunk, make([]time.Duration, len(p.Entries))
	return e, nil
}

// addEntries fills e.entries, and returns the largest number of turns of a part.
func (e *executable) addEntries(p *ir.Program) (turns int) {
	number := uint64(0)
	for i, parts := range render.Parts(p) {
		s := entry{number: uint64(i), tiled: len(parts) > 1, Traits: device.TraitsOf(p.Entries[i]),
			writes: device.LaneWrites(p, p.Entries[i].Body)}
		for _, q := range parts {
			s.parts = append(s.parts, part{number, q.Turns, q.Left})
			turns = max(turns, q.Turns)
			number++
		}
		e.entries[p.Entries[i].Name] = s
	}
	return turns
}

// size returns the bytes of all buffers, and of each worker's context, buffer table and memory for products.
func (e *executable) size(blocks, threads, states int) int {
	n := threads * (aligned(int(unsafe.Sizeof(context{}))) + aligned(8*len(e.buffers)) + aligned(e.library.work))
	n += aligned(len(e.buffers) * int(unsafe.Sizeof(located{})))
	for i, b := range e.buffers {
		one := e.element(i) * b.Size * max(1, e.tileResults[i])
		switch e.owner(i) {
		case nobody:
			if !e.inPlace(i) {
				n += aligned(one)
			}
		case aBlock:
			n += aligned(one*e.width) * blocks
		case aBlockState:
			n += aligned(one*e.width) * states
		case aWorker:
			n += aligned(one*e.width) * threads
		}
	}
	return n
}

// An owner says which objects have a copy of a buffer.
type owner int

const (
	nobody owner = iota // one copy for all
	aBlock
	aBlockState
	aWorker
)

func (e *executable) owner(id int) owner {
	switch e.buffers[id].Space {
	case ir.Lane:
		return aBlock
	case ir.Scratch:
		return aBlockState
	case ir.Tile:
		if e.tileResults[id] > 0 {
			return aBlockState
		}
		return aWorker
	}
	return nobody
}

// addReads finds the elements of each buffer that this process reads: of data, its own rows.
func (e *executable) addReads(p *ir.Program) {
	e.needed = make([]ir.Span, len(p.Buffers))
	for _, body := range p.Entries {
		of := e.entries[body.Name]
		of.reads = ir.Needed(p, body, func(s *ir.Tiles) (first, end int) {
			if e.sharing == nil || render.Left(p, s) == nil {
				return 0, s.Turns()
			}
			return e.sharing.Share(s.Turns())
		})
		e.entries[body.Name], e.needed = of, ir.Together(e.needed, of.reads)
	}
}

// Reads returns the elements of a lane's buffer that an entry reads in this process: device.Partial.
func (e *executable) Reads(entry, name string, _ int) (first, end int) {
	at := slices.IndexFunc(e.buffers, func(b ir.Buffer) bool { return b.Space == ir.Lane && b.Name == name })
	of := e.entries[entry].reads[at]
	return of.First, of.End
}

// release gives back the memory of what this process does not read of Shared buffers.
func (e *executable) release() {
	for i, b := range e.buffers {
		if b.Space == ir.Shared && !b.Given {
			size, end := e.element(i), e.element(i)*b.Size
			if e.inPlace(i) {
				continue
			}
			e.arena.release(e.shared[i], 0, size*e.needed[i].First)
			e.arena.release(e.shared[i], size*e.needed[i].End, end)
		}
	}
}

// allocate makes all buffers. What neither Setup nor an entry reads of initial values here is left out.
func (e *executable) allocate(p *ir.Program, lanes int) {
	e.LaneBuffers = device.NewLaneBuffers(e.buffers, lanes, e.width, e.arena.numbers, e.arena.singles)
	e.locateLanes()
	e.shared = make([]unsafe.Pointer, len(e.buffers))
	for i, b := range e.buffers {
		if b.Given {
			e.shared[i] = e.given(i)
		} else if b.Space == ir.Shared {
			if e.inPlace(i) {
				e.shared[i] = e.initial(i)
				continue
			}
			e.shared[i] = e.arena.alloc(e.element(i) * b.Size)
			from := e.needed[i]
			if slices.ContainsFunc(p.Setup, func(s ir.Stmt) bool { return slices.Contains(ir.Reads(s), ir.BufID(i)) }) {
				from = ir.Span{End: b.Size}
			}
			e.fill(i, e.shared[i], from)
		}
	}
}

// locateLanes finds the lane buffers in the arena, where the blocks of each lie one after the other.
func (e *executable) locateLanes() {
	all := unsafe.Slice((*located)(e.arena.alloc(len(e.buffers)*int(unsafe.Sizeof(located{})))), len(e.buffers))
	e.located = all[:0]
	for i, b := range e.buffers {
		if b.Space == ir.Lane {
			at := func(block int) unsafe.Pointer { return memoryOf(&e.Blocks[block], i) }
			next := min(1, len(e.Blocks)-1)
			e.located = append(e.located, located{i, at(0), uintptr(at(next)) - uintptr(at(0))})
		}
	}
}

// given returns the memory of a given buffer.
func (e *executable) given(id int) unsafe.Pointer { return memoryOf(&e.Given, id) }

// memoryOf returns a block's memory of a buffer.
func memoryOf(b *device.Block, id int) unsafe.Pointer {
	if s := b.Singles[id]; s != nil {
		return unsafe.Pointer(unsafe.SliceData(s))
	}
	return unsafe.Pointer(unsafe.SliceData(b.Bufs[id]))
}

// inPlace reports whether C reads the initial values of a buffer where they are, on the Go heap, which moves nothing:
// e.shared holds on to them. Data that are much of a machine's memory are then there once, whatever programs read
// them.
func (e *executable) inPlace(id int) bool {
	const many = 1 << 14 // elements
	b := &e.buffers[id]
	switch {
	case b.Init.Len() < many:
		return false
	case e.bytes[id]:
		return b.Init.Bytes() != nil
	}
	return b.Type == ir.F64 && uintptr(e.initial(id))%alignment == 0
}

// initial returns where the initial values of a buffer are, as C reads them.
func (e *executable) initial(id int) unsafe.Pointer {
	init := e.buffers[id].Init
	if e.bytes[id] {
		return init.Start()
	}
	return unsafe.Pointer(unsafe.SliceData(init.Doubles()))
}

// element returns the bytes of an element of a buffer.
func (e *executable) element(id int) int {
	if e.bytes[id] {
		return 1
	}
	return e.buffers[id].Type.Bytes()
}

// fill writes some of a buffer's initial values in its type; an I32 is truncated towards zero.
func (e *executable) fill(id int, at unsafe.Pointer, some ir.Span) {
	b := &e.buffers[id]
	if b.Init.None() {
		return
	}
	init := b.Init.Part(some.First, some.End)
	switch {
	case e.bytes[id]:
		x := unsafe.Slice((*byte)(at), b.Size)
		for i, v := range init.All() {
			x[some.First+i] = byte(v)
		}
	case b.Type == ir.F32:
		x := unsafe.Slice((*float32)(at), b.Size)
		for i, v := range init.All() {
			x[some.First+i] = float32(v)
		}
	case b.Type == ir.I32:
		x := unsafe.Slice((*float64)(at), b.Size)
		for i, v := range init.All() {
			x[some.First+i] = math.Trunc(v)
		}
	default:
		copy(unsafe.Slice((*float64)(at), b.Size)[some.First:], init.Doubles())
	}
}

// Close unloads the library and frees the buffers. The executable must not be used afterwards.
func (e *executable) Close() error {
	e.pool.close()
	e.Blocks, e.shared, e.workers, e.states = nil, nil, nil, nil
	return errors.Join(e.library.close(), e.arena.close())
}
