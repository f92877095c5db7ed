package lower

import (
	"slices"

	"ppl/compiler/backend/ir"
)

// A copyOut is the last step of an assignment: it copies a computed buffer to the lane buffer of the assigned name, or
// to one row of that buffer.
type copyOut struct {
	from, to ir.BufID
	size     int
	at       ir.BufID // if rows > 0: the buffer that holds the number of the row
	rows     int
}

// assign appends the copies of an entry's results to its statements. If a result can be written directly to its lane
// buffer, the lane buffer replaces the scratch buffer and no copy is needed.
func assign(stmts []ir.Stmt, moves []copyOut, buffers []ir.Buffer) []ir.Stmt {
	for _, m := range slices.Clone(moves) {
		if m.rows == 0 && buffers[m.from].Space == ir.Scratch && canWrite(stmts, m.from, m.to) {
			rename(stmts, moves, m.from, m.to)
		}
	}
	left := slices.DeleteFunc(moves, func(m copyOut) bool {
		return m.rows == 0 && (m.from == m.to || mergeCopy(stmts, m))
	})
	return append(stmts, copies(left)...)
}

// mergeCopy adds a copy to the last kernel of the same size, if possible, and reports whether it did. That kernel must
// write the source or run after the statement that writes it, and no later statement may read the old value.
func mergeCopy(stmts []ir.Stmt, m copyOut) bool {
	extents, at := loops([]int{m.size}), pointIndex(m.size)
	for i := len(stmts) - 1; i >= 0; i-- {
		if k, ok := stmts[i].(*ir.Kernel); ok && slices.Equal(k.Extents, extents) && readsAt(k, m.to, at) {
			if r, ok := finalRegister(k, m.from, at); ok {
				k.Out = append(k.Out, ir.Output{Buf: m.to, Index: at, Value: r})
				return true
			}
		}
		if touches(stmts[i], m.from, true) || touches(stmts[i], m.to, false) {
			return false
		}
	}
	return false
}

// finalRegister returns the register of a kernel that holds an element of a buffer after the kernel has run. If the
// kernel does not write the buffer, a load is added.
func finalRegister(k *ir.Kernel, buf ir.BufID, at ir.Index) (r ir.Reg, ok bool) {
	if !touches(k, buf, true) {
		return addLoad(k, buf, at), true
	}
	for _, o := range k.Out {
		if o.Buf == buf && o.Combine == ir.Store && sameIndex(o.Index, at) {
			return o.Value, true
		}
	}
	return 0, false
}

// addLoad returns the register of a load. It adds the load unless the kernel already has it.
func addLoad(k *ir.Kernel, buf ir.BufID, at ir.Index) ir.Reg {
	r := slices.IndexFunc(k.Body, func(in ir.Instr) bool {
		return in.Op == ir.Load && in.Buf == buf && sameIndex(in.Index, at)
	})
	if r < 0 {
		r = len(k.Body)
		k.Body = append(k.Body, ir.Instr{Op: ir.Load, Buf: buf, Index: at})
	}
	return ir.Reg(r)
}

// readsAt reports whether a kernel reads a buffer at no index other than `at`.
func readsAt(k *ir.Kernel, buf ir.BufID, at ir.Index) bool {
	return !slices.ContainsFunc(k.Body, func(in ir.Instr) bool {
		return in.Op == ir.Load && in.Buf == buf && !sameIndex(in.Index, at)
	})
}

// pointIndex returns the index of the current point of a kernel over n elements.
func pointIndex(n int) ir.Index { return canonical(flatten(identity([]int{n}), []int{n})) }

// canWrite reports whether the statements that write the scratch buffer could write the lane buffer instead. No
// statement may read the old value at the same time or later, except one kernel that reads only the element that it
// replaces.
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

// replaces reports whether a kernel reads the lane buffer only at the index at which it stores to the scratch buffer.
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

func rename(stmts []ir.Stmt, moves []copyOut, from, to ir.BufID) {
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
		if moves[k].rows > 0 && moves[k].at == from {
			moves[k].at = to
		}
	}
}

// copies returns kernels for the moves, one for each size.
func copies(moves []copyOut) []ir.Stmt {
	var out []ir.Stmt
	kernels := map[int]*ir.Kernel{}
	for _, m := range moves {
		k, ok := kernels[m.size]
		if !ok {
			k = &ir.Kernel{Extents: loops([]int{m.size})}
			kernels[m.size] = k
			out = append(out, k)
		}
		at := pointIndex(m.size)
		out := ir.Output{Buf: m.to, Index: at, Value: addLoad(k, m.from, at)}
		if m.rows > 0 {
			row := addLoad(k, m.at, ir.Index{})
			out.Index.Dyn = []ir.Dyn{{Reg: row, Stride: m.size, Limit: m.rows}}
		}
		k.Out = append(k.Out, out)
	}
	return out
}
