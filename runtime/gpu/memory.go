package gpu

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
	"ppl/runtime/device"
	"ppl/runtime/gpu/driver"
	"ppl/runtime/host"
)

// A buffer is a buffer of the program on the device.
type buffer struct {
	ir.Buffer
	bytes int        // number of bytes for all blocks, or for all warps
	at    driver.Ptr // 0 if it has no bytes
	host  []byte     // the host's copy of a lane buffer or a given buffer
	dirty bool       // the host's copy is newer
	stale bool       // the device's copy is newer
	read  bool       // the host has read it since the last download
}

// sized lists the program's buffers with their sizes in bytes, for a number of blocks of lanes and a number of groups
// of threads that run at the same time, each with the width of a block.
func (l *plan) sized(blocks, warps int) []buffer {
	all := make([]buffer, len(l.program.Buffers))
	ofBlock, ofWarp := l.launching.Room(l.program)
	for i, b := range l.program.Buffers {
		n := b.Size
		switch b.Space {
		case ir.Lane:
			n *= l.launching.Width * blocks
		case ir.Scratch, ir.Tile:
			n = l.launching.Width * max(ofBlock[i]*blocks, ofWarp[i]*warps)
		}
		all[i] = buffer{Buffer: b, bytes: n * b.Type.Bytes()}
	}
	return all
}

// A shortage is the error for a program that does not fit into the device's memory.
type shortage struct {
	lanes, need, free int
	buffers           []buffer
}

// Error names the largest buffers.
func (s *shortage) Error() string {
	slices.SortStableFunc(s.buffers, func(a, b buffer) int { return b.bytes - a.bytes })
	var largest []string
	for _, b := range s.buffers[:min(3, len(s.buffers))] {
		if b.bytes > 0 {
			largest = append(largest, fmt.Sprintf("%s %s", name(b.Buffer), amount(b.bytes)))
		}
	}
	fewer := ""
	if lanes := int(float64(s.lanes) * float64(s.free) / float64(s.need)); lanes >= render.Warp && s.lanes > lanes {
		fewer = fmt.Sprintf("; some %d lanes would fit", lanes/render.Warp*render.Warp)
	}
	return fmt.Sprintf("cuda: %d lanes need %s of the GPU's memory and %s are free (largest: %s)%s", s.lanes,
		amount(s.need), amount(s.free), strings.Join(largest, ", "), fewer)
}

func name(b ir.Buffer) string {
	if b.Name == "" {
		return "intermediate values"
	}
	return "`" + b.Name + "`"
}

// amount returns a number of bytes as text.
func amount(bytes int) string {
	switch n := float64(bytes); {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", n/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", n/1e6)
	default:
		return fmt.Sprintf("%.0f kB", math.Ceil(n/1e3))
	}
}

// reserve is the share of free memory that is not allocated, for the driver.
const reserve = 0.05

// allocate allocates all memory if it fits, and fills shared buffers.
func (e *executable) allocate(lanes int) error {
	width := e.launching.Width
	blocks, items := over(lanes, width), 1
	for _, entry := range e.entries {
		for _, k := range entry.stages {
			items = max(items, k.items)
		}
	}
	e.warps = mostWarps(over(items*blocks*width, render.Warp), e.driver.Info().Multiprocessors)
	e.buffers = e.sized(e.padded(blocks), e.warps*render.Warp/width)
	e.need = e.warps * render.Warp * e.local
	for _, b := range e.buffers {
		e.need += b.bytes
	}
	free, err := e.driver.Free()
	if err != nil {
		return err
	}
	if e.need > int((1-reserve)*float64(free)) {
		return &shortage{lanes, e.need, free, slices.Clone(e.buffers)}
	}
	for i := range e.buffers {
		if err := e.place(&e.buffers[i], blocks*width); err != nil {
			return err
		}
	}
	if err := e.fillShared(e.program); err != nil {
		return err
	}
	e.LaneBuffers = device.NewLaneBuffers(e.program.Buffers, lanes, width, e.numbers(), e.singles())
	return errors.Join(e.newCall(lanes), e.preparePoison())
}

// preparePoison allocates bytes that are NaN when read as numbers.
func (e *executable) preparePoison() (err error) {
	most := 0
	for _, b := range e.buffers {
		if b.Space == ir.Scratch || b.Space == ir.Tile {
			most = max(most, b.bytes)
		}
	}
	if !e.poisoned || most == 0 {
		return nil
	}
	e.poison, err = e.driver.Pinned(most)
	for i := range e.poison {
		e.poison[i] = 0xff
	}
	return err
}

// spoil fills scratch memory with NaN: if `between`, the memory that is used between the launches of an entry,
// otherwise the memory of a single launch.
func (e *executable) spoil(between bool) error {
	ofBlock, _ := e.launching.Room(e.program)
	for i, b := range e.buffers {
		if n := b.bytes; n > 0 && (b.Space == ir.Scratch || b.Space == ir.Tile) && between == (ofBlock[i] > 0) {
			if err := e.driver.Upload(b.at, e.poison[:n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// place allocates the memory of a buffer. Pinned memory is zero, and is uploaded before the first run.
func (e *executable) place(b *buffer, lanes int) (err error) {
	if b.bytes == 0 {
		return nil
	}
	if b.at, err = e.driver.Alloc(b.bytes); err != nil {
		return err
	}
	if b.Named() {
		b.host, err = e.driver.Pinned(b.hosted(lanes))
		b.dirty = true
	}
	return err
}

// hosted returns the number of bytes of the host's copy of a buffer. Memory for padding lanes exists only on the
// device.
func (b *buffer) hosted(lanes int) int {
	if b.Space == ir.Lane {
		return b.Size * lanes * b.Type.Bytes()
	}
	return b.bytes
}

// numbers returns an allocator for NewLaneBuffers: each call returns the next n numbers of the host's copies of the
// buffers in double precision, by buffer, then by block. singles does the same for single precision.
func (e *executable) numbers() func(n int) []float64 {
	return take[float64](e.hosts(func(t ir.Type) bool { return t != ir.F32 }))
}

func (e *executable) singles() func(n int) []float32 {
	return take[float32](e.hosts(func(t ir.Type) bool { return t == ir.F32 }))
}

func (e *executable) hosts(of func(ir.Type) bool) (all [][]byte) {
	for _, b := range e.buffers {
		if b.Named() && of(b.Type) {
			all = append(all, b.host)
		}
	}
	return all
}

// take divides memory into slices of numbers.
func take[T float32 | float64](all [][]byte) func(n int) []T {
	return func(n int) []T {
		var x T
		size := n * int(unsafe.Sizeof(x))
		if size == 0 {
			return []T{}
		}
		for len(all[0]) == 0 {
			all = all[1:]
		}
		s := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(all[0]))), n)
		all[0] = all[0][size:]
		return s
	}
}

// fillShared runs Setup and copies the shared buffers to the device, in their types.
func (e *executable) fillShared(p *ir.Program) error {
	for i, values := range host.Shared(p) {
		b := &e.buffers[i]
		if b.at == 0 || b.Space != ir.Shared || b.Given {
			continue
		}
		staged, err := e.driver.Pinned(b.bytes)
		if err != nil {
			return err
		}
		if b.Type == ir.F32 {
			for i, v := range values {
				unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(staged))), b.Size)[i] = float32(v)
			}
		} else {
			copy(unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(staged))), b.Size), values)
		}
		if err := e.upload(b.at, staged); err != nil {
			return err
		}
	}
	return nil
}

// upload copies pinned memory to the device and releases it.
func (e *executable) upload(to driver.Ptr, staged []byte) error {
	if err := e.driver.Upload(to, staged); err != nil {
		return err
	}
	if err := e.driver.Wait(); err != nil {
		return err
	}
	return e.driver.ReleasePinned(staged)
}
