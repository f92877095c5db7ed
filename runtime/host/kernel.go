package host

import (
	"math"

	"ppl/compiler/ir"
)

// shape says what a value of a kernel varies with: perPoint, perLane, both or neither. Vectors of both are
// [point][lane].
type shape uint8

const (
	perPoint shape = 1 << iota
	perLane
	shapes = 4
)

// chunkValues is the length of a full register: small enough that the registers of a kernel stay in cache.
const chunkValues = 512

// A chunk is a run of points under evaluation.
type chunk struct {
	start, points int
	len           [shapes]int // of a vector of that shape
}

// A kernel is a compiled ir.Kernel, whose steps are in its frames. One that is whole has all points in one chunk, and
// is its body. Of another the prologue (what does not vary along points) runs once per tile, the body and the outputs
// once per chunk.
type kernel struct {
	id         int // of its frame
	width      int
	points     int
	chunk      int // points of a full chunk
	whole      bool
	tilePoints int
	partial    bool // tiles sum into buffers of their own, combined in order
	outs       []output
}

func (k *kernel) tileCount() int { return (k.points + k.tilePoints - 1) / k.tilePoints }

func (k *kernel) run(w *worker) {
	if k.whole {
		f := &w.frames[k.id]
		f.look(atChunk, w.turn)
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

// combine meets the tiles' partial results in order.
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
	f.look(atChunk, w.turn)
	f.run(w, f.prologue)
	k.startPartials(owner, t)
	for ; start < end; start += f.chunk.points {
		f.setChunk(start, min(k.chunk, end-start), k.width)
		f.look(atChunk, w.turn)
		f.run(w, f.body)
		for i := range k.outs {
			k.outs[i].put(w, f, &f.chunk, k.target(owner, t, i))
		}
	}
}

// startPartials makes a tile's own sums neutral.
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

// target is where a tile's output goes: the buffer, or the tile's own part.
func (k *kernel) target(owner *worker, t, i int) []float64 {
	o := &k.outs[i]
	if !k.partial || o.combine == ir.Store {
		return owner.bufs[o.buf]
	}
	return owner.frames[k.id].partials[i][t*o.len : (t+1)*o.len]
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
