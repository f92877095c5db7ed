package lower

import "ppl/compiler/backend/ir"

// A rowUse describes how statements use a buffer while they run over rows: row i reads or writes elements width·i + lo
// … width·i + hi.
type rowUse struct {
	buf           ir.BufID
	width, lo, hi int
	disjoint      bool // no two rows use the same element
	written       bool
	partial       bool // combined over rows
}

// union returns a rowUse that covers two uses of a buffer.
func (u rowUse) union(v rowUse) rowUse {
	u.disjoint = u.disjoint && v.disjoint && u.width == v.width
	u.lo, u.hi = min(u.lo, v.lo), max(u.hi, v.hi)
	u.disjoint = u.disjoint && u.hi-u.lo < u.width
	u.written = u.written || v.written
	u.partial = false // used twice, so rows need the combined result
	return u
}

// conflicts reports whether rows cannot run in any order.
func (u rowUse) conflicts() bool { return u.written && !u.disjoint && !u.partial }

// byRows rewrites a statement as one over `rows` rows, and returns its uses of buffers; nil if that is not possible. If
// `several`, each row may comprise several rows of a product's operands.
func byRows(s ir.Stmt, rows int, several bool) (ir.Stmt, []rowUse) {
	switch s := s.(type) {
	case *ir.Kernel:
		if len(s.Extents) > 0 && s.Extents[0] == rows {
			return s, kernelRows(s)
		}
	case *ir.MatMul:
		if s := productByRows(s, rows, several); s != nil {
			return s, productRows(s)
		}
	}
	return nil, nil
}

func kernelRows(k *ir.Kernel) []rowUse {
	var uses []rowUse
	for _, in := range k.Body {
		if in.Op == ir.Load {
			uses = append(uses, rowUseAt(k, in.Buf, in.Index))
		}
	}
	for _, o := range k.Out {
		u := rowUseAt(k, o.Buf, o.Index)
		u.written, u.partial = true, o.Combine != ir.Store && u.width == 0
		uses = append(uses, u)
	}
	return uses
}

func rowUseAt(k *ir.Kernel, buf ir.BufID, at ir.Index) rowUse {
	u := rowUse{buf: buf}
	if at.Stride != nil {
		u.width = at.Stride[0]
	}
	first := append([]int{1}, k.Extents[1:]...)
	u.lo, u.hi = at.Span(first)
	u.disjoint = u.hi-u.lo < u.width
	return u
}

// productByRows rewrites a product so that its dimension M or K runs over the rows, and the rows of its operands are
// contiguous. It returns nil if that is not possible. A product with a single row is transposed to a single column.
func productByRows(s *ir.MatMul, rows int, several bool) *ir.MatMul {
	if s.Batch != 1 {
		return nil
	}
	out := *s
	are := func(n int) bool { return n == rows }
	if several {
		are = func(n int) bool { return n > 0 && n%rows == 0 }
	}
	if s.M == 1 && s.N == rows {
		out.M, out.N, out.A, out.B, out.TransA, out.TransB = s.N, 1, s.B, s.A, !s.TransB, !s.TransA
	}
	out.SharedA, out.SharedB = false, false // with one batch, the flags have no effect
	switch {
	case are(out.M) && (!out.TransA || out.K == 1):
		out.Rows, out.Each = ir.DimM, out.M/rows
	case are(out.K) && (out.TransA || out.M == 1) && (!out.TransB || out.N == 1):
		out.Rows, out.Each = ir.DimK, out.K/rows
	default:
		return nil
	}
	return &out
}

func productRows(s *ir.MatMul) []rowUse {
	row := func(buf ir.BufID, at ir.Part, width int) rowUse {
		return rowUse{buf: buf, width: width, lo: at.First, hi: at.First + width - 1, disjoint: true}
	}
	all := func(buf ir.BufID) rowUse { return rowUse{buf: buf} }
	if s.Rows == ir.DimM {
		c := row(s.C, s.PartC, s.RowsOf(s.N))
		c.written = true
		return []rowUse{row(s.A, s.PartA, s.RowsOf(s.K)), all(s.B), c}
	}
	c := all(s.C)
	c.written, c.partial = true, true
	return []rowUse{row(s.A, s.PartA, s.RowsOf(s.M)), row(s.B, s.PartB, s.RowsOf(s.N)), c}
}
