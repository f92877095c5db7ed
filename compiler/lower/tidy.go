package lower

import (
	"slices"

	"ppl/compiler/ir"
)

// A ref is a place in a statement that names a buffer.
type ref struct {
	buf   *ir.BufID
	write bool
}

func refs(s ir.Stmt) []ref {
	switch s := s.(type) {
	case *ir.Kernel:
		return kernelRefs(s)
	case *ir.MatMul:
		return []ref{{&s.A, false}, {&s.B, false}, {&s.C, true}}
	case *ir.CumSum:
		return []ref{{&s.In, false}, {&s.Out, true}}
	case *ir.Cholesky:
		return []ref{{&s.In, false}, {&s.Out, true}}
	case *ir.TriSolve:
		return []ref{{&s.L, false}, {&s.B, false}, {&s.Out, true}}
	}
	internal("unknown statement %T", s)
	return nil
}

func kernelRefs(k *ir.Kernel) []ref {
	var out []ref
	for i := range k.Body {
		if k.Body[i].Op == ir.Load {
			out = append(out, ref{&k.Body[i].Buf, false})
		}
	}
	for i := range k.Out {
		out = append(out, ref{&k.Out[i].Buf, true})
	}
	return out
}

// touches reports whether a statement reads, or writes, a buffer.
func touches(s ir.Stmt, buf ir.BufID, write bool) bool {
	return slices.ContainsFunc(refs(s), func(r ref) bool { return *r.buf == buf && r.write == write })
}

// A move is the end of an assignment: what was computed into a buffer goes to the lane buffer of its name.
type move struct {
	from, to ir.BufID
	size     int
}

// assign ends an entry with its moves. A scratch buffer that may as well be the lane buffer from the start becomes it.
func assign(stmts []ir.Stmt, moves []move, buffers []ir.Buffer) []ir.Stmt {
	for _, m := range slices.Clone(moves) {
		if buffers[m.from].Space == ir.Scratch && canWrite(stmts, m.from, m.to) {
			rename(stmts, moves, m.from, m.to)
		}
	}
	left := slices.DeleteFunc(moves, func(m move) bool { return m.from == m.to || joins(stmts, m) })
	return append(stmts, copies(left)...)
}

// joins puts a copy into the last kernel of its size, if that kernel comes after whatever writes the source and nobody reads the old
// value after it.
func joins(stmts []ir.Stmt, m move) bool {
	extents := loops([]int{m.size})
	for i := len(stmts) - 1; i >= 0; i-- {
		if touches(stmts[i], m.from, true) {
			return false
		}
		if k, ok := stmts[i].(*ir.Kernel); ok && slices.Equal(k.Extents, extents) && readsAt(k, m.to, pointIndex(m.size)) {
			addCopy(k, m)
			return true
		}
		if touches(stmts[i], m.to, false) {
			return false
		}
	}
	return false
}

// readsAt reports whether a kernel reads a buffer nowhere but at an index.
func readsAt(k *ir.Kernel, buf ir.BufID, at ir.Index) bool {
	return !slices.ContainsFunc(k.Body, func(in ir.Instr) bool {
		return in.Op == ir.Load && in.Buf == buf && !sameIndex(in.Index, at)
	})
}

// pointIndex is where a kernel over n elements is.
func pointIndex(n int) ir.Index { return canonical(flatten(identity([]int{n}), []int{n})) }

func addCopy(k *ir.Kernel, m move) {
	at := pointIndex(m.size)
	load := ir.Instr{Op: ir.Load, Buf: m.from, Index: at}
	r := slices.IndexFunc(k.Body, func(in ir.Instr) bool { return in.Op == ir.Load && in.Buf == m.from && sameIndex(in.Index, at) })
	if r < 0 {
		r = len(k.Body)
		k.Body = append(k.Body, load)
	}
	k.Out = append(k.Out, ir.Output{Buf: m.to, Index: at, Value: ir.Reg(r)})
}

// canWrite reports whether the statements that write scratch could write the lane buffer instead: nobody reads the old value at the
// same time or later, except a single kernel that reads just the element it replaces.
func canWrite(stmts []ir.Stmt, scratch, lane ir.BufID) bool {
	first := slices.IndexFunc(stmts, func(s ir.Stmt) bool { return touches(s, scratch, true) })
	if first < 0 {
		return false
	}
	later := func(s ir.Stmt) bool { return touches(s, lane, false) }
	if slices.ContainsFunc(stmts[first+1:], later) {
		return false
	}
	return !later(stmts[first]) || replaces(stmts[first], scratch, lane)
}

// replaces reports whether a kernel reads lane only at the index where it stores scratch.
func replaces(s ir.Stmt, scratch, lane ir.BufID) bool {
	k, ok := s.(*ir.Kernel)
	if !ok {
		return false
	}
	for _, o := range k.Out {
		if o.Buf != scratch {
			continue
		}
		if o.Combine != ir.Store || !readsAt(k, lane, o.Index) {
			return false
		}
	}
	return true
}

func rename(stmts []ir.Stmt, moves []move, from, to ir.BufID) {
	for _, s := range stmts {
		for _, r := range refs(s) {
			if *r.buf == from {
				*r.buf = to
			}
		}
	}
	for k := range moves {
		if moves[k].from == from {
			moves[k].from = to
		}
	}
}

// copies are kernels for the moves, one for each size.
func copies(moves []move) []ir.Stmt {
	var out []ir.Stmt
	kernels := map[int]*ir.Kernel{}
	for _, m := range moves {
		k, ok := kernels[m.size]
		if !ok {
			k = &ir.Kernel{Extents: loops([]int{m.size})}
			kernels[m.size] = k
			out = append(out, k)
		}
		addCopy(k, m)
	}
	return out
}

// places are scratch buffers by size that values can share when they are not alive together. Scratch is undefined at the start of an
// entry, so all entries use the same.
type places map[int][]ir.BufID

// reuse moves the scratch buffers of an entry to places.
func (p places) reuse(stmts []ir.Stmt, buffers []ir.Buffer) {
	last := map[ir.BufID]int{}
	for k, s := range stmts {
		for _, r := range refs(s) {
			last[*r.buf] = k
		}
	}
	free := places{}
	for n, ids := range p {
		free[n] = slices.Clone(ids)
	}
	now := map[ir.BufID]ir.BufID{}
	for k, s := range stmts {
		var ended []ir.BufID
		for _, r := range refs(s) {
			b := *r.buf
			if buffers[b].Space != ir.Scratch {
				continue
			}
			if _, ok := now[b]; !ok {
				now[b] = p.take(free, b, buffers[b].Size)
			}
			*r.buf = now[b]
			if last[b] == k && !slices.Contains(ended, now[b]) {
				ended = append(ended, now[b])
			}
		}
		for _, b := range ended {
			free[buffers[b].Size] = append(free[buffers[b].Size], b)
		}
	}
}

// take is a free place of size n; where there is none, b becomes one.
func (p places) take(free places, b ir.BufID, n int) ir.BufID {
	if len(free[n]) == 0 {
		p[n] = append(p[n], b)
		return b
	}
	place := free[n][0]
	free[n] = free[n][1:]
	return place
}

// compact drops the buffers that nothing names, except lane buffers.
func compact(p *ir.Program) *ir.Program {
	used := map[ir.BufID]bool{}
	all := p.Setup
	for _, e := range p.Entries {
		all = append(all[:len(all):len(all)], e.Body...)
	}
	for _, s := range all {
		for _, r := range refs(s) {
			used[*r.buf] = true
		}
	}
	id := map[ir.BufID]ir.BufID{}
	var kept []ir.Buffer
	for k, b := range p.Buffers {
		if b.Space == ir.Lane || used[ir.BufID(k)] {
			id[ir.BufID(k)] = ir.BufID(len(kept))
			kept = append(kept, b)
		}
	}
	for _, s := range all {
		for _, r := range refs(s) {
			*r.buf = id[*r.buf]
		}
	}
	p.Buffers = kept
	return p
}
