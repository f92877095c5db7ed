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
	case *ir.Loop:
		var out []ref
		for _, s := range s.Body {
			out = append(out, refs(s)...)
		}
		return out
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
