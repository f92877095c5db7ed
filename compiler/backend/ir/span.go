package ir

// A Span is the range of elements First ≤ i < End of a buffer.
type Span struct{ First, End int }

func (s Span) with(o Span) Span {
	switch {
	case s == Span{}:
		return o
	case o == Span{}:
		return s
	}
	return Span{min(s.First, o.First), max(s.End, o.End)}
}

// Needed returns the range of elements of each Shared and each Lane buffer that an entry reads if it runs only some
// iterations of each Tiles: `turns` returns the first and one past the last of these. A process that runs a part of the
// iterations then needs only the data of their rows.
func Needed(p *Program, e Entry, turns func(*Tiles) (first, end int)) []Span {
	spans := make([]Span, len(p.Buffers))
	add := func(id BufID, s Span) {
		if space := p.Buffers[id].Space; space == Shared || space == Lane {
			spans[id] = spans[id].with(s)
		}
	}
	for _, s := range e.Body {
		tiles, ok := s.(*Tiles)
		if !ok {
			for _, id := range Reads(s) {
				add(id, Span{0, p.Buffers[id].Size})
			}
			continue
		}
		if first, end := turns(tiles); first < end { // indices are monotone in t, so the ends suffice
			tiles.reads(first, add)
			tiles.reads(end-1, add)
		}
	}
	return spans
}

// Together returns, for each buffer, the smallest span that contains the spans in a and b.
func Together(a, b []Span) []Span {
	all := make([]Span, len(a))
	for i := range a {
		all[i] = a[i].with(b[i])
	}
	return all
}

// reads calls add for each range of elements that iteration t reads.
func (s *Tiles) reads(t int, add func(BufID, Span)) {
	for _, b := range s.Turn(t) {
		switch b := b.(type) {
		case *Kernel:
			for _, in := range b.Body {
				if in.Op == Load {
					lo, hi := in.Index.Span(b.Extents)
					add(in.Buf, Span{lo, hi + 1})
				}
			}
		case *MatMul:
			add(b.A, Span{b.PartA.First, b.PartA.First + b.M*b.K})
			add(b.B, Span{b.PartB.First, b.PartB.First + b.K*b.N})
		}
	}
}
