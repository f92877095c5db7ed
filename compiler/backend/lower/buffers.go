package lower

import (
	"slices"

	"ppl/compiler/backend/ir"
)

// A ref is a reference to a buffer in a statement.
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
	case *ir.Eigen:
		return []ref{{&s.In, false}, {&s.Out, true}}
	case *ir.TriSolve:
		return []ref{{&s.L, false}, {&s.B, false}, {&s.Out, true}}
	case *ir.CholeskyPull:
		return []ref{{&s.L, false}, {&s.Bar, false}, {&s.Out, true}}
	case *ir.Peer:
		out := []ref{{&s.Key, false}, {&s.Want, false}}
		for i := range s.Copies {
			out = append(out, ref{&s.Copies[i].From, false}, ref{&s.Copies[i].To, true})
		}
		return out
	case *ir.Loop:
		return bodyRefs(s.Body)
	case *ir.Tiles:
		out := bodyRefs(s.Body)
		for i := range s.Out {
			out = append(out, ref{&s.Out[i].From, false}, ref{&s.Out[i].To, true})
		}
		return out
	}
	internal("unknown statement %T", s)
	return nil
}

func bodyRefs(body []ir.Stmt) []ref {
	var out []ref
	for _, s := range body {
		out = append(out, refs(s)...)
	}
	return out
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

// touches reports whether a statement reads (or, if write, writes) a buffer.
func touches(s ir.Stmt, buf ir.BufID, write bool) bool {
	return slices.ContainsFunc(refs(s), func(r ref) bool { return *r.buf == buf && r.write == write })
}

// A bufferPool holds, for each kind, the scratch and tile buffers that values share if they are not alive at the same
// time. Their contents are undefined at the start of an entry, so all entries use the same pool.
type bufferPool map[bufferKind][]ir.BufID

// A bufferKind holds the properties that two buffers must have in common so that one can replace the other.
type bufferKind struct {
	space ir.Space
	typ   ir.Type
	size  int
}

func placeOf(b ir.Buffer) bufferKind { return bufferKind{b.Space, b.Type, b.Size} }

// reuse replaces the scratch and tile buffers of an entry by buffers of the pool.
func (p bufferPool) reuse(stmts []ir.Stmt, buffers []ir.Buffer) {
	p.replace(stmts, buffers, func(id ir.BufID) bool {
		return buffers[id].Space == ir.Scratch || buffers[id].Space == ir.Tile
	})
}

// shareTileBuffers lets the tile buffers of a Tiles share memory, except those that are combined after the iterations.
func shareTileBuffers(s *ir.Tiles, buffers []ir.Buffer) {
	bufferPool{}.replace(s.Body, buffers, func(id ir.BufID) bool {
		return buffers[id].Space == ir.Tile &&
			!slices.ContainsFunc(s.Out, func(o ir.TileOut) bool { return o.From == id })
	})
}

// replace replaces the buffers that `some` selects, which must have no use outside the statements.
func (p bufferPool) replace(stmts []ir.Stmt, buffers []ir.Buffer, some func(ir.BufID) bool) {
	last := map[ir.BufID]int{}
	for k, s := range stmts {
		for _, r := range refs(s) {
			last[*r.buf] = k
		}
	}
	free := bufferPool{}
	for n, ids := range p {
		free[n] = slices.Clone(ids)
	}
	now := map[ir.BufID]ir.BufID{}
	for k, s := range stmts {
		var ended []ir.BufID
		for _, r := range refs(s) {
			b := *r.buf
			if !some(b) {
				continue
			}
			if _, ok := now[b]; !ok {
				now[b] = p.take(free, b, placeOf(buffers[b]))
			}
			*r.buf = now[b]
			if last[b] == k && !slices.Contains(ended, now[b]) {
				ended = append(ended, now[b])
			}
		}
		for _, b := range ended {
			at := placeOf(buffers[b])
			free[at] = append(free[at], b)
		}
	}
}

// take returns a free buffer of kind n; if there is none, it adds b to the pool and returns b.
func (p bufferPool) take(free bufferPool, b ir.BufID, n bufferKind) ir.BufID {
	if len(free[n]) == 0 {
		p[n] = append(p[n], b)
		return b
	}
	first := free[n][0]
	free[n] = free[n][1:]
	return first
}

// compact removes the buffers that no statement uses, except those that the host accesses by name, and renumbers the
// others.
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
		if b.Named() || used[ir.BufID(k)] {
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
