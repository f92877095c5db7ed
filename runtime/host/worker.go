package host

import (
	"sync"
	"sync/atomic"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

type executable struct {
	device.LaneBuffers
	seed    uint64
	first   int // number of the first lane
	group   int // number of lanes that may read from each other
	buffers []ir.Buffer
	shared  [][]float64 // by buffer id; nil for buffers that are not shared
	entries map[string]*entry
	runners []*worker // one per goroutine that runs blocks

	// The fields below describe the Run in progress.
	schedule []call
	step     uint64
	mask     []bool
	next     atomic.Int64 // index of the next block to run
	done     sync.WaitGroup
}

// An entry is a compiled ir.Entry; writes lists the lane buffers that it assigns.
type entry struct {
	body   []statement
	writes []ir.BufID
	device.Traits
}

// A call is an entry to run a number of times.
type call struct {
	*entry
	times int
}

// A statement is a compiled ir.Stmt.
type statement interface{ run(w *worker) }

// A worker holds the memory that one goroutine needs to run statements: pointers to the buffers, and registers. A
// worker that runs blocks is a runner; the other workers are helpers of a runner, with which they share the tiles of
// large statements.
type worker struct {
	e           *executable
	bufs        [][]float64 // all buffers by id; scratch buffers belong to the runner
	block       *device.Block
	lane0       uint32      // first lane of the block
	step        uint64      // noise step
	turn        int         // iteration of the surrounding loop or tiles, otherwise 0
	inTile      bool        // runs an iteration of tiles: its statements must not call helpers again
	frames      []frame     // by kernel
	temp        [][]float64 // temporaries, by the number that compiler.temp returned
	tileBufs    [][]float64 // tile buffers by id, nil for other buffers
	tileResults [][]float64 // for a runner: results of the iterations of tiles
	saved       [][]float64 // copies of masked lanes, by buffer id

	runBlocks, help func()         // functions that goroutines run, created once so that calls do not allocate
	done            sync.WaitGroup // for a runner: waits for its helpers

	helpers []*worker // for a runner
	owner   *worker   // for a helper: its runner
	job     tiled
	count   int
	next    atomic.Int64 // for a runner: index of the next tile
}

// A tiled statement is divided into independent tiles.
type tiled interface{ tile(w, owner *worker, t int) }

// workers creates one runner per block, at most one per thread, and divides the other threads among the runners as
// helpers.
func (e *executable) workers(c *compiler, threads int) []*worker {
	runners := make([]*worker, min(threads, len(e.Blocks)))
	for i := range runners {
		runners[i] = newWorker(e, c)
		runners[i].ownScratch(c)
	}
	for i, w := range runners {
		w.runBlocks = func() { w.takeBlocks(); e.done.Done() }
		if !c.tiles {
			continue
		}
		for range nearEqualPart(threads-len(runners), len(runners), i) {
			w.helpers = append(w.helpers, newWorker(e, c))
		}
		for _, h := range w.helpers {
			h.owner = w
			h.help = func() { h.takeTiles(); w.done.Done() }
		}
	}
	return runners
}

// nearEqualPart returns the i-th of n nearly equal parts of total.
func nearEqualPart(total, n, i int) int { return total*(i+1)/n - total*i/n }

func newWorker(e *executable, c *compiler) *worker {
	w := &worker{e: e, bufs: make([][]float64, len(e.buffers)), saved: make([][]float64, len(e.buffers))}
	copy(w.bufs, e.shared)
	w.frames = c.frames(w.bufs)
	for _, n := range c.temps {
		w.temp = append(w.temp, make([]float64, n))
	}
	w.tileBufs = make([][]float64, len(e.buffers))
	for i, b := range e.buffers {
		if b.Space == ir.Tile {
			w.tileBufs[i] = make([]float64, b.Size*e.Width)
			w.bufs[i] = w.tileBufs[i]
		}
	}
	for i := range w.frames {
		f := &w.frames[i]
		f.bindViews(atLoad, 0)
		f.run(w, f.loadSteps)
	}
	return w
}

// ownScratch allocates the memory that a runner shares with its helpers.
func (w *worker) ownScratch(c *compiler) {
	for i, b := range w.e.buffers {
		if b.Space == ir.Scratch {
			w.bufs[i] = make([]float64, b.Size*w.e.Width)
		}
	}
	for _, n := range c.resultSizes {
		w.tileResults = append(w.tileResults, make([]float64, n))
	}
}

// takeOver makes a helper use the buffers of its runner, except tile buffers, which each worker has separately.
func (w *worker) takeOver(from *worker) {
	copy(w.bufs, from.bufs)
	for i, b := range w.tileBufs {
		if b != nil {
			w.bufs[i] = b
		}
	}
	w.lane0, w.step, w.turn = from.lane0, from.step, from.turn
}

func (w *worker) takeBlocks() {
	for {
		i := int(w.e.next.Add(1)) - 1
		if i >= len(w.e.Blocks) {
			return
		}
		w.runBlock(&w.e.Blocks[i])
	}
}

// runBlock runs the entire schedule on one block, unless all its lanes are masked.
func (w *worker) runBlock(b *device.Block) {
	mask := w.e.blockMask(b)
	if mask == 0 {
		return
	}
	if w.block != b {
		w.useBlock(b)
	}
	w.lane0, w.step = uint32(w.e.first+b.Lane0), w.e.step
	partial := mask != 1<<w.e.Width-1
	if partial {
		w.save()
	}
	w.runSchedule()
	if partial {
		w.restore(mask)
	}
}

// useBlock switches the worker to a block's buffers.
func (w *worker) useBlock(b *device.Block) {
	w.block = b
	for i, buf := range b.Bufs {
		if buf != nil {
			w.bufs[i] = buf
		}
	}
	w.bindViews()
}

// bindViews sets the views of lane buffers after the block has changed.
func (w *worker) bindViews() {
	for i := range w.frames {
		w.frames[i].bindViews(atBlock, 0)
	}
}

func (w *worker) runSchedule() {
	for _, c := range w.e.schedule {
		for range c.times {
			for _, s := range c.body {
				s.run(w)
			}
			w.step += c.Steps(1)
		}
	}
}

// blockMask returns the bits of the lanes of a block that run, or 0 if all are masked. Lanes beyond the last, which
// only fill the last block, count as running.
func (e *executable) blockMask(b *device.Block) (bits uint) {
	active := false
	for l := range e.Width {
		lane := b.Lane0 + l
		if lane >= e.Lanes {
			bits |= 1 << l
		} else if e.mask == nil || e.mask[lane] {
			bits |= 1 << l
			active = true
		}
	}
	if !active {
		return 0
	}
	return bits
}

// save copies the lane buffers that the schedule will overwrite.
func (w *worker) save() {
	for _, c := range w.e.schedule {
		for _, id := range c.writes {
			w.saved[id] = append(w.saved[id][:0], w.bufs[id]...)
		}
	}
}

// restore copies the saved values back to masked lanes. These ran with the others, since skipping a lane would cost
// more than its arithmetic.
func (w *worker) restore(mask uint) {
	for _, c := range w.e.schedule {
		for _, id := range c.writes {
			for l := range w.e.Width {
				if mask>>l&1 == 0 {
					copyLane(w.bufs[id], w.saved[id], l, w.e.Width)
				}
			}
		}
	}
}

func copyLane(dst, src []float64, lane, width int) {
	for i := lane; i < len(dst); i += width {
		dst[i] = src[i]
	}
}

// tiles runs n tiles of a statement, shared with the helpers.
func (w *worker) tiles(s tiled, n int) {
	if len(w.helpers) == 0 || n < 2 || w.inTile {
		for t := range n {
			s.tile(w, w, t)
		}
		return
	}
	w.next.Store(0)
	w.job, w.count = s, n
	for _, h := range w.helpers[:min(len(w.helpers), n-1)] {
		h.takeOver(w)
		w.done.Add(1)
		go h.help()
	}
	w.takeTilesOf(w)
	w.done.Wait()
}

func (w *worker) takeTiles() { w.takeTilesOf(w.owner) }

func (w *worker) takeTilesOf(owner *worker) {
	for {
		t := int(owner.next.Add(1)) - 1
		if t >= owner.count {
			return
		}
		owner.job.tile(w, owner, t)
	}
}
