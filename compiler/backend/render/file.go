package render

import (
	"fmt"
	"ppl/compiler/backend/ir"
	"slices"
	"strings"
)

// A file is the text under construction.
type file struct {
	dialect
	*ir.Program
	text   []byte
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
	for range f.indent {
		f.text = append(f.text, "  "...)
	}
	f.text = append(f.text, s...)
	f.text = append(f.text, '\n')
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

// single reports whether a program uses single precision.
func single(p *ir.Program) bool {
	return slices.ContainsFunc(p.Buffers, func(b ir.Buffer) bool { return b.Type == ir.F32 }) ||
		slices.ContainsFunc(allKernels(p), func(k *ir.Kernel) bool {
			return slices.ContainsFunc(k.Body, func(in ir.Instr) bool { return in.Type == ir.F32 })
		})
}

func (f *file) loop(name string, turns int) {
	f.head("for (long %s = 0; %s < %d; %s++) {", name, name, turns, name)
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
