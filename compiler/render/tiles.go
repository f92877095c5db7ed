package render

import (
	"fmt"

	"ppl/compiler/ir"
)

// A Part is what one call of an entry's execution does: statements one after the other, or, where Turns is not 0, a Tiles, whose turns may
// run at once.
type Part struct{ Turns int }

// Parts are the parts of each entry in order, which are numbered through all entries: statements and Tiles by turns, statements
// first and last, though there may be none.
func Parts(p *ir.Program) [][]Part {
	all := make([][]Part, len(p.Entries))
	for i, e := range p.Entries {
		all[i] = []Part{{}}
		for _, s := range e.Body {
			if s, ok := s.(*ir.Tiles); ok {
				all[i] = append(all[i], Part{s.Turns()}, Part{})
			}
		}
	}
	return all
}

// Left is by buffer how many turns leave one, 0 where none does. Of a buffer that turns leave each turn has its own, one after the
// other in memory.
func Left(p *ir.Program) []int {
	n := make([]int, len(p.Buffers))
	for _, e := range p.Entries {
		for _, s := range e.Body {
			if s, ok := s.(*ir.Tiles); ok {
				for _, o := range s.Out {
					n[o.From] = max(n[o.From], s.Turns())
				}
			}
		}
	}
	return n
}

// entry writes the functions of an entry's parts, and one that calls them in order.
func (f *file) entry(number int, e ir.Entry) {
	var calls []string
	var run []int
	var pending []ir.Stmt
	uses := count(e.Body)
	serial := func() {
		run = append(run, f.statements(pending, uses)...)
		calls = append(calls, fmt.Sprintf("p%d(c);", f.parts))
		f.function(fmt.Sprintf("static void p%d(const context *c)", f.parts), run)
		f.parts++
		f.turned = append(f.turned, false)
		run, pending = nil, nil
	}
	for _, s := range e.Body {
		t, ok := s.(*ir.Tiles)
		if !ok {
			pending = append(pending, s)
			continue
		}
		serial()
		calls = append(calls, fmt.Sprintf("for (long turn = 0; turn < %d; turn++) p%d(c, turn);", t.Turns(), f.parts))
		f.turn(t)
		run = append(run, f.combineTurns(t))
	}
	serial()
	f.line("static void entry%d(const context *c) {", number)
	for _, c := range calls {
		f.line("%s", c)
	}
	f.line("}")
}

// turn writes the part that is one turn of a Tiles.
func (f *file) turn(s *ir.Tiles) {
	left := map[ir.BufID]bool{}
	for _, o := range s.Out {
		left[o.From] = true
	}
	f.line("STATEMENT p%d(const context *c, long turn) {", f.parts)
	f.buffers(s.Body, nil, func(id ir.BufID) string {
		if left[id] {
			return fmt.Sprintf(" + turn * %d", f.Buffers[id].Size)
		}
		return ""
	})
	last := s.Turns() - 1
	f.line("const long rows = turn < %d ? %d : %d;", last, s.Size, s.RowsIn(last))
	f.tiles = s
	for _, b := range s.Body {
		f.line("{")
		f.statement(b)
		f.narrow(b)
		f.line("}")
	}
	f.tiles = nil
	f.line("}")
	f.parts++
	f.turned = append(f.turned, true)
}

// combineTurns writes the statement that combines what turns leave, in their order.
func (f *file) combineTurns(s *ir.Tiles) int {
	f.line("STATEMENT s%d(const context *c) {", f.count)
	for _, o := range s.Out {
		c, n := combinations[o.Combine], f.Buffers[o.To].Size
		f.line("{")
		w := f.form(o.To)
		f.line("%s *restrict to = (%s *)c->buffer[%d];", w.typ(), w.typ(), o.To)
		f.line("const %s *restrict from = (%s *)c->buffer[%d];", w.typ(), w.typ(), o.From)
		f.line("for (long e = 0; e < %d; e++) to[e] = %s;", n, w.constant(c.start))
		f.loop("t", s.Turns())
		f.line("for (long e = 0; e < %d; e++) to[e] = %s;", n, c.of("to[e]", fmt.Sprintf("from[t * %d + e]", n), w))
		f.ends(2)
	}
	f.line("}")
	f.count++
	return f.count - 1
}

// part runs a part by number; of a Tiles the turns that the context says.
func (f *file) part() {
	f.line("%s void part(context *c) {", f.export)
	f.line("switch (c->part) {")
	for i, turned := range f.turned {
		if turned {
			f.line("case %d: p%d(c, c->turn); break;", i, i)
		} else {
			f.line("case %d: p%d(c); break;", i, i)
		}
	}
	f.line("}")
	f.line("}")
}
