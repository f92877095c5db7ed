//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"unsafe"

	"ppl/runtime/device"
)

// A worker holds the memory of one goroutine: a context with a table of buffers, and the tile buffers of the iteration
// that it runs.
type worker struct {
	*context
	table []unsafe.Pointer
	own   []located
	state *blockState // the block state whose scratch memory is in the table
}

// A blockState holds the scratch memory of a running block of lanes, and copies of its masked lanes.
type blockState struct {
	*device.Block
	scratch []located // scratch buffers, and the results of iterations
	active  bool
	masked  []int // lanes that do not run
	saved   device.Block
}

// A located buffer is the id of a buffer and its address. For a lane buffer, the address is that of the first block;
// consecutive blocks are stride bytes apart (moving in types.h).
type located struct {
	id     int
	at     unsafe.Pointer
	stride uintptr
}

func (e *executable) newWorker(o device.Options) *worker {
	w := &worker{context: (*context)(e.arena.alloc(int(unsafe.Sizeof(context{})))), own: e.locate(aWorker)}
	w.buffer = (*unsafe.Pointer)(e.arena.alloc(8 * len(e.buffers)))
	w.table = unsafe.Slice(w.buffer, len(e.buffers))
	w.seed, w.group, w.work = o.Seed, uint64(max(o.Group, 1)), uintptr(e.arena.alloc(e.library.work))
	w.moving, w.moved = uintptr(unsafe.Pointer(unsafe.SliceData(e.located))), uint64(len(e.located))
	w.first, w.lanes = uint64(e.first), uint64(e.Lanes)
	copy(w.table, e.shared)
	w.set(w.own)
	return w
}

func (e *executable) newBlockState() *blockState {
	return &blockState{scratch: e.locate(aBlockState),
		saved: device.Block{Bufs: make([][]float64, len(e.buffers)), Singles: make([][]float32, len(e.buffers))}}
}

// locate allocates all buffers of an owner.
func (e *executable) locate(who owner) (all []located) {
	for i, b := range e.buffers {
		if e.owner(i) == who {
			all = append(all,
				located{id: i, at: e.arena.alloc(b.Type.Bytes() * b.Size * max(1, e.tileResults[i]) * e.width)})
		}
	}
	return all
}

func (w *worker) set(all []located) {
	for _, b := range all {
		w.table[b.id] = b.at
	}
}

// use assigns a block and its scratch memory to a worker. The C code computes the block's lanes from its number.
func (e *executable) use(w *worker, s *blockState) {
	w.block, w.blocks = uint64(s.Lane0/e.Width), 1
	if w.state != s {
		w.state = s
		w.set(s.scratch)
	}
}

// assign assigns a block to a block state, and makes the state active unless all lanes are masked. Masked lanes run
// with the others, since a C loop runs over complete vectors of lanes; restore undoes their changes.
func (e *executable) assign(s *blockState, b *device.Block) {
	s.Block, s.active, s.masked = b, e.mask == nil, s.masked[:0]
	if e.mask == nil {
		return
	}
	for l := range e.Width {
		if e.mask[min(b.Lane0+l, e.Lanes-1)] { // copies of the last lane fill the block
			s.active = true
		} else {
			s.masked = append(s.masked, l)
		}
	}
	if s.active && len(s.masked) > 0 {
		for _, id := range e.writes {
			s.saved.Bufs[id] = append(s.saved.Bufs[id][:0], b.Bufs[id]...)
			s.saved.Singles[id] = append(s.saved.Singles[id][:0], b.Singles[id]...)
		}
	}
}

// restore copies the saved values back to masked lanes.
func (e *executable) restore(s *blockState) {
	if !s.active {
		return
	}
	for _, l := range s.masked {
		for _, id := range e.writes {
			copyLane(s.Bufs[id], s.saved.Bufs[id], l, e.Width)
			copyLane(s.Singles[id], s.saved.Singles[id], l, e.Width)
		}
	}
}

func copyLane[T float32 | float64](dst, src []T, lane, width int) {
	for i := lane; i < len(dst); i += width {
		dst[i] = src[i]
	}
}
