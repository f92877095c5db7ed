package evaluate

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
)

// The time of a group of arrays that read each other's past is divided into segments, in each of which the same pieces
// are computed at every step. Each segment is one scan, whose carry holds the rows that later steps read.
//
//	u[1] = a                        t = 1        one step: u's first piece
//	u[t in 2..3] = b * u[t-1]       t = 2..3     a scan that carries u[t-1]
//	v[t in 4..T] = u[t-1] + v[t-1]  t = 4..T     a scan of u and v; v before 4 is known
//	u[t in 4..T] = v[t]             …            in the order v, u, since u reads v at the same time

// run computes the series, segment by segment.
func (s *Series) run() {
	segments := s.Segments()
	if len(segments) == 0 {
		return
	}
	for _, m := range s.members {
		if m.inFull {
			s.e.warnPast(m)
		}
	}
	carry := s.Begin(segments)
	for _, b := range segments {
		carry = s.segment(b, carry)
	}
}

// Begin enters the pieces whose values are known, and returns the carry before the first segment.
func (s *Series) Begin(segments []Box) Node {
	first, last := segments[0], segments[len(segments)-1]
	for _, m := range s.members {
		s.base(m, Box{min(first.Lo, last.Lo), max(first.Hi, last.Hi)})
	}
	s.findOuter()
	var rows []Node
	for _, m := range s.members {
		rows = append(rows, s.before(m, first))
	}
	return s.pack(rows)
}

// Segments divides the time of all pieces where one starts or ends. The segments are in the order of the steps.
func (s *Series) Segments() (out []Box) {
	var cuts []int
	for _, m := range s.members {
		for _, v := range m.moves {
			if v.steps.Size() > 0 {
				cuts = append(cuts, v.steps.Lo, v.steps.Hi+1)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for k := 1; k < len(cuts); k++ {
		out = append(out, Box{cuts[k-1], cuts[k] - 1})
	}
	if s.Back {
		slices.Reverse(out)
	}
	return out
}

// base enters the pieces whose values are known without the series, if the series may read them.
func (s *Series) base(m *member, times Box) {
	first, last := times.Lo-m.rows, times.Hi+m.rows
	for _, q := range m.array.Pieces {
		if slices.ContainsFunc(m.moves, func(v *scanned) bool { return v.piece == q }) {
			continue
		}
		b := s.e.Box(q.Slots[m.axis].Set())
		if b.Size() == 0 || !m.inFull && (b.Hi < first || b.Lo > last) {
			continue
		}
		w := s.e.PieceOverAxes(m.array, q)
		n := frontAxis(w.Node, len(w.Bound), m.axis)
		m.known = append(m.known, part{b, s.widened(m, q, n, len(w.Bound)+1), w.Bound})
	}
}

// widened pads a piece's rows with zeros to the member's other axes, which start at axis `lead`.
func (s *Series) widened(m *member, p *model.Piece, n Node, lead int) Node {
	before, after := make([]int, n.Rank()), make([]int, n.Rank())
	at := lead
	for k, slot := range p.Slots {
		if k != m.axis {
			all, part := s.e.Box(m.array.Type.Axes[k]), s.e.Box(slot.Set())
			before[at], after[at] = part.Lo-all.Lo, all.Hi-part.Hi
			at++
		}
	}
	if isZero(before) && isZero(after) {
		return n
	}
	return autodiff.Pad(n, before, after)
}

func isZero(n []int) bool { return !slices.ContainsFunc(n, func(k int) bool { return k != 0 }) }

func (s *Series) findOuter() {
	var all []Value
	var inside []*model.Index
	for _, m := range s.members {
		for _, p := range m.known {
			all = append(all, Value{Bound: p.own})
		}
		for _, v := range m.moves {
			inside = slices.Concat(inside, v.piece.Plates, boundInside(v.roots))
			for _, in := range v.inputs {
				all = append(all, in.v)
			}
		}
	}
	s.outer = slices.DeleteFunc(Union(all...), func(i *model.Index) bool { return slices.Contains(inside, i) })
}

// frontBound moves a bound axis to the front.
func frontBound(v Value, i *model.Index) Node {
	at := slices.Index(v.Bound, i)
	return autodiff.Permute(v.Node, append([]int{at}, AxesBut(v.Rank(), at)...)...)
}

// frontAxis moves own axis k (after b bound axes) to the front of the own axes.
func frontAxis(n Node, b, k int) Node {
	perm := make([]int, 0, n.Rank())
	for i := range b {
		perm = append(perm, i)
	}
	perm = append(perm, b+k)
	for i := b; i < n.Rank(); i++ {
		if i != b+k {
			perm = append(perm, i)
		}
	}
	return autodiff.Permute(n, perm...)
}

// rowsOf returns rows of a member with shape [outer…, rows, rest…]; elements that are not known are 0.
func (s *Series) rowsOf(m *member, rows Box) Node {
	e, b := s.e, len(s.outer)
	sum := e.Graph.Full(0, slices.Concat(e.Shape(s.outer, nil), []int{rows.Size()}, e.Shape(nil, m.rest))...)
	for _, p := range m.knownIn(rows) {
		lo, hi := max(p.rows.Lo, rows.Lo), min(p.rows.Hi, rows.Hi)
		n := SliceAxis(s.spread(p), b, lo-p.rows.Lo, hi-p.rows.Lo+1)
		before, after := make([]int, n.Rank()), make([]int, n.Rank())
		before[b], after[b] = lo-rows.Lo, rows.Hi-hi
		sum = autodiff.Add(sum, autodiff.Pad(n, before, after))
	}
	return sum
}

// knownIn returns the known parts that overlap some rows.
func (m *member) knownIn(rows Box) (out []part) {
	for _, p := range m.known {
		if p.rows.Lo <= rows.Hi && rows.Lo <= p.rows.Hi {
			out = append(out, p)
		}
	}
	return out
}

// spread broadcasts a part over all outer axes.
func (s *Series) spread(p part) Node {
	if slices.Equal(p.own, s.outer) {
		return p.node
	}
	var to []int
	for _, i := range p.own {
		to = append(to, slices.Index(s.outer, i))
	}
	own := p.node.Shape()[len(p.own):]
	for k := range own {
		to = append(to, len(s.outer)+k)
	}
	return autodiff.Broadcast(p.node, slices.Concat(s.e.Shape(s.outer, nil), own), to)
}

// before returns the rows of a member that the first step of a segment reads, the newest last.
func (s *Series) before(m *member, segment Box) Node {
	switch {
	case m.inFull:
		return s.rowsOf(m, m.box)
	case !s.Back:
		return s.rowsOf(m, Box{segment.Lo - m.rows, segment.Lo - 1})
	}
	ahead := s.rowsOf(m, Box{segment.Hi + 1, segment.Hi + m.rows})
	rows := make([]Node, m.rows)
	for k := range rows {
		rows[k] = SliceAxis(ahead, len(s.outer), m.rows-1-k, m.rows-k)
	}
	return autodiff.Concat(len(s.outer), rows...)
}

// active returns the pieces that compute a member's values in a segment.
func (m *member) active(segment Box) (out []*scanned) {
	for _, v := range m.moves {
		if v.steps.Lo <= segment.Lo && segment.Hi <= v.steps.Hi {
			out = append(out, v)
		}
	}
	return out
}

// hasKnown reports whether some values of a member are known in a segment. If no piece computes the member there, all
// are known.
func (m *member) hasKnown(segment Box) bool {
	return len(m.active(segment)) == 0 || len(m.knownIn(segment)) > 0
}

// segment runs one scan. It takes the carry before the segment and returns the carry after it.
func (s *Series) segment(b Box, carry Node) Node {
	xs, shared := s.Reads(b)
	all := autodiff.Scan(carry, xs, shared, s.Back, func(carry Node, x, sh []Node) Node {
		return s.Step(b, carry, x, sh)
	})
	s.storeRows(b, all)
	return autodiff.Reshape(s.final(all), carry.Shape()...)
}

// final returns the carry after the last step.
func (s *Series) final(all Node) Node {
	if s.Back {
		return SliceAxis(all, 0, 0, 1)
	}
	return SliceAxis(all, 0, all.Shape()[0]-1, all.Shape()[0])
}

// Reads returns the values that steps read in addition to the carry. xs are sliced along the first axis, one slice per
// step; the time is the first of them. shared is the same for all steps; the noise is last.
func (s *Series) Reads(b Box) (xs, shared []Node) {
	xs = []Node{autodiff.Add(s.e.Graph.Iota(b.Size()), s.e.Graph.Const(float64(b.Lo)))}
	for _, m := range s.members {
		if m.hasKnown(b) { // axes: t, outer, rest
			xs = append(xs, frontAxis(s.rowsOf(m, b), 0, len(s.outer)))
		}
		for _, v := range m.active(b) {
			for _, in := range v.inputs {
				if in.walk {
					xs = append(xs, SliceAxis(frontBound(in.v, v.t), 0, b.Lo-v.steps.Lo, b.Hi-v.steps.Lo+1))
				} else {
					shared = append(shared, in.v.Node)
				}
			}
		}
	}
	return xs, append(shared, s.e.Noise.inputs()...)
}

// stepNumber returns the number of a step, counted from 0 at the first element of the axis along which the members
// recur.
func (s *Series) stepNumber(t Node) Node {
	first := s.members[0].box.Lo
	for _, m := range s.members {
		first = min(first, m.box.Lo)
	}
	return autodiff.Sub(t, t.Graph().Const(float64(first)))
}

// pack returns the rows of all members as one carry: unchanged for one member, otherwise flattened and concatenated.
func (s *Series) pack(rows []Node) Node {
	if len(rows) == 1 {
		return rows[0]
	}
	flat := make([]Node, len(rows))
	for k, n := range rows {
		outer := n.Shape()[:len(s.outer)]
		flat[k] = autodiff.Reshape(n, append(slices.Clone(outer), Product(n.Shape()[len(s.outer):]))...)
	}
	return autodiff.Concat(len(s.outer), flat...)
}

// unpack is the inverse of pack; lead is the number of axes before the outer axes.
func (s *Series) unpack(carry Node, lead int) (rows []Node) {
	if len(s.members) == 1 {
		return []Node{carry}
	}
	at, axis := 0, lead+len(s.outer)
	for _, m := range s.members {
		own := append([]int{m.rows}, s.e.Shape(nil, m.rest)...)
		n := SliceAxis(carry, axis, at, at+Product(own))
		rows = append(rows, autodiff.Reshape(n, slices.Concat(carry.Shape()[:axis], own)...))
		at += Product(own)
	}
	return rows
}
