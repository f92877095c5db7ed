package lower

import (
	"unsafe"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// A program is a program under construction: its values and buffers.
type program struct {
	layout  ir.Layout
	single  bool // large lane buffers are stored in F32
	values  *values
	buffers []ir.Buffer
	graphs  map[*autodiff.Graph]bool // graphs whose inputs have been declared
	lanes   map[string]ir.BufID      // maps a name to its lane or given buffer
	inits   map[known]ir.BufID       // maps data to its buffer
	shared  map[*value]ir.BufID      // maps static values that the setup computes to their buffers
	places  bufferPool
}

func newProgram(l ir.Layout, single bool) *program {
	return &program{layout: l, single: single, values: newValues(l, single), graphs: map[*autodiff.Graph]bool{},
		lanes: map[string]ir.BufID{}, inits: map[known]ir.BufID{},
		shared: map[*value]ir.BufID{}, places: bufferPool{}}
}

func (prog *program) add(b ir.Buffer) ir.BufID {
	prog.buffers = append(prog.buffers, b)
	return ir.BufID(len(prog.buffers) - 1)
}

func (prog *program) buffer(space ir.Space, typ ir.Type, size int) ir.BufID {
	return prog.add(ir.Buffer{Space: space, Type: typ, Size: size})
}

// A known identifies a list of data by its address, and a type to store it in.
type known struct {
	first unsafe.Pointer
	typ   ir.Type
}

// data returns the shared buffer that holds the data of v.
func (prog *program) data(v *value) ir.BufID {
	key := known{v.op.Values.Start(), v.typ()}
	id, ok := prog.inits[key]
	if !ok {
		id = prog.add(ir.Buffer{Name: v.op.Name, Space: ir.Shared, Type: key.typ, Size: v.op.Values.Len(),
			Init: v.op.Values})
		prog.inits[key] = id
	}
	return id
}
