package host

import (
	"math"

	"ppl/compiler/backend/ir"
)

// A shape reports with what a value of a kernel varies: perPoint, perLane, both or neither. Vectors that vary with both
// are [point][lane].
type shape uint8

const (
	perPoint shape = 1 << iota
	perLane
	shapes = 4
)

// chunkValues is the length of a full register, small enough that the registers of a kernel stay in the first-level
// cache.
const chunkValues = 512

// A chunk is a range of points being evaluated.
type chunk struct {
	start, points int
	len           [shapes]int // length of a vector of each shape
}

// A kernel is a compiled ir.Kernel; its steps are in its frames. If `whole` is set, one chunk has all points, and only
// the body runs. Otherwise the prologue (values that do not vary along points) runs once per tile, and the body and the
// outputs run once per chunk.
type kernel struct {
	id         int // index of its frame
	width      int
	points     int
	chunk      int // number of points of a full chunk
	whole      bool
	tilePoints int
	partial    bool // each tile has separate sums, which are combined in order
	outs       []output
}

func (k *kernel) tileCount() int { return (k.points + k.tilePoints - 1) / k.tilePoints }

func (k *kernel) run(w *worker) {
	if k.whole {
		f := &w.frames[k.id]
		f.bindViews(atChunk, w.turn)
		f.run(w, f.body)
		return
	}
	for i := range k.outs {
		k.outs[i].reset(w.bufs[k.outs[i].buf])
	}
	w.tiles(k, k.tileCount())
	if k.partial {
		k.combine(w)
	}
	for i := range k.outs {
		k.outs[i].finish(w.bufs[k.outs[i].buf])
	}
}

// combine adds the partial results of tiles to the outputs, in the order of tiles.
func (k *kernel) combine(w *worker) {
	f := &w.frames[k.id]
	for i := range k.outs {
		o := &k.outs[i]
		if o.combine == ir.Store {
			continue
		}
		total := w.bufs[o.buf]
		for t := range k.tileCount() {
			combineLoops[o.combine](total, f.partials[i][t*len(total):][:len(total)])
		}
	}
}

func (k *kernel) tile(w, owner *worker, t int) {
	f := &w.frames[k.id]
	start := t * k.tilePoints
	end := min(start+k.tilePoints, k.points)
	f.setChunk(start, min(k.chunk, end-start), k.width)
	f.bindViews(atChunk, w.turn)
	f.run(w, f.prologue)
	k.startPartials(owner, t)
	for ; start < end; start += f.chunk.points {
		f.setChunk(start, min(k.chunk, end-start), k.width)
		f.bindViews(atChunk, w.turn)
		f.run(w, f.body)
		for i := range k.outs {
			k.outs[i].put(w, f, &f.chunk, k.target(owner, t, i))
		}
	}
}

// startPartials sets a tile's separate sums to the neutral element.
func (k *kernel) startPartials(owner *worker, t int) {
	if !k.partial {
		return
	}
	for i := range k.outs {
		if o := &k.outs[i]; o.combine != ir.Store {
			o.reset(k.target(owner, t, i))
		}
	}
}

// target returns the memory to which a tile writes an output: the buffer, or the tile's separate sums.
func (k *kernel) target(owner *worker, t, i int) []float64 {
	o := &k.outs[i]
	if !k.partial || o.combine == ir.Store {
		return owner.bufs[o.buf]
	}
	return owner.frames[k.id].partials[i][t*o.len : (t+1)*o.len]
}

// round rounds values to the type t of a buffer; values of an I32 are truncated towards zero.
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
