//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"unsafe"

	"ppl/runtime/device"
)

func (e *executable) takeBlocks(w *worker) {
	for {
		i := int(e.next.Add(1)) - 1
		if i >= len(e.Blocks) {
			return
		}
		e.runBlock(w, &e.Blocks[i])
	}
}

// runBlock runs the schedule on one block, if its mask leaves anything to do. Masked lanes run along and get their buffers back.
func (e *executable) runBlock(w *worker, b *device.Block) {
	active, masked := e.blockMask(b)
	if !active {
		return
	}
	for i, buf := range b.Bufs {
		if buf != nil {
			w.table[i] = unsafe.Pointer(unsafe.SliceData(buf))
		}
	}
	for l := range e.Width {
		w.lane[l] = uint64(e.real(b.Lane0 + l))
	}
	w.step, w.schedule, w.calls = e.step, &e.schedule[0], uint64(len(e.schedule))
	e.save(w, b, masked)
	call(e.run, w.context)
	e.restore(w, b, masked)
}

// real is the lane that a lane stands for: those beyond the last are copies of it.
func (e *executable) real(lane int) int { return min(lane, e.Lanes-1) }

// blockMask tells whether any lane of a block runs, and lists those that do not.
func (e *executable) blockMask(b *device.Block) (active bool, masked []int) {
	if e.mask == nil {
		return true, nil
	}
	for l := range e.Width {
		if e.mask[e.real(b.Lane0+l)] {
			active = true
		} else {
			masked = append(masked, l)
		}
	}
	return active, masked
}

// save keeps what the schedule will overwrite.
func (e *executable) save(w *worker, b *device.Block, masked []int) {
	if len(masked) > 0 {
		for _, id := range e.writes {
			w.saved[id] = append(w.saved[id][:0], b.Bufs[id]...)
		}
	}
}

func (e *executable) restore(w *worker, b *device.Block, masked []int) {
	for _, l := range masked {
		for _, id := range e.writes {
			dst, src := b.Bufs[id], w.saved[id]
			for i := l; i < len(dst); i += e.Width {
				dst[i] = src[i]
			}
		}
	}
}
