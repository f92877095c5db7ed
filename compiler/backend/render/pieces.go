package render

import (
	"fmt"
	"slices"

	"ppl/compiler/backend/ir"
)

// A CUDA program divides the statements of an entry into pieces: each Tiles and each large product is one piece, and so
// are the statements between two of them. In an entry by lanes, pieces are parts of one function. In an entry by
// points, each piece is one or more launches (stages): all threads wait for each other between two launches, which they
// cannot do within one.
//
//	p0(c);                                        stage e0_0: p0(c)            of 1 item
//	for (turn…) { p1(c, turn); add its results }  stage e0_1: p1(c, item)      of as many items as turns
//	                                              stage e0_2: add the results  of as many items as results
//	p2(c);                                        stage e0_3: p2(c)            of 1 item
//
// A stage processes each item for each block of lanes.
//
// For layout Apart, a kernel over many points and a recurrence with large statements are pieces as well. The items of a
// kernel are its points, so that neighbouring threads read neighbouring elements. A recurrence has the pieces of one
// iteration, which are launched for one iteration after the other.

// A piece is a Tiles, a large product, a kernel over many points, a recurrence with large statements, or a list of
// other statements. Exactly one field is set.
type piece struct {
	tiles   *ir.Tiles
	product *ir.MatMul
	points  *ir.Kernel
	loop    *ir.Loop
	stmts   []ir.Stmt
}

// sharedWork is the least number of multiplications of a product whose elements are divided among threads.
const sharedWork = 1 << 12

func (f *file) pieces(body []ir.Stmt) (all []piece) {
	for _, s := range body {
		p := f.alone(s)
		if n := len(all); p.stmts != nil && n > 0 && all[n-1].stmts != nil {
			all[n-1].stmts = append(all[n-1].stmts, s)
		} else {
			all = append(all, p)
		}
	}
	return all
}

// alone returns the piece for a single statement.
func (f *file) alone(s ir.Stmt) piece {
	switch s := s.(type) {
	case *ir.Tiles:
		return piece{tiles: s}
	case *ir.MatMul:
		least := sharedWork
		if f.leastShared > 0 {
			least = min(least, f.leastShared)
		}
		if s.M*s.N*s.Batch > 1 && s.M*s.N*s.Batch*s.K >= least {
			return piece{product: s}
		}
	case *ir.Kernel:
		if f.leastShared > 0 && s.Shareable(f.Buffers, f.leastShared) {
			return piece{points: s}
		}
	case *ir.Loop:
		large := func(s ir.Stmt) bool { return f.alone(s).stmts == nil }
		if f.leastShared > 0 && slices.ContainsFunc(s.Body, large) {
			return piece{loop: s}
		}
	}
	return piece{stmts: []ir.Stmt{s}}
}

// body returns the statements of the piece.
func (p piece) body() []ir.Stmt {
	switch {
	case p.tiles != nil:
		return []ir.Stmt{p.tiles}
	case p.product != nil:
		return []ir.Stmt{p.product}
	case p.points != nil:
		return []ir.Stmt{p.points}
	case p.loop != nil:
		return []ir.Stmt{p.loop}
	}
	return p.stmts
}

// groupSize is the number of iteration results that are combined at once: first within each group of that many
// iterations, then over that many groups, and so on.
const groupSize = 64

// levels returns, for each level of combining, the distance in iterations between the results that it combines.
func levels(turns int) (strides []int) {
	for stride := 1; len(strides) == 0 || stride < turns; stride *= groupSize {
		strides = append(strides, stride)
	}
	return strides
}

// slots returns the number of copies of a tile buffer in an entry by lanes: one for the current iteration and, if the
// buffer is combined over iterations, one for each level.
func slots(turns int) int {
	if turns == 0 {
		return 1
	}
	return 1 + len(levels(turns))
}

// byLanes writes the function of an entry that is parallel over lanes.
func (f *file) byLanes(number int, e ir.Entry) {
	var calls []string
	uses := count(e.Body)
	for _, p := range f.pieces(e.Body) {
		if p.tiles != nil {
			calls = append(calls, f.inTurn(p.tiles))
		} else {
			calls = append(calls, f.statements(p.body(), uses)...)
		}
	}
	f.calls(fmt.Sprintf("static void entry%d(const context *c)", number), calls)
}

// inTurn writes the function that runs the iterations of a Tiles one after the other, and returns its call. The result
// of each iteration is added to the sum of its group, that sum to the sum of groups, and so on. An entry that is
// parallel over points adds them in the same order.
func (f *file) inTurn(s *ir.Tiles) (call string) {
	turn := f.turn(s, false)
	strides := levels(s.Turns())
	fn := f.newStatement()
	f.open(fn)
	for _, o := range s.Out {
		f.line("%s *b%d = %s;", f.element(o.From), o.From, f.at(o.From))
		for i := range strides {
			f.clearSlot(o, i+1)
		}
	}
	f.head("for (long turn = 0; turn < %d; turn++) {", s.Turns())
	f.line("%s", turn)
	for i, stride := range strides {
		if i > 0 {
			f.line("if ((turn + 1) %% %d && turn < %d) continue;", stride, s.Turns()-1)
		}
		for _, o := range s.Out {
			f.addSlot(o, i+1)
			if i > 0 {
				f.clearSlot(o, i)
			}
		}
	}
	f.line("}")
	for _, o := range s.Out {
		n := f.Buffers[o.To].Size
		f.line("%s *b%d = %s;", f.element(o.To), o.To, f.at(o.To))
		f.head("for (long e = 0; e < %d; e++) b%d[e] = b%d[%d + e];", n, o.To, o.From, n*len(strides))
	}
	f.line("}")
	return fn.call()
}

func (f *file) clearSlot(o ir.TileOut, slot int) {
	n := f.Buffers[o.From].Size
	f.head("for (long e = 0; e < %d; e++) b%d[%d + e] = %s;", n, o.From, n*slot,
		f.form(o.From).constant(combinations[o.Combine].start))
}

// addSlot combines slot − 1 into slot.
func (f *file) addSlot(o ir.TileOut, slot int) {
	n := f.Buffers[o.From].Size
	at := func(slot int) string { return fmt.Sprintf("b%d[%d + e]", o.From, n*slot) }
	f.head("for (long e = 0; e < %d; e++) %s = %s;", n, at(slot),
		combinations[o.Combine].of(at(slot), at(slot-1), f.form(o.From)))
}
