// Package lower turns graphs into IR programs: it fuses elementwise chains, movement of elements and reductions into loop
// nests, places the lane axis, computes what depends on data alone once, and drops what nobody reads.
package lower

import (
	"ppl/autodiff"
	"ppl/compiler/ir"
)

// An Entry is a simultaneous assignment: every value is computed from the lane buffers as they are at its start, then
// all are written. A name is a lane buffer; a graph's Input of that name reads it. Buffers live across entries and calls.
type Entry struct {
	Name   string
	Assign []Assign
}

// Assign writes Value to the lane buffer Name; all entries of a program agree on its size.
type Assign struct {
	Name  string
	Value autodiff.Node
}

// Program lowers entries over one graph (or several) to one program.
func Program(entries []Entry) (*ir.Program, error) { panic("todo") }
