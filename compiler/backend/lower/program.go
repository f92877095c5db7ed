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
	given   map[string]bool          // names with one copy for all lanes
	inits   map[known]ir.BufID       // maps data to its buffer
	shared  map[*value]ir.BufID      // maps static values that the setup computes to their buffers
	places  bufferPool
}

func newProgram(l ir.Layout, single bool) *program {
	given := map[string]bool{}
	return &program{layout: l, single: single, values: newValues(l, single, given), graphs: map[*autodiff.Graph]bool{},
		lanes: map[string]ir.BufID{}, given: given, inits: map[known]ir.BufID{},
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

// setup returns the statements that compute the static values that entries read.
func (prog *program) setup(entries [][]*value) []ir.Stmt {
	var bases []*value
	seen := map[*value]bool{nil: true}
	var visit func(v *value, whole bool)
	visit = func(v *value, whole bool) {
		if v != nil && v.static {
			if b := staticBase(v, whole); b != nil && !seen[b] {
				seen[b] = true
				bases = append(bases, b)
			}
			return
		}
		if seen[v] {
			return
		}
		seen[v] = true
		for _, a := range v.args {
			visit(a, v.call())
		}
	}
	for _, roots := range entries {
		for _, r := range roots {
			visit(r, false)
		}
	}
	p := newPlan(prog, ir.Shared, bases)
	stmts := p.lower()
	for _, b := range bases {
		prog.shared[b] = p.stored[b].buf
	}
	return stmts
}

// staticBase returns the value that the setup must compute so that v can be read; nil if v is read from data directly.
// If `whole`, v itself is needed, not only its elements.
func staticBase(v *value, whole bool) *value {
	for base(v) != v || !whole && !v.computes() {
		v = v.args[0]
	}
	switch v.kind {
	case autodiff.OpConst, autodiff.OpData:
		return nil
	}
	return v
}

// entry lowers one entry. Assigned values are computed in scratch buffers and copied at the end, since every value must
// be computed from the old contents.
func (prog *program) entry(e Entry, roots []*value) []ir.Stmt {
	p := newPlan(prog, ir.Scratch, roots)
	stmts := p.lower()
	var moves []copyOut
	rows := roots[len(e.Assign):]
	for k, a := range e.Assign {
		m := copyOut{to: prog.lanes[a.Name], size: roots[k].size()}
		if a.At.Valid() {
			at, _ := p.home(rows[0])
			m.at, m.rows, rows = at.buf, a.Rows, rows[1:]
		}
		if from, ok := p.home(roots[k]); ok && m.size > 0 {
			m.from = from.buf
			moves = append(moves, m)
		}
	}
	stmts = prog.tile(assign(stmts, moves, prog.buffers))
	prog.places.reuse(stmts, prog.buffers)
	return stmts
}
