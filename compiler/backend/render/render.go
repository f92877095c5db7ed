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
	"fmt"
	"slices"
	"strings"

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
	return f.text.String()
}

// A file is the text under construction.
type file struct {
	dialect
	*ir.Program
	text   strings.Builder
	indent int
	count  int      // number of functions written so far
	copies []int    // for each buffer, the number of iterations that keep a copy of it, see TileResults
	bytes  []bool   // for each buffer, whether elements take one byte, see ir.Program.Bytes; nil: none do
	parts  []string // the call of each part, by part number
	// maps the text of a function to its name, see once
	functions map[string]string
	tiles     *ir.Tiles // the Tiles around the statement, or nil
	byPoints  bool      // the entry runs by points, see Launching
	setup     bool      // in Setup: all buffers are shared
	small     bool      // the loops of the statement are unrolled
}

// newFile starts a file with the definitions that the program needs.
func newFile(p *ir.Program, d dialect) *file {
	f := &file{dialect: d, Program: p, copies: TileResults(p), functions: map[string]string{}}
	f.text.WriteString(d.prelude)
	if apart := p.Layout == ir.Apart; apart || single(p) {
		f.text.WriteString(d.single)
		if apart {
			f.text.WriteString(d.apart)
		}
	}
	return f
}

// lanes returns the text of the number of lanes in a block.
func (f *file) lanes() string {
	if f.Layout == ir.Apart {
		return "1"
	}
	return "LANES"
}

// line writes one line. A line that ends in { indents the following lines, until a line that starts with }.
func (f *file) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if strings.HasPrefix(s, "}") {
		f.indent--
	}
	f.text.WriteString(strings.Repeat("  ", f.indent) + s + "\n")
	if strings.HasSuffix(s, "{") {
		f.indent++
	}
}

// head writes the head of a loop.
func (f *file) head(format string, args ...any) { f.line("%s", f.rolled+fmt.Sprintf(format, args...)) }

// short writes the head of a loop with few instructions. On a GPU it is partly unrolled, so that the loads of several
// iterations overlap.
func (f *file) short(format string, args ...any) {
	if f.overlap == 0 {
		f.head(format, args...)
		return
	}
	f.line(f.unroll, f.overlap)
	f.line(format, args...)
}

// calls writes a function that makes the calls in order.
func (f *file) calls(head string, calls []string) {
	f.line("%s {", head)
	for _, c := range calls {
		f.line("%s", c)
	}
	f.line("}")
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

func (f *file) statement(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.Kernel:
		f.kernel(s)
	case *ir.MatMul:
		f.matMul(s)
	case *ir.CumSum:
		f.cumSum(s)
	case *ir.Cholesky:
		f.cholesky(s)
	case *ir.Eigen:
		f.eigen(s)
	case *ir.TriSolve:
		f.triSolve(s)
	case *ir.CholeskyPull:
		f.choleskyPull(s)
	case *ir.Peer:
		f.peer(s)
	case *ir.Loop:
		f.turns([]ir.Stmt{s})
	default:
		panic(fmt.Sprintf("render: statement %T", s))
	}
}

// narrow truncates the values stored to integer buffers, whose elements are stored as doubles.
func (f *file) narrow(s ir.Stmt) {
	for _, id := range ir.Writes(s) {
		if b := f.Buffers[id]; b.Type == ir.I32 {
			f.loop("e", b.Size)
			f.line("b%d[e] = %v_%s(b%d[e]);", id, b.Type, f.form(id).suffix(), id)
			f.line("}")
		}
	}
}

func (f *file) loop(name string, turns int) {
	f.head("for (long %s = 0; %s < %d; %s++) {", name, name, turns, name)
}

// single reports whether a program uses single precision.
func single(p *ir.Program) bool {
	return slices.ContainsFunc(p.Buffers, func(b ir.Buffer) bool { return b.Type == ir.F32 }) ||
		slices.ContainsFunc(allKernels(p), func(k *ir.Kernel) bool {
			return slices.ContainsFunc(k.Body, func(in ir.Instr) bool { return in.Type == ir.F32 })
		})
}

// allKernels returns the kernels of a program, including those in loops and tiles.
func allKernels(p *ir.Program) (all []*ir.Kernel) {
	var visit func(body []ir.Stmt)
	visit = func(body []ir.Stmt) {
		for _, s := range body {
			switch s := s.(type) {
			case *ir.Kernel:
				all = append(all, s)
			case *ir.Loop:
				visit(s.Body)
			case *ir.Tiles:
				visit(s.Body)
			}
		}
	}
	visit(p.Setup)
	for _, e := range p.Entries {
		visit(e.Body)
	}
	return all
}
