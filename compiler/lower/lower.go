// Package lower turns graphs into IR programs: it fuses elementwise chains, movement of elements and reductions into loop
// nests, places the lane axis, computes what depends on data alone once, and drops what nobody reads.
//
// Values are computed where they are read (index maps compose, so movement is free), unless they are stored: results and
// arguments of linear algebra, reductions, and whatever would be computed at many more points than it has elements. What is
// stored over one iteration space, and does not wait for each other, shares one loop nest and its subexpressions.
package lower

import (
	"fmt"

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

// Program lowers entries over one graph (or several) to one program. It errs where a name is used with two sizes, or assigned
// twice by one entry.
func Program(entries []Entry) (*ir.Program, error) {
	prog := newProgram()
	roots, err := prog.roots(entries)
	if err != nil {
		return nil, err
	}
	setup := prog.setup(roots)
	out := &ir.Program{Setup: setup}
	for k, e := range entries {
		out.Entries = append(out.Entries, ir.Entry{Name: e.Name, Body: prog.entry(e, roots[k])})
	}
	out.Buffers = prog.buffers
	return compact(out), nil
}

// roots are the assigned values by entry. Naming the buffers checks their sizes.
func (prog *program) roots(entries []Entry) ([][]*value, error) {
	sizes := map[string]use{}
	roots := make([][]*value, len(entries))
	for k, e := range entries {
		seen := map[string]bool{}
		for _, a := range e.Assign {
			if seen[a.Name] {
				return nil, fmt.Errorf("lower: entry %q assigns %q twice", e.Name, a.Name)
			}
			seen[a.Name] = true
			if err := agree(sizes, a.Name, use{e.Name, a.Value.Size()}); err != nil {
				return nil, err
			}
			roots[k] = append(roots[k], prog.values.root(a.Value))
		}
		if err := prog.checkInputs(sizes, e.Name, roots[k]); err != nil {
			return nil, err
		}
	}
	return roots, nil
}

type use struct {
	entry string
	size  int
}

func agree(sizes map[string]use, name string, u use) error {
	old, ok := sizes[name]
	if ok && old.size != u.size {
		return fmt.Errorf("lower: buffer %q has %d elements in entry %q but %d in entry %q", name, old.size, old.entry, u.size, u.entry)
	}
	if !ok {
		sizes[name] = u
	}
	return nil
}

// checkInputs makes the lane buffers that an entry reads.
func (prog *program) checkInputs(sizes map[string]use, entry string, roots []*value) error {
	scan := &plan{prog: prog}
	seen := map[*value]bool{nil: true}
	var visit func(v *value) error
	visit = func(v *value) error {
		if seen[v] {
			return nil
		}
		seen[v] = true
		if v.kind == autodiff.OpInput {
			if err := agree(sizes, v.op.Name, use{entry, v.size()}); err != nil {
				return err
			}
		}
		scan.leaf(v)
		for _, a := range v.args {
			if err := visit(a); err != nil {
				return err
			}
		}
		return nil
	}
	for _, r := range roots {
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

// root is the value of an assigned node, as one that can be stored: a leaf is copied.
func (vs *values) root(n autodiff.Node) *value {
	v := base(vs.of(n))
	if v.kind == autodiff.OpData || v.kind == autodiff.OpInput {
		return vs.copied(v)
	}
	return v
}
