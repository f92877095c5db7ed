// Package render writes an IR program as the text of a C-family language.
//
// Lanes go in blocks, innermost in memory: a lane buffer is [element][lane], and a value that varies with the lane is a
// vector (wide), on which C's operators work as they stand in GCC and Clang. A block has as many lanes as a vector of
// the processor holds numbers. So vectorisation does not hang on what an optimiser recognises, every lane goes through
// the same instructions, and a lane's result depends on nothing outside it. A value that all lanes share is a plain
// number (real). In single precision these are singles, half as long with as many lanes, and single. Each value is
// computed in the outermost loop that it varies with.
//
// One renderer serves all languages of the family; a dialect says how they differ, as in tinygrad's renderer/cstyle.py.
// Nothing of a program's own names reaches the text: buffers and entries go by number.
package render

import (
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/ir"
)

// MaxLanes is the largest number of lanes in a block; the text takes 2, 4 or 8, by the processor.
const MaxLanes = 8

// C is a verified program as a C library with two functions of a pointer to context (see c/types.h): setup runs Setup,
// with buffer[i] the memory of shared buffer i; run runs a schedule of entries, by number, on one block of lanes. A
// third, part, runs one part of an entry, see Parts, or one turn of it; a fourth, lanes, returns the number of lanes in
// a block. The text alone decides the order of every sum. A tile buffer that is combined in the end has a copy for each
// turn, see Left.
func C(p *ir.Program) string { return render(p, c()) }

// A file is the text under construction.
type file struct {
	dialect
	*ir.Program
	text   strings.Builder
	indent int
	count  int       // functions of statements so far
	parts  []string  // how each is called
	tiles  *ir.Tiles // around the statement
	setup  bool      // all buffers are shared
	small  bool      // the statement's loops are written out
}

func render(p *ir.Program, d dialect) string {
	f := &file{dialect: d, Program: p}
	f.text.WriteString(d.prelude)
	if single(p) {
		f.text.WriteString(d.single)
	}
	f.setup = true
	f.calls(d.export+" void setup(context *c)", f.statements(p.Setup, count(p.Setup)))
	f.setup = false
	for i, e := range p.Entries {
		f.entry(i, e)
	}
	f.run()
	f.part()
	f.line("%s word lanes(void) { return LANES; }", f.export)
	return f.text.String()
}

// line writes one line; a line that ends in { indents those that follow, one that begins with } ends that.
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

// calls writes a function that makes calls in order.
func (f *file) calls(head string, calls []string) {
	f.line("%s {", head)
	for _, c := range calls {
		f.line("%s", c)
	}
	f.line("}")
}

// run goes through a schedule; each execution of an entry is one step of the noise.
func (f *file) run() {
	f.line("%s void run(context *c) {", f.export)
	f.line("for (word k = 0; k < c->calls; k++)")
	f.line("for (word t = 0; t < c->schedule[k].times; t++, c->step++)")
	f.line("switch (c->schedule[k].entry) {")
	for i := range f.Entries {
		f.line("case %d: entry%d(c); break;", i, i)
	}
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
	case *ir.Loop:
		f.turns([]ir.Stmt{s})
	default:
		panic(fmt.Sprintf("render: statement %T", s))
	}
}

// narrow truncates what went to buffers of whole numbers, which are kept as numbers of the full type.
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
	f.line("for (long %s = 0; %s < %d; %s++) {", name, name, turns, name)
}

// single reports whether a program has anything of single precision.
func single(p *ir.Program) bool {
	return slices.ContainsFunc(p.Buffers, func(b ir.Buffer) bool { return b.Type == ir.F32 }) ||
		slices.ContainsFunc(allKernels(p), func(k *ir.Kernel) bool {
			return slices.ContainsFunc(k.Body, func(in ir.Instr) bool { return in.Type == ir.F32 })
		})
}

// allKernels are the kernels of a program, also those in loops and tiles.
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
