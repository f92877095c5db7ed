// Package lower translates graphs into IR programs: it fuses elementwise chains, movement of elements and reductions
// into loop nests, adds the lane axis, computes values that depend only on data once, and removes values that nothing
// reads.
//
//	sum(exp(x) · y)  over i < N    →    for i < N { r0 = load x[i]; r1 = exp r0; r2 = load y[i]; r3 = mul r1 r2;
//	                                                add out[0] r3 }
//
// A value is computed where it is read (index maps compose, so movement costs nothing) unless it is stored. Stored
// values are results and arguments of linear algebra, reductions, and values that would be computed at many more points
// than they have elements. Stored values over one iteration space that do not depend on each other share one loop nest
// and its common subexpressions. A Scan becomes a loop in which each iteration computes a row of a buffer from the
// previous row; its step is planned like an entry.
//
// The approach is that of fusing array compilers such as tinygrad and XLA. Deciding what to store by writing the code
// and counting is our own method.
package lower

import (
	"fmt"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// An Entry is a simultaneous assignment: all values are computed from the contents of the lane buffers at its start,
// then all are written. Each name is a lane buffer; an Input of the graph with that name reads it. Buffers keep their
// contents between entries and calls. The host writes given Inputs, which have one copy for all lanes.
//
// Before the assignments, lanes copy values from each other as Peers describes. A Still entry does not advance the
// noise step.
type Entry struct {
	Name   string
	Peers  []Peer
	Assign []Assign
	Still  bool
}

// A Peer copies values from another lane of the group: the first lane whose Key equals the Want of this lane (ir.Peer).
// Each name must be in an assignment, or an Input, of some entry.
type Peer struct {
	Key, Want string
	Copies    []Copy
}

// A Copy is a copy from the lane buffer From of another lane to the lane buffer To of this lane.
type Copy struct{ From, To string }

// Assign writes Value to the lane buffer Name; all entries of a program must agree on its size. If At is valid, the
// buffer has Rows rows, and Value replaces only the row whose number is the scalar At:
//
//	Assign{Name: "energies", Value: energy, At: count, Rows: 16}    energies[count] = energy
type Assign struct {
	Name  string
	Value autodiff.Node
	At    autodiff.Node
	Rows  int
}

// Size returns the number of elements of the buffer.
func (a Assign) Size() int { return max(a.Rows, 1) * a.Value.Size() }

// nodes returns the nodes of an assignment: its value and, if valid, its row number.
func (a *Assign) nodes() []*autodiff.Node {
	if a.At.Valid() {
		return []*autodiff.Node{&a.Value, &a.At}
	}
	return []*autodiff.Node{&a.Value}
}

// Program lowers entries over one graph (or several) to one program. It returns an error if a name has two sizes, is
// assigned twice by one entry, or is given and assigned.
func Program(entries []Entry) (*ir.Program, error) {
	l, single := layout(entries)
	return programIn(entries, l, single)
}

// stacked returns the entries with similar scalar computations combined into arrays (autodiff.Stacked).
func stacked(entries []Entry) []Entry {
	nodes, values := map[*autodiff.Graph][]*autodiff.Node{}, map[*autodiff.Graph][]autodiff.Node{}
	out := make([]Entry, len(entries))
	for k, e := range entries {
		out[k] = Entry{Name: e.Name, Peers: e.Peers, Assign: slices.Clone(e.Assign), Still: e.Still}
		for i := range out[k].Assign {
			for _, n := range out[k].Assign[i].nodes() {
				nodes[n.Graph()], values[n.Graph()] = append(nodes[n.Graph()], n), append(values[n.Graph()], *n)
			}
		}
	}
	for g := range values {
		for i, n := range autodiff.Stacked(values[g]) {
			*nodes[g][i] = n
		}
	}
	return out
}

// programIn lowers entries for a layout of lanes; if single, large lane buffers are stored in F32.
func programIn(entries []Entry, l ir.Layout, single bool) (*ir.Program, error) {
	entries = stacked(entries)
	prog := newProgram(l, single)
	roots, err := prog.roots(entries)
	if err != nil {
		return nil, err
	}
	setup := prog.setup(roots)
	out := &ir.Program{Layout: prog.layout, Setup: setup}
	for k, e := range entries {
		out.Entries = append(out.Entries, ir.Entry{Name: e.Name, Still: e.Still,
			Body: append(prog.peers(e), prog.entry(e, roots[k])...)})
	}
	out.Buffers = prog.buffers
	return compact(out), nil
}

// roots returns, for each entry, the assigned values followed by the row numbers of the assignments that have them. It
// also declares a lane buffer for every name, even for an Input that no value needs, so that callers may set it.
func (prog *program) roots(entries []Entry) ([][]*value, error) {
	roots := make([][]*value, len(entries))
	for k, e := range entries {
		seen := map[string]bool{}
		for _, a := range e.Assign {
			if seen[a.Name] {
				return nil, fmt.Errorf("lower: entry %q assigns %q twice", e.Name, a.Name)
			}
			seen[a.Name] = true
			if err := prog.name(e, a); err != nil {
				return nil, err
			}
			roots[k] = append(roots[k], prog.values.root(a.Value, prog.buffers[prog.lanes[a.Name]].Type))
		}
		for _, a := range e.Assign {
			if a.At.Valid() {
				roots[k] = append(roots[k], prog.values.root(a.At, ir.F64))
			}
		}
	}
	return roots, nil
}

// peers returns the statements with which lanes of an entry read from each other.
func (prog *program) peers(e Entry) (stmts []ir.Stmt) {
	of := func(name string) ir.BufID {
		id, ok := prog.lanes[name]
		if !ok {
			internal("entry %q copies %q, which no entry has", e.Name, name)
		}
		return id
	}
	for _, p := range e.Peers {
		s := &ir.Peer{Key: of(p.Key), Want: of(p.Want)}
		for _, c := range p.Copies {
			s.Copies = append(s.Copies, ir.Copy{From: of(c.From), To: of(c.To)})
		}
		stmts = append(stmts, s)
	}
	return stmts
}

// name declares the lane buffers of an assignment and of its graph's inputs.
func (prog *program) name(e Entry, a Assign) error {
	g := a.Value.Graph()
	if !prog.graphs[g] {
		prog.graphs[g] = true
		for _, n := range g.Nodes() {
			prog.values.recordUses(n)
			if n.Op().Kind != autodiff.OpInput {
				continue
			}
			if err := prog.declare(e, n.Op().Name, n.Size(), n.Op().Given); err != nil {
				return err
			}
		}
	}
	return prog.declare(e, a.Name, a.Size(), false)
}

// declare adds the buffer of a name, or checks that the existing buffer has that size and is given if this one is.
func (prog *program) declare(e Entry, name string, size int, given bool) error {
	id, ok := prog.lanes[name]
	if !ok {
		b := ir.Buffer{Name: name, Space: ir.Lane, Type: prog.state(size), Size: size, Given: given}
		if given {
			b.Space = ir.Shared
		}
		prog.lanes[name] = prog.add(b)
		prog.values.singles[name] = prog.state(size) == ir.F32
		return nil
	}
	if old := prog.buffers[id].Size; old != size {
		return fmt.Errorf("lower: entry %q uses buffer %q with %d elements, but it has %d elsewhere", e.Name,
			name, size, old)
	}
	if prog.buffers[id].Given != given {
		return fmt.Errorf("lower: entry %q uses %q, which is both given to all lanes and a buffer of each lane", e.Name,
			name)
	}
	return nil
}

// root returns the value of an assigned node in a form that can be stored in type t; a leaf is copied.
func (vs *values) root(n autodiff.Node, t ir.Type) *value {
	p := double
	if t == ir.F32 {
		p = single
	}
	v := base(vs.inPrecision(p, vs.of(n)))
	if v.kind == autodiff.OpData || v.kind == autodiff.OpInput {
		return vs.copied(v)
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
