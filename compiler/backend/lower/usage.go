package lower

import "ppl/compiler/backend/ir"

// usage records the elements of buffers that statements read and write.
type usage map[ir.BufID]*elements

type elements struct{ read, written elementRange }

// An elementRange is the elements lo … hi − 1.
type elementRange struct{ lo, hi int }

func (r elementRange) with(s elementRange) elementRange {
	if r.lo >= r.hi {
		return s
	}
	return elementRange{min(r.lo, s.lo), max(r.hi, s.hi)}
}

func (r elementRange) meets(s elementRange) bool { return max(r.lo, s.lo) < min(r.hi, s.hi) }

func (u usage) add(s ir.Stmt, buffers []ir.Buffer) {
	for _, r := range bufferRanges(s, buffers) {
		e := u[r.buf]
		if e == nil {
			e = &elements{}
			u[r.buf] = e
		}
		if r.write {
			e.written = e.written.with(r.elementRange)
		} else {
			e.read = e.read.with(r.elementRange)
		}
	}
}

// conflicts reports whether a statement cannot be swapped with the recorded statements.
func (u usage) conflicts(s ir.Stmt, buffers []ir.Buffer) bool {
	for _, r := range bufferRanges(s, buffers) {
		e := u[r.buf]
		if e != nil && (e.written.meets(r.elementRange) || r.write && e.read.meets(r.elementRange)) {
			return true
		}
	}
	return false
}

// A bufferRange is a range of elements of a buffer that a statement reads or writes.
type bufferRange struct {
	buf   ir.BufID
	write bool
	elementRange
}

// bufferRanges returns the ranges of a kernel's loads and stores. Other statements, and combined outputs, count as
// using entire buffers.
func bufferRanges(s ir.Stmt, buffers []ir.Buffer) []bufferRange {
	var out []bufferRange
	k, ok := s.(*ir.Kernel)
	if !ok {
		for _, r := range refs(s) {
			out = append(out, bufferRange{*r.buf, r.write, elementRange{0, buffers[*r.buf].Size}})
		}
		return out
	}
	at := func(buf ir.BufID, write bool, ix ir.Index) {
		lo, hi := ix.Span(k.Extents)
		out = append(out, bufferRange{buf, write, elementRange{lo, hi + 1}})
	}
	for _, in := range k.Body {
		if in.Op == ir.Load {
			at(in.Buf, false, in.Index)
		}
	}
	for _, o := range k.Out {
		if o.Combine == ir.Store {
			at(o.Buf, true, o.Index)
		} else {
			out = append(out, bufferRange{o.Buf, true, elementRange{0, buffers[o.Buf].Size}})
		}
	}
	return out
}
