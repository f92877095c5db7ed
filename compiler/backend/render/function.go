package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ppl/compiler/backend/ir"
)

// A function is a C function for some statements. Its parameters are pointers to the buffers that they use, declared
// restrict: compilers trust that buffers do not overlap only for parameters, and can then keep values in registers from
// one iteration to the next.
type function struct {
	name         string
	params, args []string
	locals       []string
}

func newFunction(name string) *function {
	return &function{name: name, params: []string{"const context *c"}, args: []string{"c"}}
}

// newStatement returns a function with the next free name.
func (f *file) newStatement() *function {
	f.count++
	return newFunction(fmt.Sprint("s", f.count-1))
}

// pass adds a parameter and its argument.
func (fn *function) pass(param, arg string) {
	fn.params, fn.args = append(fn.params, param), append(fn.args, arg)
}

// inOrder sorts the parameters and local variables that are buffers by the first occurrence of their names in the code.
func (fn *function) inOrder(code string) {
	at := map[string]int{}
	for from, to := range bufferNames(code) {
		if name := code[from:to]; at[name] == 0 {
			at[name] = from + 1
		}
	}
	position := func(text string) int {
		for from, to := range bufferNames(text) {
			return at[text[from:to]]
		}
		return 0
	}
	order := make([]int, len(fn.params))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return position(fn.params[i]) - position(fn.params[j]) })
	params, args := slices.Clone(fn.params), slices.Clone(fn.args)
	for i, k := range order {
		fn.params[i], fn.args[i] = params[k], args[k]
	}
	slices.SortStableFunc(fn.locals, func(a, b string) int { return position(a) - position(b) })
}

// call returns the text of a call.
func (fn *function) call() string {
	return fmt.Sprintf("%s(%s);", fn.name, strings.Join(fn.args, ", "))
}

// open writes the start of the function.
func (f *file) open(fn *function) {
	f.line("STATEMENT %s(%s) {", fn.name, strings.Join(fn.params, ", "))
	for _, l := range fn.locals {
		f.line("%s", l)
	}
}

// buffers makes the buffers that statements use parameters of fn; `from` returns the text of an offset to add to a
// buffer's address. `local` maps the buffers that become local variables instead to their numbers of elements.
func (f *file) buffers(fn *function, group []ir.Stmt, local map[ir.BufID]int, from func(ir.BufID) string) {
	var writes []ir.BufID
	for _, s := range group {
		writes = append(writes, ir.Writes(s)...)
	}
	for _, id := range slices.Sorted(maps.Keys(count(group))) {
		if n, ok := local[id]; ok {
			fn.locals = append(fn.locals, fmt.Sprintf("%s b%d[%d];", f.form(id).typ(), id, n))
			continue
		}
		param := fmt.Sprintf("%s *restrict b%d", f.element(id), id)
		if !slices.Contains(writes, id) {
			param = "const " + param
		}
		fn.pass(param, f.at(id)+from(id))
	}
}

// element returns the type of an element of a buffer in memory.
func (f *file) element(id ir.BufID) string {
	if f.bytes != nil && f.bytes[id] {
		return "unsigned char"
	}
	return f.memory(f.form(id))
}

// at returns the text of the address of a buffer.
func (f *file) at(id ir.BufID) string {
	text := fmt.Sprintf("(%s *)c->buffer[%d]", f.element(id), id)
	if f.owner != nil && f.Buffers[id].Space != ir.Shared {
		word, n := f.owner(f, id)
		text += fmt.Sprintf(" + c->%s * %d", word, n)
	}
	return text
}

func noOffset(ir.BufID) string { return "" }
