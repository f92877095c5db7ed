package lower

import (
	"unsafe"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// A program under construction: its values and buffers.
type program struct {
	layout  ir.Layout
	single  bool // large lane buffers are kept in single precision
	values  *values
	buffers []ir.Buffer
	graphs  map[*autodiff.Graph]bool // graphs whose inputs have their buffers
	lanes   map[string]ir.BufID      // lane buffers by name, and given ones
	given   map[string]bool          // names of which there is one copy for all lanes
	inits   map[known]ir.BufID       // buffers of data
	shared  map[*value]ir.BufID      // static values that the setup computes
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

// A known is a list of data, identified by where it is.
type known struct {
	first unsafe.Pointer
	typ   ir.Type
}

// data returns the shared buffer that holds a slice of data.
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

// setup computes the static values that entries read, once.
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

// staticBase returns the value that is computed once so that v can be read; nil if v is read from data directly.
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

// entry lowers one entry. Assigned values are computed into scratch buffers and copied at the end, since every value
// must be computed from the old contents.
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
