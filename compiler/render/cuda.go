package render

import (
	_ "embed"

	"ppl/compiler/ir"
)

//go:embed c/cuda.h
var cudaTypes string

//go:embed c/cudanoise.h
var cudaNoise string

//go:embed c/cudalaunch.h
var cudaLaunch string

// Warp is the number of lanes in a block of a CUDA program.
const Warp = 32

// CUDA is a verified program as a text for NVRTC, with one kernel, launch: each thread runs a schedule of entries for
// its lane. Setup is left out: another device runs it, and the shared buffers are copied. A lane buffer is
// [block][element][lane], Warp lanes a block; a scratch or tile buffer is that of each warp launched, by number, with a
// copy for each turn that TileResults counts. The layout of lanes that the program asks for is ignored. With CUDASIM
// defined, the text is C++ for the processor.
func CUDA(p *ir.Program) string {
	q := *p
	q.Layout = ir.Interleaved
	f := newFile(&q, cuda())
	f.entries()
	f.text.WriteString(cudaLaunch)
	return f.text.String()
}

func cuda() dialect {
	ofWarp := "(%[1]s *)c->buffer[%[2]d] + c->warp * %[3]d"
	return dialect{
		prelude: cudaTypes + cSpecial + cHorner + cGamma + "#define wide unfused\n" + cHorner + cQuantile +
			"#undef wide\n" + cLambert + cEigen + cLogPart + cudaNoise,
		export: "static",
		cell:   "cell", cellSingle: "cell_f",
		address: map[ir.Space]string{ir.Shared: inTable, ir.Lane: "(%[1]s *)c->buffer[%[2]d] + c->block * %[3]d",
			ir.Scratch: ofWarp, ir.Tile: ofWarp},
		unroll: "#pragma unroll %d", rolled: "ROLLED ", eachLane: "for (long l = LANE, once = 1; once; once = 0)",
	}
}
