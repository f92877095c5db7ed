package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ppl/compiler/backend/ir"
)

// Small statements that follow each other share a function, with their loops unrolled, so that values pass between them
// in registers, including scratch buffers that no other statement uses. Larger statements have a function each: compile
// time then grows in proportion to the program.
const (
	smallKernel = 800  // instructions of a small kernel, unrolled
	smallGroup  = 2500 // instructions of a function of small statements
)

// statements writes functions for part of a body, and returns the calls of them. uses counts how often the whole body
// names each buffer.
func (f *file) statements(body []ir.Stmt, uses map[ir.BufID]int) (calls []string) {
	for _, group := range f.groups(body) {
		calls = append(calls, f.group(group, uses))
	}
	return calls
}

// groups cuts a body into functions. In the setup, where values are not vectors of lanes, each loop is kept separate:
// compilers vectorise it then.
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

// written is approximately how many instructions a statement has when unrolled; more than smallGroup if it must not be
// unrolled.
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

// instructions is approximately how many an operation is where it is not a call of a function.
func instructions(op ir.Op) int {
	switch op {
	case ir.Exp, ir.Sigmoid, ir.Softplus, ir.LogSigmoid:
		return 25
	case ir.Normal, ir.Uniform:
		return 41
	}
	return 1
}

// group writes the function of some statements, and returns the call of it.
func (f *file) group(group []ir.Stmt, uses map[ir.BufID]int) (call string) {
	walks := slices.ContainsFunc(group, isLoop)
	f.small = !walks && written(group[0]) <= smallKernel
	fn := f.newStatement()
	f.buffers(fn, group, uses, whole)
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

var bufferName = regexp.MustCompile(`\bb[0-9]+\b`)

// once writes a function with a body, unless there is one with the same text but for its name and those of buffers:
// then that one's name is the function's. Entries have runs of statements in common, such as those of a gradient, and
// compile time grows with the text. On a GPU that was measured where lanes are apart, and is done there alone.
func (f *file) once(fn *function, body func()) {
	if f.setup || f.owner != nil && f.Layout != ir.Apart {
		f.open(fn)
		body()
		f.line("}")
		return
	}
	before := f.text.String()
	f.text.Reset()
	f.indent++
	body()
	f.indent--
	code := f.text.String()
	fn.inOrder(bufferName.FindAllString(code, -1))
	name := fn.name
	fn.name = "same"
	f.text.Reset()
	f.open(fn)
	f.indent--
	text := f.text.String() + code + "}\n"
	f.text.Reset()
	f.text.WriteString(before)
	names := map[string]string{}
	key := bufferName.ReplaceAllStringFunc(text, func(b string) string {
		if names[b] == "" {
			names[b] = fmt.Sprint("b", len(names))
		}
		return names[b]
	})
	if old, ok := f.functions[key]; ok {
		fn.name = old
		return
	}
	f.functions[key], fn.name = name, name
	f.text.WriteString(strings.Replace(text, "same(", name+"(", 1))
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

// count returns how often statements name each buffer.
func count(body []ir.Stmt) map[ir.BufID]int {
	n := map[ir.BufID]int{}
	for _, s := range body {
		for _, id := range append(ir.Reads(s), ir.Writes(s)...) {
			n[id]++
		}
	}
	return n
}

// mostUnrolled is the largest number that gcc takes for the pragma.
const mostUnrolled = 65534

// unrolled writes the head of a loop that the compiler is asked to unroll in a small statement.
func (f *file) unrolled(turns int, format string, args ...any) {
	if !f.small || turns <= 1 || turns > mostUnrolled {
		f.head(format, args...)
		return
	}
	f.line(f.unroll, turns)
	f.line(format, args...)
}
