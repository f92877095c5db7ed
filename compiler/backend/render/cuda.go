package render

import (
	_ "embed"
	"fmt"
	"sync"

	"ppl/compiler/backend/ir"
)

//go:embed c/cuda.h
var cudaTypes string

//go:embed c/cudalogistic.h
var cudaLogistic string

//go:embed c/cudanoise.h
var cudaNoise string

//go:embed c/cudalaunch.h
var cudaLaunch string

// Warp is the largest number of lanes in a block of a CUDA program.
const Warp = 32

// A Launching describes how a program runs on a GPU.
type Launching struct {
	// Shared is the least number of points for which threads share the points of a kernel (layout Apart only).
	Shared int
	// Width is the number of lanes in a block: a power of two up to Warp; 1 for layout Apart.
	Width int
	// Points reports, for each entry, whether it runs by points: one launch per stage, in which threads share the
	// points of a statement. Other entries run by lanes: one thread runs the entire entry, any number of times.
	Points []bool
}

// CUDA returns a verified program as text for NVRTC. Its kernel `launch` runs a schedule of entries by lanes, one
// thread per lane; its other kernels are those that Stages lists. Both ways give the same results, since the program
// alone determines the order of each sum. Setup is not included: another device runs it, and the shared buffers are
// copied. A lane buffer is [block][element][lane]; Launching.Room gives the sizes of scratch and tile buffers. For
// layout Apart, a block has one lane, so that each lane's matrices are contiguous, and neighbouring threads process
// items of the same lane. If CUDASIM is defined, the text is C++ for the CPU.
func CUDA(p *ir.Program, l Launching) string {
	q := *p
	q.Layout = ir.Interleaved
	f := newFile(&q, cuda(l.Width))
	f.division = l.division(p)
	for i, e := range f.Entries {
		f.byPoints = l.Points[i]
		if f.byPoints {
			f.stages(i, e)
		} else {
			f.byLanes(i, e)
		}
	}
	f.run(f.export, func(entry int) bool { return !l.Points[entry] })
	return string(f.text)
}

// division returns how the statements of a program are divided.
func (l Launching) division(p *ir.Program) division {
	if p.Layout == ir.Apart {
		return division{leastShared: max(1, l.Shared)}
	}
	return division{rowPasses: true}
}

var cudaPrelude = sync.OnceValue(func() string {
	return withOps(cudaTypes + cExpPart + cudaLogistic + cSpecial + cHorner + "#define wide unfused\n" + cHorner +
		cQuantile + "#undef wide\n" + specialOps() + cEigen + cLogPart + cudaNoise + cudaLaunch)
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

// cudaOwner returns the field of the context that counts the copies of a buffer, and the number of elements of a copy.
// In an entry by points, buffers that several launches use have one copy per block; buffers that only one launch uses
// have one copy per group of threads that process an item ("warp").
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

// Room returns, for each scratch and tile buffer, the number of elements per block of lanes and per warp that runs at
// the same time. Within an entry a buffer belongs to blocks or to warps; different entries may use it differently.
func (l Launching) Room(p *ir.Program) (block, warp []int) {
	block, warp = make([]int, len(p.Buffers)), make([]int, len(p.Buffers))
	f := &file{Program: p, dialect: dialect{division: l.division(p)}, copies: TileResults(p)}
	for i, e := range p.Entries {
		f.byPoints = l.Points[i]
		for _, id := range f.working(e.Body) {
			if word, n := f.cudaOwner(id); word == "block" {
				block[id] = max(block[id], n)
			} else {
				warp[id] = max(warp[id], n)
			}
		}
	}
	return block, warp
}

// working returns the scratch and tile buffers that statements keep in memory, possibly several times.
func (f *file) working(body []ir.Stmt) (ids []ir.BufID) {
	for _, s := range body {
		pass := f.passOf(s)
		for id := range count([]ir.Stmt{s}) {
			if space := f.Buffers[id].Space; (space == ir.Scratch || space == ir.Tile) && !pass.holds(id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
