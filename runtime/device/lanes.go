package device

import (
	"fmt"
	"maps"
	"slices"

	"ppl/compiler/backend/ir"
	"ppl/runtime/noise"
)

// LaneBuffers holds the buffers that the host accesses: lane buffers in blocks of Width lanes, and one copy of each
// given buffer. Within a block a buffer is laid out [element][lane]. If the number of lanes is not a multiple of Width,
// copies of the last lane fill the last block. Executables embed LaneBuffers.
type LaneBuffers struct {
	Lanes, Width int
	Blocks       []Block
	Given        Block // the given buffers, in the form of a block of one lane
	buffers      []ir.Buffer
	names        map[string]ir.BufID
}

// A Block is the memory of Width lanes.
type Block struct {
	Lane0   int
	Bufs    [][]float64 // by id, nil for other buffers
	Singles [][]float32 // buffers that are stored in single precision, by id
}

// NewLaneBuffers allocates the memory of each buffer of each block with functions that return n zeros. If singles is
// nil, buffers of single precision are stored as rounded doubles.
func NewLaneBuffers(buffers []ir.Buffer, lanes, width int, doubles func(n int) []float64,
	singles func(n int) []float32) LaneBuffers {
	block := func(lane0 int) Block {
		return Block{lane0, make([][]float64, len(buffers)), make([][]float32, len(buffers))}
	}
	s := LaneBuffers{Lanes: lanes, Width: width, Given: block(0), buffers: buffers, names: map[string]ir.BufID{}}
	for lane0 := 0; lane0 < lanes; lane0 += width {
		s.Blocks = append(s.Blocks, block(lane0))
	}
	for i, b := range buffers {
		if !b.Named() {
			continue
		}
		s.names[b.Name] = ir.BufID(i)
		blocks, lanes := s.Blocks, width
		if b.Given {
			blocks, lanes = []Block{s.Given}, 1
		}
		for _, k := range blocks {
			if b.Type == ir.F32 && singles != nil {
				k.Singles[i] = singles(b.Size * lanes)
			} else {
				k.Bufs[i] = doubles(b.Size * lanes)
			}
		}
	}
	return s
}

// Buffers returns the names of the lane buffers, sorted.
func (s *LaneBuffers) Buffers() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.names)), func(name string) bool {
		return s.buffers[s.names[name]].Given
	})
}

// Size returns the number of elements per lane of a lane buffer, or the number of elements of a given buffer.
func (s *LaneBuffers) Size(name string) int { return s.buffers[s.id(name)].Size }

// Set copies values[lane*size+element] to a lane buffer, or values[element] to a given buffer.
func (s *LaneBuffers) Set(name string, values []float64) {
	id := s.whole(name, len(values))
	if s.buffers[id].Given {
		if s.buffers[id].Type == ir.F32 {
			s.put(id, 0, values)
		} else {
			copy(s.Given.Bufs[id], values)
		}
		return
	}
	for b := range s.Blocks {
		k, part := s.part(b, id, values)
		switch {
		case k.Singles[id] != nil:
			spread(k.Singles[id], part, s.Width)
		case s.buffers[id].Type == ir.F32:
			for lane := range min(s.Width, s.Lanes-k.Lane0) {
				size := s.buffers[id].Size
				s.put(id, k.Lane0+lane, part[lane*size:(lane+1)*size])
			}
		default:
			spread(k.Bufs[id], part, s.Width)
		}
	}
}

// Get copies a lane buffer to dst[lane*size+element], or a given buffer to dst[element].
func (s *LaneBuffers) Get(name string, dst []float64) {
	id := s.whole(name, len(dst))
	if s.buffers[id].Given {
		s.take(id, 0, dst)
		return
	}
	for b := range s.Blocks {
		if k, part := s.part(b, id, dst); k.Singles[id] != nil {
			collect(part, k.Singles[id], s.Width)
		} else {
			collect(part, k.Bufs[id], s.Width)
		}
	}
}

// part returns block b, and the part of values[lane*size+element] for its lanes.
func (s *LaneBuffers) part(b int, id ir.BufID, values []float64) (k *Block, part []float64) {
	k = &s.Blocks[b]
	size := s.buffers[id].Size
	return k, values[k.Lane0*size : min(k.Lane0+s.Width, s.Lanes)*size]
}

// spread copies values[lane*size+element] to block[element*width+lane], with the values of the last lane in the rest of
// the block.
func spread[T float32 | float64](block []T, values []float64, width int) {
	size := len(block) / width
	if size == 0 {
		return
	}
	lanes := len(values) / size
	for i := range size {
		row := block[i*width : (i+1)*width]
		for l := range row {
			row[l] = T(values[min(l, lanes-1)*size+i])
		}
	}
}

// collect copies block[element*width+lane] to dst[lane*size+element].
func collect[T float32 | float64](dst []float64, block []T, width int) {
	size := len(block) / width
	if size == 0 {
		return
	}
	lanes := len(dst) / size
	for i := range size {
		for l, v := range block[i*width : i*width+lanes] {
			dst[l*size+i] = float64(v)
		}
	}
}

// SetLane copies one lane's values. Values of the last lane are also copied to the copies that fill its block.
func (s *LaneBuffers) SetLane(name string, lane int, values []float64) {
	id := s.id(name)
	if s.buffers[id].Given {
		panic(fmt.Sprintf("device: %q is given to all lanes at once", name))
	}
	s.check(id, len(values), 1)
	s.put(id, lane, values)
}

// GetLane copies the first len(dst) of one lane's values of a lane buffer, or of a given buffer, to dst.
func (s *LaneBuffers) GetLane(name string, lane int, dst []float64) {
	id := s.id(name)
	if b := s.buffers[id]; len(dst) > b.Size {
		panic(fmt.Sprintf("device: %d numbers of %q, which has %d in each lane", len(dst), b.Name, b.Size))
	}
	s.take(id, lane, dst)
}

func (s *LaneBuffers) put(id ir.BufID, lane int, values []float64) {
	k, l, width := s.block(id, lane)
	end := l + 1
	if lane == s.Lanes-1 {
		end = width
	}
	single := s.buffers[id].Type == ir.F32
	for ; l < end; l++ {
		for i, v := range values {
			switch at := i*width + l; {
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
	k, l, width := s.block(id, lane)
	for i := range dst {
		if at := i*width + l; k.Singles[id] != nil {
			dst[i] = float64(k.Singles[id][at])
		} else {
			dst[i] = k.Bufs[id][at]
		}
	}
}

// block returns the block that holds a lane's part of a buffer, the lane's number in it, and the number of lanes in it.
func (s *LaneBuffers) block(id ir.BufID, lane int) (k *Block, l, width int) {
	if s.buffers[id].Given {
		return &s.Given, 0, 1
	}
	if lane < 0 || lane >= s.Lanes {
		panic(fmt.Sprintf("device: lane %d of %d", lane, s.Lanes))
	}
	return &s.Blocks[lane/s.Width], lane % s.Width, s.Width
}

// whole returns the buffer with that name; it panics unless n is the size of all its copies together.
func (s *LaneBuffers) whole(name string, n int) ir.BufID {
	id, copies := s.id(name), s.Lanes
	if s.buffers[id].Given {
		copies = 1
	}
	s.check(id, n, copies)
	return id
}

// check panics unless n is the size of that many copies of a buffer.
func (s *LaneBuffers) check(id ir.BufID, n, copies int) {
	if b := s.buffers[id]; n != b.Size*copies {
		panic(fmt.Sprintf("device: %d numbers for %q, which has %d in each of %d copies", n, b.Name, b.Size, copies))
	}
}

func (s *LaneBuffers) id(name string) ir.BufID {
	id, ok := s.names[name]
	if !ok {
		panic(fmt.Sprintf("device: no buffer %q", name))
	}
	return id
}

// Next checks the arguments of Executable.Run, and returns the first noise step after the run.
func (s *LaneBuffers) Next(calls []Call, step uint64, mask []bool,
	known func(entry string) (Traits, bool)) (uint64, error) {
	if mask != nil && len(mask) != s.Lanes {
		return 0, fmt.Errorf("device: mask of %d for %d lanes", len(mask), s.Lanes)
	}
	for _, c := range calls {
		t, ok := known(c.Entry)
		if !ok || c.Times < 0 || t.Peers && c.Times > 1 {
			return 0, fmt.Errorf("device: cannot run entry %q %d times", c.Entry, c.Times)
		}
		step += t.Steps(c.Times)
	}
	if step > noise.Steps {
		return 0, fmt.Errorf("device: noise step %d is beyond %d", step, uint64(noise.Steps))
	}
	return step, nil
}

// Traits holds the properties of an entry that affect a schedule: whether lanes read from each other, and whether the
// entry takes no noise step.
type Traits struct{ Peers, Still bool }

// TraitsOf returns the traits of an entry.
func TraitsOf(e ir.Entry) Traits { return Traits{e.Peers(), e.Still} }

// Steps returns the number of noise steps of several executions.
func (t Traits) Steps(times int) uint64 {
	if t.Still {
		return 0
	}
	return uint64(times)
}

// Together divides a schedule before and after each entry whose lanes read from each other. `now` holds the first
// calls, which run on each lane independently of the others; `later` holds the rest.
func Together(calls []Call, peers func(entry string) bool) (now, later []Call) {
	n := 1
	if !peers(calls[0].Entry) {
		for n < len(calls) && !peers(calls[n].Entry) {
			n++
		}
	}
	return calls[:n], calls[n:]
}

// LaneWrites lists the lane buffers that statements write.
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
