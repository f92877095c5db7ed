package render

import (
	"fmt"
	"slices"

	"ppl/compiler/ir"
)

// Small statements that follow each other share a function, with their loops written out: what one leaves for the next
// stays in registers, also scratch that nothing else names. Others have a function of their own, so that compile time
// grows in proportion.
const (
	smallKernel = 800  // instructions of a kernel that is small, written out
	smallGroup  = 2500 // of a function of small ones
)

// statements writes functions for part of a body, and returns the calls of them. uses counts how often the whole body
// names a buffer.
func (f *file) statements(body []ir.Stmt, uses map[ir.BufID]int) (calls []string) {
	for _, group := range f.groups(body) {
		calls = append(calls, f.group(group, uses))
	}
	return calls
}

// groups cuts a body into functions. In the setup numbers are one by one, which compilers gather in vectors where
// passes are apart.
func (f *file) groups(body []ir.Stmt) [][]ir.Stmt {
	at := slices.IndexFunc(body, isLoop)
	if at < 0 || f.setup {
		return bySize(body)
	}
	before, turn, after := f.along(body, at)
	return slices.Concat(bySize(before), [][]ir.Stmt{turn}, f.groups(after))
}

func isLoop(s ir.Stmt) bool {
	_, ok := s.(*ir.Loop)
	return ok
}

// bySize puts together what is small.
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
		if room -= n; n > smallKernel {
			room = 0
		}
	}
	return groups
}

// written is about how many instructions a statement is when its loops are written out; more than smallGroup where that
// is not for it.
func written(s ir.Stmt) int {
	k, ok := s.(*ir.Kernel)
	if !ok {
		return smallGroup + 1
	}
	n := 1
	for _, in := range k.Body {
		n++
		switch in.Op {
		case ir.Exp, ir.Sigmoid, ir.Softplus, ir.LogSigmoid:
			n += 24
		case ir.Normal, ir.Uniform:
			n += 40
		}
	}
	if n *= k.Points(); n > smallKernel {
		return smallGroup + 1
	}
	return n
}

// group writes the function of some statements, and returns the call of it.
func (f *file) group(group []ir.Stmt, uses map[ir.BufID]int) (call string) {
	walks := slices.ContainsFunc(group, isLoop)
	f.small = !walks && written(group[0]) <= smallKernel
	fn := newFunction(fmt.Sprint("s", f.count))
	f.count++
	f.buffers(fn, group, uses, whole)
	f.open(fn)
	if walks {
		f.turns(group)
	} else {
		f.body(group)
	}
	f.line("}")
	f.small = false
	return fn.call()
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

// count is how often statements name each buffer.
func count(body []ir.Stmt) map[ir.BufID]int {
	n := map[ir.BufID]int{}
	for _, s := range body {
		for _, id := range append(ir.Reads(s), ir.Writes(s)...) {
			n[id]++
		}
	}
	return n
}

// unroll asks for a loop of a small statement to be written out.
func (f *file) unroll(turns int) {
	if f.small && turns > 1 {
		f.line("#pragma GCC unroll %d", turns)
	}
}
