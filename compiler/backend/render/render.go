// Package render writes an IR program as text of a C-family language. A kernel such as
//
//	for i<3
//	  r0 = b0[i]
//	  r1 = mul r0, r0
//	  sum b1[0], r1
//
// becomes a loop over vectors of lanes:
//
//	wide a = splat(0);  for (long i = 0; i < 3; i++) { wide r0 = b0[i]; wide r1 = r0 * r0; a += r1; }
//
// A block has as many lanes as a vector register of the processor holds numbers, and lanes are innermost in memory: a
// lane buffer is [element][lane]. A value that varies with the lane is a vector (wide), on which the operators of GCC
// and Clang work directly; a value that all lanes share is a plain number (real). So vectorisation does not depend on
// the compiler's optimiser, every lane executes the same instructions, and a lane's result does not depend on other
// lanes. The corresponding types of single precision are singles (half as long, with as many lanes) and single. Each
// value is computed in the outermost loop that it depends on.
//
// For layout Apart, a block has one lane: no value is wide, and its kernels are loops over points that the C compiler
// vectorises; see apart.go.
//
// One renderer serves all languages of the family; a dialect holds the differences, as in tinygrad's
// renderer/cstyle.py. The text contains the numbers of a program's buffers and entries, not their names, so that models
// that differ only in names share a library.
package render

import (
	"ppl/compiler/backend/ir"
)

// MaxLanes is the largest number of lanes in a block. The C text uses 2, 4 or 8, depending on the processor.
const MaxLanes = 8

// C returns a verified program as a C library. Its functions take a pointer to a context (see c/types.h): setup runs
// Setup, where buffer[i] is the memory of shared buffer i; blocks runs a schedule of entries, by number, on one block
// of lanes after the other; part runs one part of an entry (see Parts), or one iteration of it, on a block; lanes
// returns the number of lanes in a block; work returns the number of bytes that a context needs as working memory for
// large products. The text alone determines the order of every sum. Data that ir.Program.Bytes reports are stored with
// one byte per element. A tile buffer that is combined after the iterations has one copy per iteration, see
// TileResults.
func C(p *ir.Program) string {
	f := newFile(p, c())
	f.bytes = p.Bytes()
	f.packing()
	f.setup = true
	f.calls(f.export+" void setup(context *c)", f.statements(p.Setup, count(p.Setup)))
	f.setup = false
	for i, e := range f.Entries {
		f.entry(i, e)
	}
	f.run("static", func(int) bool { return true })
	f.blocks()
	f.part()
	f.line("%s word lanes(void) { return %s; }", f.export, f.lanes())
	return string(f.text)
}

// run writes the function that runs a schedule of the entries that `of` selects. Each execution of an entry advances
// the noise by one step, unless the entry is Still.
func (f *file) run(linkage string, of func(entry int) bool) {
	f.line("%s void run(context *c) {", linkage)
	f.head("for (word k = 0; k < c->calls; k++)")
	f.head("for (word t = 0; t < c->schedule[k].times; t++, c->step++)")
	f.line("switch (c->schedule[k].entry) {")
	for i := range f.Entries {
		if of(i) {
			still := ""
			if f.Entries[i].Still {
				still = " c->step--;"
			}
			f.line("case %d: entry%d(c);%s break;", i, i, still)
		}
	}
	f.line("}")
	f.line("}")
}

// blocks writes the function that runs a schedule on several blocks of lanes. Each block starts with the same step.
func (f *file) blocks() {
	f.line("%s void blocks(context *c) {", f.export)
	f.line("const word step = c->step;")
	f.head("for (word end = c->block + c->blocks; c->block < end; c->block++) {")
	f.line("c->step = step;")
	f.line("place(c, %s);", f.lanes())
	f.line("run(c);")
	f.line("}")
	f.line("}")
}

// newFile starts a file with the definitions that the program needs.
func newFile(p *ir.Program, d dialect) *file {
	f := &file{dialect: d, Program: p, copies: TileResults(p), functions: map[string]string{}}
	f.text = append(f.text, d.prelude...)
	if apart := p.Layout == ir.Apart; apart || single(p) {
		f.text = append(f.text, d.single...)
		if apart {
			f.text = append(f.text, d.apart...)
		}
	}
	return f
}
