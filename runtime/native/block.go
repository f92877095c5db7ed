//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"fmt"
	"unsafe"

	"ppl/compiler/ir"
)

func (e *executable) takeBlocks(w *worker) {
	for {
		i := int(e.next.Add(1)) - 1
		if i >= len(e.blocks) {
			return
		}
		e.runBlock(w, &e.blocks[i])
	}
}

// runBlock runs the schedule on one block, if its mask leaves anything to do. Masked lanes run along and get their buffers back.
func (e *executable) runBlock(w *worker, b *block) {
	active, masked := e.blockMask(b)
	if !active {
		return
	}
	for i, buf := range b.bufs {
		if buf != nil {
			w.table[i] = unsafe.Pointer(unsafe.SliceData(buf))
		}
	}
	for l := range e.width {
		w.lane[l] = uint64(e.real(b.lane0 + l))
	}
	w.step, w.schedule, w.calls = e.step, &e.schedule[0], uint64(len(e.schedule))
	e.save(w, b, masked)
	call(e.run, w.context)
	e.restore(w, b, masked)
}

// real is the lane that a lane stands for: those beyond the last are copies of it.
func (e *executable) real(lane int) int { return min(lane, e.lanes-1) }

// blockMask tells whether any lane of a block runs, and lists those that do not.
func (e *executable) blockMask(b *block) (active bool, masked []int) {
	if e.mask == nil {
		return true, nil
	}
	for l := range e.width {
		if e.mask[e.real(b.lane0+l)] {
			active = true
		} else {
			masked = append(masked, l)
		}
	}
	return active, masked
}

// save keeps what the schedule will overwrite.
func (e *executable) save(w *worker, b *block, masked []int) {
	if len(masked) > 0 {
		for _, id := range e.writes {
			w.saved[id] = append(w.saved[id][:0], b.bufs[id]...)
		}
	}
}

func (e *executable) restore(w *worker, b *block, masked []int) {
	for _, l := range masked {
		for _, id := range e.writes {
			dst, src := b.bufs[id], w.saved[id]
			for i := l; i < len(dst); i += e.width {
				dst[i] = src[i]
			}
		}
	}
}

func (e *executable) id(name string) ir.BufID {
	id, ok := e.names[name]
	if !ok {
		panic(fmt.Sprintf("native: no lane buffer %q", name))
	}
	return id
}

func (e *executable) Size(name string) int { return e.buffers[e.id(name)].Size }

func (e *executable) Set(name string, values []float64) {
	size := e.checkLen(name, len(values), e.lanes)
	for lane := range e.lanes {
		e.SetLane(name, lane, values[lane*size:(lane+1)*size])
	}
}

func (e *executable) Get(name string, dst []float64) {
	size := e.checkLen(name, len(dst), e.lanes)
	for lane := range e.lanes {
		e.GetLane(name, lane, dst[lane*size:(lane+1)*size])
	}
}

// SetLane sets the copies of a lane as well.
func (e *executable) SetLane(name string, lane int, values []float64) {
	e.checkLen(name, len(values), 1)
	buf, l := e.laneOf(name, lane)
	for last := l; last < e.width && e.real(lane-l+last) == lane; last++ {
		for i, v := range values {
			buf[i*e.width+last] = v
		}
	}
}

func (e *executable) GetLane(name string, lane int, dst []float64) {
	e.checkLen(name, len(dst), 1)
	buf, l := e.laneOf(name, lane)
	for i := range dst {
		dst[i] = buf[i*e.width+l]
	}
}

func (e *executable) laneOf(name string, lane int) ([]float64, int) {
	if lane < 0 || lane >= e.lanes {
		panic(fmt.Sprintf("native: lane %d of %d", lane, e.lanes))
	}
	return e.blocks[lane/e.width].bufs[e.id(name)], lane % e.width
}

func (e *executable) checkLen(name string, n, lanes int) int {
	size := e.Size(name)
	if n != size*lanes {
		panic(fmt.Sprintf("native: %d numbers for %q, which has %d per lane", n, name, size))
	}
	return size
}
