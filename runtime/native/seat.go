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
}

// A seat is what a block of lanes needs while it runs: its scratch, and room for masked lanes.
type seat struct {
	*device.Block
	lanes   []uint64  // numbers
	scratch []located // what turns leave as well
	active  bool
	masked  []int // lanes that do not run
	saved   [][]float64
}

// A located buffer is an id and where it is.
type located struct {
	id int
	at unsafe.Pointer
}

func (e *executable) newWorker(seed uint64, gemm gemms) *worker {
	w := &worker{context: (*context)(e.arena.take(int(unsafe.Sizeof(context{})))), own: e.locate(aWorker)}
	w.buffer = (*unsafe.Pointer)(e.arena.take(8 * len(e.buffers)))
	w.table = unsafe.Slice(w.buffer, len(e.buffers))
	w.seed, w.gemms = seed, gemm
	copy(w.table, e.shared)
	w.set(w.own)
	return w
}

func (e *executable) newSeat() *seat {
	return &seat{lanes: make([]uint64, e.Width), scratch: e.locate(aSeat), saved: make([][]float64, len(e.buffers))}
}

// locate takes memory for all buffers of an owner.
func (e *executable) locate(who owner) (all []located) {
	for i, b := range e.buffers {
		if e.owner(i) == who {
			all = append(all, located{i, e.arena.take(elementSize(b.Type) * b.Size * max(1, e.left[i]) * e.width)})
		}
	}
	return all
}

func (w *worker) set(all []located) {
	for _, b := range all {
		w.table[b.id] = b.at
	}
}

// serve points a worker at a seat.
func (w *worker) serve(s *seat) {
	for i, buf := range s.Bufs {
		if buf != nil {
			w.table[i] = unsafe.Pointer(unsafe.SliceData(buf))
		}
	}
	w.set(s.scratch)
	copy(w.lane[:], s.lanes)
}

// seatBlock gives a seat to a block, if the mask leaves anything to do. Masked lanes run along and get their buffers
// back.
func (e *executable) seatBlock(s *seat, b *device.Block) {
	s.Block, s.active, s.masked = b, e.mask == nil, s.masked[:0]
	for l := range e.Width {
		lane := min(b.Lane0+l, e.Lanes-1) // those beyond the last are copies of it
		s.lanes[l] = uint64(lane)
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
			s.saved[id] = append(s.saved[id][:0], b.Bufs[id]...)
		}
	}
}

// restore gives masked lanes their buffers back.
func (e *executable) restore(s *seat) {
	if !s.active {
		return
	}
	for _, l := range s.masked {
		for _, id := range e.writes {
			dst, src := s.Bufs[id], s.saved[id]
			for i := l; i < len(dst); i += e.Width {
				dst[i] = src[i]
			}
		}
	}
}
