//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"unsafe"

	"ppl/runtime/device"
)

// A worker is what one goroutine needs: a context with a table of buffers, and the tile buffers of the turn that it
// runs.
type worker struct {
	*context
	table []unsafe.Pointer
	own   []located
	state *blockState // whose scratch memory the table has
}

// A blockState holds the scratch memory of a running block of lanes, and copies of its masked lanes.
type blockState struct {
	*device.Block
	lanes   []uint64  // numbers of the lanes
	scratch []located // scratch buffers, and the results of turns
	active  bool
	masked  []int // lanes that do not run
	saved   device.Block
}

// A located buffer is the id of a buffer and its address. Of a lane buffer it is that of the first block, and the
// part of each other block is stride bytes after that of the block before.
type located struct {
	id     int
	at     unsafe.Pointer
	stride uintptr
}

func (e *executable) newWorker(seed uint64) *worker {
	w := &worker{context: (*context)(e.arena.alloc(int(unsafe.Sizeof(context{})))), own: e.locate(aWorker)}
	w.buffer = (*unsafe.Pointer)(e.arena.alloc(8 * len(e.buffers)))
	w.table = unsafe.Slice(w.buffer, len(e.buffers))
	w.seed, w.work = seed, uintptr(e.arena.alloc(e.library.work))
	copy(w.table, e.shared)
	w.set(w.own)
	return w
}

func (e *executable) newBlockState() *blockState {
	return &blockState{lanes: make([]uint64, e.Width), scratch: e.locate(aBlockState),
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

// use sets a worker's buffer table to a block's buffers. Their addresses are computed: to read them for each of some
// thousand blocks would take longer than what a small model computes on a block.
func (w *worker) use(s *blockState, lanes []located) {
	number := uintptr(s.Lane0 / len(s.lanes))
	for i := range lanes {
		b := &lanes[i]
		w.table[b.id] = unsafe.Add(b.at, number*b.stride)
	}
	if w.state != s {
		w.state = s
		w.set(s.scratch)
	}
	copy(w.lane[:], s.lanes)
}

// assign gives a block state to a block, and makes it active unless all lanes are masked. Masked lanes run with the
// others, since a C loop runs over whole vectors of lanes; restore undoes what they did.
func (e *executable) assign(s *blockState, b *device.Block) {
	s.Block, s.active, s.masked = b, e.mask == nil, s.masked[:0]
	for l := range e.Width {
		lane := min(b.Lane0+l, e.Lanes-1) // copies of the last lane fill the block
		s.lanes[l] = uint64(e.first + lane)
		switch {
		case e.mask == nil:
		case e.mask[lane]:
			s.active = true
		default:
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
