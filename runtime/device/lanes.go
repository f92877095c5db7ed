package device

import (
	"fmt"
	"maps"
	"slices"

	"ppl/compiler/ir"
	"ppl/runtime/noise"
)

// LaneBuffers are a program's lane buffers in blocks of Width lanes: within a block a buffer is laid out
// [element][lane]. If the number of lanes is no multiple of Width, the rest of the last block are copies of the last
// lane. Executables embed LaneBuffers.
type LaneBuffers struct {
	Lanes, Width int
	Blocks       []Block
	buffers      []ir.Buffer
	names        map[string]ir.BufID
}

// A Block is the memory of Width lanes.
type Block struct {
	Lane0   int
	Bufs    [][]float64 // lane buffers by id, nil elsewhere
	Singles [][]float32 // those that are kept in single precision, by id
}

// NewLaneBuffers gets the memory of each buffer of each block from functions that return n zeros. Buffers of single
// precision are kept as rounded doubles if singles is nil.
func NewLaneBuffers(buffers []ir.Buffer, lanes, width int, doubles func(n int) []float64,
	singles func(n int) []float32) LaneBuffers {
	s := LaneBuffers{Lanes: lanes, Width: width, buffers: buffers, names: map[string]ir.BufID{}}
	for lane0 := 0; lane0 < lanes; lane0 += width {
		s.Blocks = append(s.Blocks, Block{lane0, make([][]float64, len(buffers)), make([][]float32, len(buffers))})
	}
	for i, b := range buffers {
		if b.Space != ir.Lane {
			continue
		}
		s.names[b.Name] = ir.BufID(i)
		for _, k := range s.Blocks {
			if b.Type == ir.F32 && singles != nil {
				k.Singles[i] = singles(b.Size * width)
			} else {
				k.Bufs[i] = doubles(b.Size * width)
			}
		}
	}
	return s
}

// Buffers are the names of the lane buffers, sorted.
func (s *LaneBuffers) Buffers() []string { return slices.Sorted(maps.Keys(s.names)) }

// Size is the number of elements per lane of a lane buffer.
func (s *LaneBuffers) Size(name string) int { return s.buffers[s.id(name)].Size }

// Set copies values[lane*size+element] to a lane buffer.
func (s *LaneBuffers) Set(name string, values []float64) {
	id := s.find(name, len(values), s.Lanes)
	size := s.buffers[id].Size
	for lane := range s.Lanes {
		s.put(id, lane, values[lane*size:(lane+1)*size])
	}
}

// Get copies a lane buffer to dst[lane*size+element].
func (s *LaneBuffers) Get(name string, dst []float64) {
	id := s.find(name, len(dst), s.Lanes)
	size := s.buffers[id].Size
	for lane := range s.Lanes {
		s.take(id, lane, dst[lane*size:(lane+1)*size])
	}
}

// SetLane copies one lane's values. Values of the last lane also go to the copies that fill its block.
func (s *LaneBuffers) SetLane(name string, lane int, values []float64) {
	s.put(s.find(name, len(values), 1), lane, values)
}

// GetLane copies one lane's values to dst.
func (s *LaneBuffers) GetLane(name string, lane int, dst []float64) {
	s.take(s.find(name, len(dst), 1), lane, dst)
}

func (s *LaneBuffers) put(id ir.BufID, lane int, values []float64) {
	k, l := s.block(lane)
	end := l + 1
	if lane == s.Lanes-1 {
		end = s.Width
	}
	single := s.buffers[id].Type == ir.F32
	for ; l < end; l++ {
		for i, v := range values {
			switch at := i*s.Width + l; {
			case k.Singles[id] != nil:
				k.Singles[id][at] = float32(v)
			case single:
				k.Bufs[id][at] = float64(float32(v))
			default:
				k.Bufs[id][at] = v
			}
		}
	}
}

func (s *LaneBuffers) take(id ir.BufID, lane int, dst []float64) {
	k, l := s.block(lane)
	for i := range dst {
		if at := i*s.Width + l; k.Singles[id] != nil {
			dst[i] = float64(k.Singles[id][at])
		} else {
			dst[i] = k.Bufs[id][at]
		}
	}
}

// block is a lane's block, and the lane's number in it.
func (s *LaneBuffers) block(lane int) (k *Block, l int) {
	if lane < 0 || lane >= s.Lanes {
		panic(fmt.Sprintf("device: lane %d of %d", lane, s.Lanes))
	}
	return &s.Blocks[lane/s.Width], lane % s.Width
}

// find is the lane buffer with that name; it panics unless the buffer has n numbers on that many lanes.
func (s *LaneBuffers) find(name string, n, lanes int) ir.BufID {
	id := s.id(name)
	if size := s.buffers[id].Size; n != size*lanes {
		panic(fmt.Sprintf("device: %d numbers for %q, which has %d per lane", n, name, size))
	}
	return id
}

func (s *LaneBuffers) id(name string) ir.BufID {
	id, ok := s.names[name]
	if !ok {
		panic(fmt.Sprintf("device: no lane buffer %q", name))
	}
	return id
}

// Next checks what Executable.Run is given, and is the first noise step after it.
func (s *LaneBuffers) Next(calls []Call, step uint64, mask []bool, known func(entry string) bool) (uint64, error) {
	if mask != nil && len(mask) != s.Lanes {
		return 0, fmt.Errorf("device: mask of %d for %d lanes", len(mask), s.Lanes)
	}
	for _, c := range calls {
		if !known(c.Entry) || c.Times < 0 {
			return 0, fmt.Errorf("device: cannot run entry %q %d times", c.Entry, c.Times)
		}
		step += uint64(c.Times)
	}
	if step > noise.Steps {
		return 0, fmt.Errorf("device: noise step %d is beyond %d", step, uint64(noise.Steps))
	}
	return step, nil
}

// LaneWrites lists the lane buffers that statements assign to.
func LaneWrites(p *ir.Program, body []ir.Stmt) (ids []ir.BufID) {
	seen := make([]bool, len(p.Buffers))
	for _, s := range body {
		for _, id := range ir.Writes(s) {
			if p.Buffers[id].Space == ir.Lane && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}
