package host

import (
	"sync"
	"sync/atomic"

	"ppl/compiler/ir"
	"ppl/runtime/device"
)

// A worker is what one goroutine needs to run statements: views of the buffers, registers, and helpers for big
// statements.
type worker struct {
	e        *executable
	bufs     [][]float64 // all buffers by id; those of scratch are the runner's own
	block    *device.Block
	lane0    uint32      // first lane of the block
	step     uint64      // noise step
	turn     int         // of the loop or tiles around the statement, else 0
	inside   bool        // a turn of tiles, whose statements have no helpers
	frames   []frame     // by kernel
	temp     [][]float64 // room for statements that ask for it
	tileBufs [][]float64 // tile buffers by id, nil elsewhere
	left     [][]float64 // of a runner: what tiles leave
	saved    [][]float64 // masked lanes' buffers by id

	runBlocks, help func()         // the goroutines, made once
	done            sync.WaitGroup // of a runner: its helpers

	team  []*worker // helpers of a runner
	owner *worker   // of a helper: whom it helps
	job   tiled
	count int
	next  atomic.Int64 // of a runner: tile to take
}

// tiled is a statement in the midst of running, cut into independent tiles.
type tiled interface{ tile(w, owner *worker, t int) }

// workers makes as many runners as there is work for and divides the other threads among them as helpers.
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
		for range share(threads-len(runners), len(runners), i) {
			w.team = append(w.team, newWorker(e, c))
		}
		for _, h := range w.team {
			h.owner = w
			h.help = func() { h.takeTiles(); w.done.Done() }
		}
	}
	return runners
}

// share is the i-th of n near-equal parts of total.
func share(total, n, i int) int { return total*(i+1)/n - total*i/n }

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
		f.look(atLoad, 0)
		f.run(w, f.frozen)
	}
	return w
}

// ownScratch is what a runner has and its helpers use.
func (w *worker) ownScratch(c *compiler) {
	for i, b := range w.e.buffers {
		if b.Space == ir.Scratch {
			w.bufs[i] = make([]float64, b.Size*w.e.Width)
		}
	}
	for _, n := range c.lefts {
		w.left = append(w.left, make([]float64, n))
	}
}

// takeOver gives a helper the buffers of whom it helps, but for those of tiles.
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

// runBlock runs the whole schedule on one block, if its mask leaves anything to do.
func (w *worker) runBlock(b *device.Block) {
	mask := w.e.blockMask(b)
	if mask == 0 {
		return
	}
	if w.block != b {
		w.settle(b)
	}
	w.lane0, w.step = uint32(b.Lane0), w.e.step
	partial := mask != 1<<w.e.Width-1
	if partial {
		w.save()
	}
	w.runSchedule()
	if partial {
		w.restore(mask)
	}
}

// settle takes a block's buffers.
func (w *worker) settle(b *device.Block) {
	w.block = b
	for i, buf := range b.Bufs {
		if buf != nil {
			w.bufs[i] = buf
		}
	}
	w.look()
}

// look sets the views of what lies where the block is.
func (w *worker) look() {
	for i := range w.frames {
		w.frames[i].look(atBlock, 0)
	}
}

func (w *worker) runSchedule() {
	for _, c := range w.e.schedule {
		for range c.times {
			for _, s := range c.body {
				s.run(w)
			}
			w.step++
		}
	}
}

// blockMask has a bit for each lane that runs; padding runs along.
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

// save keeps what the schedule will overwrite.
func (w *worker) save() {
	for _, c := range w.e.schedule {
		for _, id := range c.writes {
			w.saved[id] = append(w.saved[id][:0], w.bufs[id]...)
		}
	}
}

// restore gives masked lanes their buffers back.
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

// tiles runs n tiles of a statement, with the helpers.
func (w *worker) tiles(s tiled, n int) {
	if len(w.team) == 0 || n < 2 || w.inside {
		for t := range n {
			s.tile(w, w, t)
		}
		return
	}
	w.next.Store(0)
	w.job, w.count = s, n
	for _, h := range w.team[:min(len(w.team), n-1)] {
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
