package render

import (
	_ "embed"
	"fmt"
	"sync"

	"ppl/compiler/backend/ir"
)

//go:embed c/cuda.h
var cudaTypes string

//go:embed c/cudanoise.h
var cudaNoise string

//go:embed c/cudalaunch.h
var cudaLaunch string

// Warp is the most lanes of a block in a CUDA program.
const Warp = 32

// A Launching says how a program runs on a GPU.
type Launching struct {
	// Shared is the least number of points of a kernel that threads share, where lanes are apart.
	Shared int
	// Width is the number of lanes in a block, 1, 2, 4, … Warp; 1 where lanes are apart.
	Width int
	// Points says of each entry that it runs by points, in a launch for each of its stages, whose threads share the
	// points of a statement; other entries run by lanes: a thread does all of an entry, any number of times.
	Points []bool
}

// CUDA returns a verified program as a text for NVRTC. Its kernel `launch` runs a schedule of entries by lanes, each
// thread for its lane; the other kernels are those that Stages names. Both ways compute the same: each sum has one
// order, which the program alone determines. Setup is left out: another device runs it, and the shared buffers are
// copied. A lane buffer is [block][element][lane]; where scratch and tile buffers are, Launching.Room says. Where lanes
// are apart, a block has one lane, whose matrices so lie together, and threads next to each other work on items of the
// same lane, and not on lanes. With CUDASIM defined, the text is C++ for the processor.
func CUDA(p *ir.Program, l Launching) string {
	q := *p
	q.Layout = ir.Interleaved
	f := newFile(&q, cuda(l.Width))
	f.leastShared = l.shared(p)
	for i, e := range f.Entries {
		f.byPoints = l.Points[i]
		if f.byPoints {
			f.stages(i, e)
		} else {
			f.byLanes(i, e)
		}
	}
	f.run(f.export, func(entry int) bool { return !l.Points[entry] })
	return f.text.String()
}

// shared returns the least number of points of a kernel that threads share; 0: they share none.
func (l Launching) shared(p *ir.Program) int {
	if p.Layout == ir.Apart {
		return max(1, l.Shared)
	}
	return 0
}

var cudaPrelude = sync.OnceValue(func() string {
	return withOps(cudaTypes + cSpecial + cHorner + "#define wide unfused\n" + cHorner + cQuantile + "#undef wide\n" +
		specialOps() + cEigen + cLogPart + cudaNoise + cudaLaunch)
})

func cuda(width int) dialect {
	return dialect{
		prelude: fmt.Sprintf("#define LANES %d\n", width) + cudaPrelude(),
		export:  "static",
		cell:    "cell", cellSingle: "cell_f",
		owner:  (*file).cudaOwner,
		unroll: "#pragma unroll %d", rolled: "ROLLED ", overlap: 4,
		eachLane: "for (long l = LANE, once = 1; once; once = 0)",
	}
}

// cudaOwner returns the word of the context that counts who has a copy of a buffer, and the number of elements of a
// copy. In an entry by points, threads of different launches use what lies between them, so that it is the block's;
// what only one launch uses is that of the threads that work on an item at a time ("warp").
func (f *file) cudaOwner(id ir.BufID) (word string, elements int) {
	b, copies := f.Buffers[id], f.copies[id]
	switch {
	case b.Space == ir.Lane:
		return "block", b.Size
	case f.byPoints && (b.Space == ir.Scratch || copies > 0):
		return "block", b.Size * max(1, copies)
	}
	return "warp", b.Size * slots(copies)
}

// Room returns the number of elements of each scratch and tile buffer that a block of lanes has, and that each warp has
// that works at the same time. A buffer is the one or the other in an entry, and can be both in a program.
func (l Launching) Room(p *ir.Program) (block, warp []int) {
	block, warp = make([]int, len(p.Buffers)), make([]int, len(p.Buffers))
	f := &file{Program: p, copies: TileResults(p)}
	for i, e := range p.Entries {
		f.byPoints = l.Points[i]
		for id := range count(e.Body) {
			if space := p.Buffers[id].Space; space != ir.Scratch && space != ir.Tile {
				continue
			}
			if word, n := f.cudaOwner(id); word == "block" {
				block[id] = max(block[id], n)
			} else {
				warp[id] = max(warp[id], n)
			}
		}
	}
	return block, warp
}
