package render

import (
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/backend/ir"
)

// Consecutive small statements share a function with unrolled loops, so that values pass between them in registers,
// including scratch buffers that no other statement uses. Each larger statement has a separate function: compile time
// then grows in proportion to the program.
const (
	smallKernel = 800  // largest number of instructions of a small kernel, unrolled
	smallGroup  = 2500 // largest number of instructions of a function of small statements
)

// statements writes functions for part of a body, and returns the calls of them. uses maps a buffer to the number of
// times that the entire body uses it.
func (f *file) statements(body []ir.Stmt, uses map[ir.BufID]int) (calls []string) {
	for _, group := range f.groups(body) {
		calls = append(calls, f.group(group, uses))
	}
	return calls
}

// groups divides a body into the statements of each function. Setup runs once without lanes; its statements are not
// fused with loops, since compilers vectorise separate loops.
func (f *file) groups(body []ir.Stmt) [][]ir.Stmt {
	at := slices.IndexFunc(body, isLoop)
	if at < 0 || f.setup {
		return bySize(body)
	}
	before, turn, after := f.fuseWithLoop(body, at)
	return slices.Concat(bySize(before), [][]ir.Stmt{turn}, f.groups(after))
}

func isLoop(s ir.Stmt) bool {
	_, ok := s.(*ir.Loop)
	return ok
}

// bySize groups consecutive small statements.
func bySize(body []ir.Stmt) (groups [][]ir.Stmt) {
	room := 0
	for _, s := range body {
		n := written(s)
		if len(groups) == 0 || n > room {
			groups = append(groups, nil)
			room = smallGroup
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], s)
		room -= n
		if n > smallKernel {
			room = 0
		}
	}
	return groups
}

// written estimates the number of instructions of a statement when unrolled. It returns more than smallGroup if the
// statement must not be unrolled.
func written(s ir.Stmt) int {
	k, ok := s.(*ir.Kernel)
	if !ok {
		return smallGroup + 1
	}
	n := 1
	for _, in := range k.Body {
		n += instructions(in.Op)
	}
	n *= k.Points()
	if n > smallKernel {
		return smallGroup + 1
	}
	return n
}

// instructions estimates the number of machine instructions of an operation; a function call counts as one.
func instructions(op ir.Op) int {
	switch op {
	case ir.Exp, ir.Sigmoid, ir.Softplus, ir.LogSigmoid:
		return 25
	case ir.Normal, ir.Uniform:
		return 41
	}
	return 1
}

// group writes a function for some statements, and returns the call of it.
func (f *file) group(group []ir.Stmt, uses map[ir.BufID]int) (call string) {
	walks := slices.ContainsFunc(group, isLoop)
	f.small = !walks && written(group[0]) <= smallKernel
	fn := f.newStatement()
	f.buffers(fn, group, f.local(group, uses), noOffset)
	f.once(fn, func() {
		if walks {
			f.turns(group)
		} else {
			f.body(group)
		}
	})
	f.small = false
	return fn.call()
}

// local returns the scratch buffers of small statements that no other statement uses, with their sizes.
func (f *file) local(group []ir.Stmt, uses map[ir.BufID]int) map[ir.BufID]int {
	if !f.small {
		return nil
	}
	sizes := map[ir.BufID]int{}
	for id, n := range count(group) {
		if f.Buffers[id].Space == ir.Scratch && n == uses[id] {
			sizes[id] = max(f.Buffers[id].Size, 1)
		}
	}
	return sizes
}

// once writes a function with a body. If an earlier function has the same text except for its own name and the names of
// buffers, once writes nothing and calls that function. Entries have sequences of statements in common, such as those
// of a gradient, and compile time grows with the text. On a GPU this is done only for layout Apart, where its benefit
// was measured.
func (f *file) once(fn *function, body func()) {
	if f.setup || f.owner != nil && f.Layout != ir.Apart {
		f.open(fn)
		body()
		f.line("}")
		return
	}
	before := len(f.text)
	f.indent++
	body()
	f.indent--
	code := string(f.text[before:])
	f.text = f.text[:before]
	fn.inOrder(code)
	name := fn.name
	fn.name = "same"
	f.open(fn)
	f.indent--
	text := string(f.text[before:]) + code + "}\n"
	f.text = f.text[:before]
	key := numberedBuffers(text)
	if old, ok := f.functions[key]; ok {
		fn.name = old
		return
	}
	f.functions[key], fn.name = name, name
	f.text = append(f.text, strings.Replace(text, "same(", name+"(", 1)...)
}

// body writes statements one after the other.
func (f *file) body(body []ir.Stmt) {
	for _, s := range body {
		if len(body) > 1 {
			f.line("{")
		}
		f.statement(s)
		f.narrow(s)
		if len(body) > 1 {
			f.line("}")
		}
	}
}

// count maps each buffer to the number of times that statements use it.
func count(body []ir.Stmt) map[ir.BufID]int {
	n := map[ir.BufID]int{}
	for _, s := range body {
		for _, id := range append(ir.Reads(s), ir.Writes(s)...) {
			n[id]++
		}
	}
	return n
}

// mostUnrolled is the largest number that gcc accepts in the pragma.
const mostUnrolled = 65534

// unrolled writes the head of a loop; in a small statement it asks the compiler to unroll the loop.
func (f *file) unrolled(turns int, format string, args ...any) {
	if !f.small || turns <= 1 || turns > mostUnrolled {
		f.head(format, args...)
		return
	}
	f.line(f.unroll, turns)
	f.line(format, args...)
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
