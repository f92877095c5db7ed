package render

import (
	"maps"
	"slices"

	"ppl/compiler/ir"
)

// Small statements that follow each other share a function, with their loops written out: what one leaves for the next stays in registers,
// also scratch that nothing else names. Others have a function of their own, so that compile time grows in proportion.
const (
	smallKernel = 800  // instructions of a kernel that is small, written out
	smallGroup  = 2500 // of a function of small ones
)

// statements writes functions for part of a body, and returns their numbers. uses counts how often the whole body names a buffer.
func (f *file) statements(body []ir.Stmt, uses map[ir.BufID]int) (numbers []int) {
	for _, group := range groups(body) {
		f.line("STATEMENT s%d(const context *c) {", f.count)
		f.group(group, uses)
		f.line("}")
		numbers = append(numbers, f.count)
		f.count++
	}
	return numbers
}

// groups cuts a body into functions.
func groups(body []ir.Stmt) (groups [][]ir.Stmt) {
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

// written is about how many instructions a statement is when its loops are written out; more than smallGroup where that is not for it.
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

// group writes statements into the function at hand.
func (f *file) group(group []ir.Stmt, uses map[ir.BufID]int) {
	f.small = written(group[0]) <= smallKernel
	f.buffers(group, uses, whole)
	for _, s := range group {
		if len(group) > 1 {
			f.line("{")
		}
		f.statement(s)
		f.narrow(s)
		if len(group) > 1 {
			f.line("}")
		}
	}
	f.small = false
}

// buffers declares pointers to what statements use, from an element on, or memory where nothing else does.
func (f *file) buffers(group []ir.Stmt, uses map[ir.BufID]int, from func(ir.BufID) string) {
	var writes []ir.BufID
	for _, s := range group {
		writes = append(writes, ir.Writes(s)...)
	}
	here := count(group)
	for _, id := range slices.Sorted(maps.Keys(here)) {
		constant := "const "
		if slices.Contains(writes, id) {
			constant = ""
		}
		if f.small && f.Buffers[id].Space == ir.Scratch && here[id] == uses[id] {
			f.line("%s b%d[%d];", f.form(id).typ(), id, max(f.Buffers[id].Size, 1))
			continue
		}
		f.line("%s%s *restrict b%d = (%s *)c->buffer[%d]%s;", constant, f.form(id).typ(), id, f.form(id).typ(), id, from(id))
	}
}

func whole(ir.BufID) string { return "" }

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
