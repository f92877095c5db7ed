package render

import (
	"fmt"
	"strings"

	"ppl/compiler/backend/ir"
)

// A Part is the part of an entry that one call runs: several statements if Turns is 0, otherwise a Tiles with that
// number of iterations, which may run at the same time. Left lists the buffers whose copies hold all results of an
// iteration, to be combined later. It is nil if iterations also write buffers that are not of space Tile, such as a
// number for each row. Work is the estimated arithmetic of a Tiles for one lane, in additions (ir.Work).
type Part struct {
	Turns int
	Left  []ir.BufID
	Work  float64
}

// Parts returns the parts of each entry in order, numbered through all entries. Statements and Tiles alternate; the
// first and the last part of an entry are statements, possibly none.
func Parts(p *ir.Program) [][]Part {
	all := make([][]Part, len(p.Entries))
	for i, e := range p.Entries {
		all[i] = []Part{{}}
		for _, s := range e.Body {
			if s, ok := s.(*ir.Tiles); ok {
				all[i] = append(all[i], Part{s.Turns(), Left(p, s), ir.Work(s)}, Part{})
			}
		}
	}
	return all
}

// Left returns the tile buffers that hold all results of an iteration. It returns nil if iterations also write buffers
// of other spaces.
func Left(p *ir.Program, s *ir.Tiles) (ids []ir.BufID) {
	for _, b := range s.Body {
		for _, id := range ir.Writes(b) {
			if p.Buffers[id].Space != ir.Tile {
				return nil
			}
		}
	}
	for _, o := range s.Out {
		ids = append(ids, o.From)
	}
	return ids
}

// TileResults returns, for each buffer, the number of iterations that keep a copy of it to be combined; 0 for other
// buffers. The copies are contiguous in memory.
func TileResults(p *ir.Program) []int {
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

// entry writes the functions of an entry's parts, and a function that calls them in order.
func (f *file) entry(number int, e ir.Entry) {
	var calls, run []string
	var pending []ir.Stmt
	uses := count(e.Body)
	serial := func() {
		run = append(run, f.statements(pending, uses)...)
		call := fmt.Sprintf("p%d(c);", len(f.parts))
		f.calls(fmt.Sprintf("static void p%d(const context *c)", len(f.parts)), run)
		calls, f.parts = append(calls, call), append(f.parts, call)
		run, pending = nil, nil
	}
	for _, s := range e.Body {
		t, ok := s.(*ir.Tiles)
		if !ok {
			pending = append(pending, s)
			continue
		}
		serial()
		call := f.turn(t, true)
		calls = append(calls, fmt.Sprintf("%sfor (long turn = 0; turn < %d; turn++) %s", f.rolled, t.Turns(), call))
		run = append(run, f.combineTurns(t))
	}
	serial()
	f.calls(fmt.Sprintf("static void entry%d(const context *c)", number), calls)
}

// turn writes the function of one iteration of a Tiles, and returns its call. If `kept`, each iteration has its own
// copy of the buffers that are combined.
func (f *file) turn(s *ir.Tiles, kept bool) (call string) {
	left := map[ir.BufID]bool{}
	for _, o := range s.Out {
		left[o.From] = kept
	}
	from := func(id ir.BufID) string {
		if left[id] {
			return fmt.Sprintf(" + turn * %d", f.Buffers[id].Size)
		}
		return ""
	}
	fn := newFunction(fmt.Sprint("p", len(f.parts)))
	fn.pass("long turn", "turn")
	if f.Layout == ir.Apart {
		f.calls(fmt.Sprintf("static void %s(%s)", fn.name, strings.Join(fn.params, ", ")), f.stepsOf(s, from))
	} else {
		pass := f.rowPass(s)
		f.buffers(fn, s.Body, pass.numbers(), from)
		f.open(fn)
		f.insideTurn(s, func() {
			if pass != nil {
				pass.run()
			} else {
				f.body(s.Body)
			}
		})
		f.line("}")
	}
	f.parts = append(f.parts, fn.call())
	return fn.call()
}

// stepsOf writes a function for each statement of an iteration, and returns their calls. For networks an iteration
// includes the entire computation for an image, and compile time grows faster than the length of a function.
func (f *file) stepsOf(s *ir.Tiles, from func(ir.BufID) string) (calls []string) {
	for k := range s.Body {
		fn := f.newStatement()
		fn.pass("long turn", "turn")
		f.buffers(fn, s.Body[k:k+1], nil, from)
		f.once(fn, func() { f.insideTurn(s, func() { f.body(s.Body[k : k+1]) }) })
		calls = append(calls, fn.call())
	}
	return calls
}

// insideTurn writes statements of an iteration of a Tiles.
func (f *file) insideTurn(s *ir.Tiles, statements func()) {
	last := s.Turns() - 1
	f.line("const long rows = turn < %d ? %d : %d;", last, s.Size, s.RowsIn(last))
	f.tiles = s
	statements()
	f.tiles = nil
}

// combineTurns writes the function that combines the results of iterations in order, and returns its call.
func (f *file) combineTurns(s *ir.Tiles) (call string) {
	fn := f.newStatement()
	f.open(fn)
	for _, o := range s.Out {
		c, n := combinations[o.Combine], f.Buffers[o.To].Size
		f.line("{")
		w := f.form(o.To)
		f.line("%s *restrict to = %s;", f.memory(w), f.at(o.To))
		f.line("const %s *restrict from = %s;", f.memory(w), f.at(o.From))
		f.head("for (long e = 0; e < %d; e++) to[e] = %s;", n, w.constant(c.start))
		f.loop("t", s.Turns())
		f.head("for (long e = 0; e < %d; e++) to[e] = %s;", n, c.of("to[e]", fmt.Sprintf("from[t * %d + e]", n), w))
		f.ends(2)
	}
	f.line("}")
	return fn.call()
}

// part writes the function that runs a part by number; if the part is a Tiles, it runs the iteration given in the
// context.
func (f *file) part() {
	f.line("%s void part(context *c) {", f.export)
	f.line("place(c, %s);", f.lanes())
	f.line("const long turn = c->turn;")
	f.line("switch (c->part) {")
	for i, call := range f.parts {
		f.line("case %d: %s break;", i, call)
	}
	f.line("}")
	f.line("}")
}
