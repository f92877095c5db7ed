package ir

// Reads lists the buffers that a statement reads, in order, with repetitions.
func Reads(s Stmt) []BufID {
	switch s := s.(type) {
	case *Kernel:
		var ids []BufID
		for i := range s.Body {
			if s.Body[i].Op == Load {
				ids = append(ids, s.Body[i].Buf)
			}
		}
		return ids
	case *MatMul:
		return []BufID{s.A, s.B}
	case *CumSum:
		return []BufID{s.In}
	case *Cholesky:
		return []BufID{s.In}
	case *Eigen:
		return []BufID{s.In}
	case *TriSolve:
		return []BufID{s.L, s.B}
	case *CholeskyPull:
		return []BufID{s.L, s.Bar}
	case *Peer:
		ids := []BufID{s.Key, s.Want}
		for _, c := range s.Copies {
			ids = append(ids, c.From)
		}
		return ids
	case *Loop:
		return each(s.Body, Reads)
	case *Tiles:
		ids := each(s.Body, Reads)
		for _, o := range s.Out {
			ids = append(ids, o.From)
		}
		return ids
	}
	panic("ir: unknown statement")
}

// Writes lists the buffers that a statement writes, in order, with repetitions.
func Writes(s Stmt) []BufID {
	switch s := s.(type) {
	case *Kernel:
		ids := make([]BufID, len(s.Out))
		for i, o := range s.Out {
			ids[i] = o.Buf
		}
		return ids
	case *MatMul:
		return []BufID{s.C}
	case *CumSum:
		return []BufID{s.Out}
	case *Cholesky:
		return []BufID{s.Out}
	case *Eigen:
		return []BufID{s.Out}
	case *TriSolve:
		return []BufID{s.Out}
	case *CholeskyPull:
		return []BufID{s.Out}
	case *Peer:
		ids := make([]BufID, len(s.Copies))
		for i, c := range s.Copies {
			ids[i] = c.To
		}
		return ids
	case *Loop:
		return each(s.Body, Writes)
	case *Tiles:
		ids := each(s.Body, Writes)
		for _, o := range s.Out {
			ids = append(ids, o.To)
		}
		return ids
	}
	panic("ir: unknown statement")
}

func each(body []Stmt, uses func(Stmt) []BufID) []BufID {
	var ids []BufID
	for _, s := range body {
		ids = append(ids, uses(s)...)
	}
	return ids
}
