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
	key         string // name of the library in the cache
	arena       *arena
	buffers     []ir.Buffer
	tileResults []int  // for each buffer: number of iterations whose results are kept, see render.TileResults
	bytes       []bool // for each buffer: whether an element takes one byte, see ir.Program.Bytes
	entries     map[string]entry
	shared      []unsafe.Pointer // for each buffer: its address if it is shared, otherwise nil
	located     []located        // the lane buffers, in the arena
	workers     []*worker
	states      []*blockState
	pool        *workerPool
	needed      []ir.Span    // for each buffer: the elements that this process reads
	first       int          // number of the first lane
	sharing     device.Turns // nil: all iterations run in this process
	stage       []byte       // results of iterations, in the order in which processes exchange them
	// blockTime maps a schedule's first entry to the time that one execution on a block took in the last run; 0 if
	// unknown.
	blockTime []time.Duration
	task      func(worker, i int) // the method takeChunk; stored as a value so that calls do not allocate

	// The fields below describe the Run in progress.
	schedule []scheduled
	chunk    int           // number of blocks that a worker takes at a time
	took     time.Duration // time for a block, measured in the first chunk of worker 0; 0 before
	parts    [][]part      // for each call of the schedule; nil if there are no iterations to share
	shares   bool          // the schedule shares iterations with other processes
	still    []bool        // for each call of the schedule: takes no noise step
	writes   []ir.BufID    // lane buffers that the schedule assigns
	step     uint64
	mask     []bool
}

// An entry holds its number in the library, its parts, the lane buffers that it assigns, and for each buffer the
// elements that it reads in this process.
type entry struct {
	number uint64
	parts  []part
	tiled  bool
	shares bool    // shares iterations with other processes
	work   float64 // estimated arithmetic on all lanes, in additions
	device.Traits
	writes []ir.BufID
	reads  []ir.Span
}

// A part holds its number in the library, its number of iterations (0 if it is not a Tiles), and the buffers in which
// each iteration stores all its results (none if it also writes other buffers). This process runs the iterations
// first ≤ i < end; other processes run the rest if the part is shared.
type part struct {
	number     uint64
	turns      int
	left       []ir.BufID
	first, end int
	shared     bool
}

// groupBlocks is the least number of blocks of lanes that run through tiles together, so that each tile of the data is
// read once for all of them. For layout Apart each thread has scratch memory for only one lane.
const groupBlocks = 4

func newExecutable(p *ir.Program, o device.Options, l *library) (*executable, error) {
	e := &executable{library: l, buffers: p.Buffers, tileResults: render.TileResults(p), bytes: p.Bytes(),
		entries: map[string]entry{},
		first:   o.First, sharing: o.Turns}
	blocks := (o.Lanes + l.width - 1) / l.width
	turns := e.addEntries(p, blocks*l.width)
	e.addReads(p)
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

// addEntries fills e.entries for a number of lanes in complete blocks. It returns the largest number of iterations of a
// part.
func (e *executable) addEntries(p *ir.Program, lanes int) (turns int) {
	number := uint64(0)
	for i, parts := range render.Parts(p) {
		s := entry{number: uint64(i), tiled: len(parts) > 1, Traits: device.TraitsOf(p.Entries[i]),
			writes: device.LaneWrites(p, p.Entries[i].Body),
			work:   ir.Work(p.Entries[i].Body...) * float64(lanes)}
		for _, q := range parts {
			s.parts = append(s.parts, e.newPart(number, q, lanes))
			s.shares = s.shares || s.parts[len(s.parts)-1].shared
			turns = max(turns, q.Turns)
			number++
		}
		e.entries[p.Entries[i].Name] = s
	}
	return turns
}

// newPart decides whether this process shares a part with others.
func (e *executable) newPart(number uint64, q render.Part, lanes int) part {
	p := part{number: number, turns: q.Turns, left: q.Left, end: q.Turns}
	if e.sharing != nil && len(q.Left) > 0 {
		p.first, p.end, p.shared = e.sharing.Share(q.Turns, q.Work*float64(lanes))
	}
	return p
}

// Shares implements device.Sharing.
func (e *executable) Shares(name string) (shared bool, work float64) {
	return e.entries[name].shares, e.entries[name].work
}

// size returns the number of bytes of all buffers, and of each worker's context, buffer table and memory for products.
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

// An owner determines which objects have a copy of a buffer.
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

// addReads determines the elements of each buffer that this process reads: for data, the rows of its iterations.
func (e *executable) addReads(p *ir.Program) {
	e.needed = make([]ir.Span, len(p.Buffers))
	for _, body := range p.Entries {
		of := e.entries[body.Name]
		at := -1 // the parts of Tiles are at odd places, see render.Parts
		of.reads = ir.Needed(p, body, func(*ir.Tiles) (first, end int) {
			at += 2
			return of.parts[at].first, of.parts[at].end
		})
		e.entries[body.Name], e.needed = of, ir.Together(e.needed, of.reads)
	}
}

// Reads implements device.Partial: it returns the range of elements of a named buffer that an entry reads in this
// process.
func (e *executable) Reads(entry, name string, _ int) (first, end int) {
	at := slices.IndexFunc(e.buffers, func(b ir.Buffer) bool { return b.Named() && b.Name == name })
	of := e.entries[entry].reads[at]
	return of.First, of.End
}

// release frees the memory of elements of Shared buffers that this process does not read.
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

// allocate allocates all buffers. It fills in only those initial values that Setup or an entry reads in this process.
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

// locateLanes determines the addresses of the lane buffers in the arena, where the blocks of each buffer are
// consecutive.
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

// inPlace reports whether C reads the initial values of a buffer directly from the Go heap. That is safe, since the Go
// heap does not move objects and e.shared keeps them alive. Large data then exist only once in memory, although several
// programs read them.
func (e *executable) inPlace(id int) bool {
	const many = 1 << 14 // elements
	b := &e.buffers[id]
	switch {
	case b.Init.Len() < many:
		return false
	case e.bytes[id]:
		return b.Init.Bytes() != nil
	case b.Init.Bytes() != nil && e.needed[id] != (ir.Span{End: b.Size}): // float64s of a part take less memory
		return false
	}
	return b.Type == ir.F64 && uintptr(e.initial(id))%alignment == 0
}

// initial returns the address of the initial values of a buffer, in the format that C reads.
func (e *executable) initial(id int) unsafe.Pointer {
	init := e.buffers[id].Init
	if e.bytes[id] {
		return init.Start()
	}
	return unsafe.Pointer(unsafe.SliceData(init.Doubles()))
}

// element returns the size in bytes of an element of a buffer.
func (e *executable) element(id int) int {
	if e.bytes[id] {
		return 1
	}
	return e.buffers[id].Type.Bytes()
}

// fill writes a range of a buffer's initial values in the buffer's type; values of an I32 are truncated towards zero.
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
		x := unsafe.Slice((*float64)(at), b.Size)
		for i, v := range init.All() {
			x[some.First+i] = v
		}
	}
}

// Close unloads the library and frees the buffers. The executable must not be used afterwards.
func (e *executable) Close() error {
	e.pool.close()
	e.Blocks, e.shared, e.workers, e.states = nil, nil, nil, nil
	return errors.Join(e.library.close(), e.arena.close())
}
