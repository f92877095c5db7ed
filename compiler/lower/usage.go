package lower

import "ppl/compiler/ir"

// usage is the elements of buffers that statements read and write.
type usage map[ir.BufID]*elements

type elements struct{ read, written reach }

// A reach is the elements lo … hi − 1.
type reach struct{ lo, hi int }

func (r reach) with(s reach) reach {
	if r.lo >= r.hi {
		return s
	}
	return reach{min(r.lo, s.lo), max(r.hi, s.hi)}
}

func (r reach) meets(s reach) bool { return max(r.lo, s.lo) < min(r.hi, s.hi) }

func (u usage) add(s ir.Stmt, buffers []ir.Buffer) {
	for _, r := range reaches(s, buffers) {
		e := u[r.buf]
		if e == nil {
			e = &elements{}
			u[r.buf] = e
		}
		if r.write {
			e.written = e.written.with(r.reach)
		} else {
			e.read = e.read.with(r.reach)
		}
	}
}

// conflicts reports whether a statement must keep its place relative to those that use these.
func (u usage) conflicts(s ir.Stmt, buffers []ir.Buffer) bool {
	for _, r := range reaches(s, buffers) {
		e := u[r.buf]
		if e != nil && (e.written.meets(r.reach) || r.write && e.read.meets(r.reach)) {
			return true
		}
	}
	return false
}

// A bufReach is what a statement reads or writes of a buffer.
type bufReach struct {
	buf   ir.BufID
	write bool
	reach
}

// reaches are those of a kernel's loads and stores; other statements, and what is combined, take whole buffers.
func reaches(s ir.Stmt, buffers []ir.Buffer) []bufReach {
	var out []bufReach
	k, ok := s.(*ir.Kernel)
	if !ok {
		for _, r := range refs(s) {
			out = append(out, bufReach{*r.buf, r.write, reach{0, buffers[*r.buf].Size}})
		}
		return out
	}
	at := func(buf ir.BufID, write bool, ix ir.Index) {
		lo, hi := ix.Span(k.Extents)
		out = append(out, bufReach{buf, write, reach{lo, hi + 1}})
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
			out = append(out, bufReach{o.Buf, true, reach{0, buffers[o.Buf].Size}})
		}
	}
	return out
}
