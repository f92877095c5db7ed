package render

import (
	"fmt"
	"strings"

	"ppl/compiler/backend/ir"
)

// A Stage is one launch of a kernel of a CUDA text. Each of its items is processed for each block of lanes.
type Stage struct {
	Kernel string
	Items  int
	Work   float64 // cost of an item for one lane, in additions
	Turn   int     // iteration of the recurrence that the stage belongs to, otherwise 0
	Free   bool    // its threads use no memory of a warp, so any number of warps can run it
	// the product that the stage computes; nil for other stages
	Product *ir.MatMul
}

// Stages returns, for each entry, the stages that it launches, in order. Only entries that run by points launch them.
func (l Launching) Stages(p *ir.Program) [][]Stage {
	all := make([][]Stage, len(p.Entries))
	f := &file{Program: p, dialect: dialect{division: l.division(p)}}
	for i, e := range p.Entries {
		n := 0
		for _, p := range f.pieces(e.Body) {
			stages := f.stagesOf(p)
			for k := range stages {
				stages[k].Kernel = stageName(i, n)
				n++
			}
			all[i] = append(all[i], p.launches(stages)...)
		}
	}
	return all
}

// launches returns the launches of a piece: its stages, or for a recurrence its stages for each iteration.
func (p piece) launches(stages []Stage) []Stage {
	if p.loop == nil {
		return stages
	}
	var all []Stage
	for turn := range p.loop.N {
		if p.loop.Reverse {
			turn = p.loop.N - 1 - turn
		}
		for _, s := range stages {
			s.Turn = turn
			all = append(all, s)
		}
	}
	return all
}

func stageName(entry, n int) string { return fmt.Sprintf("e%d_%d", entry, n) }

// stagesOf returns the stages of a piece; for a recurrence, those of one iteration.
func (f *file) stagesOf(p piece) []Stage {
	switch {
	case p.loop != nil:
		var all []Stage
		for _, p := range f.pieces(p.loop.Body) {
			all = append(all, f.stagesOf(p)...)
		}
		return all
	case p.points != nil:
		n := items(p.points, p.points.Separate(f.Buffers))
		return []Stage{{Items: n, Work: ir.Work(p.points) / float64(n), Free: true}}
	case p.product != nil:
		n := f.product(p.product).items()
		return []Stage{{Items: n, Work: ir.Work(p.product) / float64(n), Product: p.product, Free: true}}
	case p.tiles != nil:
		all := []Stage{{Items: p.tiles.Turns(), Work: ir.Work(p.tiles) / float64(p.tiles.Turns()),
			Free: f.rowPass(p.tiles) != nil}}
		if n := f.results(p.tiles); n > 0 {
			for _, stride := range levels(p.tiles.Turns()) {
				all = append(all, Stage{Items: n * groups(p.tiles.Turns(), stride), Work: groupSize})
			}
		}
		return all
	}
	return []Stage{{Items: 1, Work: ir.Work(p.stmts...)}}
}

// results returns the number of elements of an iteration that are combined after the iterations.
func (f *file) results(s *ir.Tiles) (n int) {
	for _, o := range s.Out {
		n += f.Buffers[o.From].Size
	}
	return n
}

// groups returns the number of groups in which results are combined; consecutive results are `stride` iterations apart.
func groups(turns, stride int) int { return over(over(turns, stride), groupSize) }

// over returns n/d, rounded up.
func over(n, d int) int { return (n + d - 1) / d }

// stages writes the kernels of an entry by points.
func (f *file) stages(number int, e ir.Entry) {
	uses, n := count(e.Body), 0
	for _, p := range f.pieces(e.Body) {
		calls := f.stageCalls(p, uses)
		for i, s := range f.stagesOf(p) {
			if s.Free && strings.Contains(calls[i], "c->warp") {
				panic("internal error: a free stage has memory of the warp: " + calls[i])
			}
			f.line("STAGE(%s, %d, %s)", stageName(number, n), s.Items, calls[i])
			n++
		}
	}
}

// stageCalls writes the functions of a piece's stages, and returns for each stage the statements that process one item.
func (f *file) stageCalls(p piece, uses map[ir.BufID]int) []string {
	switch {
	case p.loop != nil:
		return f.turnCalls(p.loop)
	case p.points != nil:
		return []string{f.pointsOf(p.points)}
	case p.product != nil:
		return []string{f.sharedProduct(p.product)}
	case p.tiles != nil:
		calls := []string{"const long turn = item; " + f.turn(p.tiles, true)}
		if f.results(p.tiles) > 0 {
			for _, stride := range levels(p.tiles.Turns()) {
				calls = append(calls, f.combineGroup(p.tiles, stride))
			}
		}
		return calls
	}
	all := ""
	for _, call := range f.statements(p.stmts, uses) {
		all += call + " "
	}
	return []string{all}
}

// combineGroup writes the function that combines one element of the results of a group of iterations, and returns its
// call. The combined result replaces that of the group's first iteration; on the last level, it is stored in the buffer
// To.
func (f *file) combineGroup(s *ir.Tiles, stride int) (call string) {
	fn := f.newItem()
	f.open(fn)
	many := over(s.Turns(), stride)
	f.line("const long group = item / %d, turns = %d;", f.results(s), groupSize)
	f.line("const long n = %d - turns * group < turns ? %d - turns * group : turns;", many, many)
	f.line("long e = item %% %d;", f.results(s))
	for _, o := range s.Out {
		size, w, c := f.Buffers[o.From].Size, f.form(o.From), combinations[o.Combine]
		f.line("if (e < %d) {", size)
		f.line("%s *b%d = %s + turns * group * %d + e;", f.element(o.From), o.From, f.at(o.From), stride*size)
		f.line("%s sum = %s;", w.typ(), w.constant(c.start))
		f.line(f.unroll, 8) // several loads can then overlap
		f.line("for (long t = 0; t < n; t++) sum = %s;",
			c.of("sum", fmt.Sprintf("%s(b%d[t * %d])", w.typ(), o.From, stride*size), w))
		if groups(s.Turns(), stride) == 1 {
			f.line("(%s)[e] = sum;", f.at(o.To))
		} else {
			f.line("b%d[0] = sum;", o.From)
		}
		f.line("return;")
		f.line("}")
		f.line("e -= %d;", size)
	}
	f.line("}")
	return fn.call()
}

// newItem returns a function with the parameters item and turn, the iteration of a recurrence.
func (f *file) newItem() *function {
	fn := f.newStatement()
	fn.pass("long item", "item")
	fn.pass("long turn", "turn")
	return fn
}

// turnCalls writes the functions of the stages of one iteration, and returns their calls.
func (f *file) turnCalls(loop *ir.Loop) (calls []string) {
	for _, p := range f.pieces(loop.Body) {
		if p.stmts == nil {
			calls = append(calls, f.stageCalls(p, nil)...)
			continue
		}
		fn := f.newItem()
		f.buffers(fn, p.stmts, nil, noOffset)
		f.open(fn)
		f.body(p.stmts)
		f.line("}")
		calls = append(calls, fn.call())
	}
	return calls
}

// items returns the number of iterations of the `axes` outermost loops groupSize.
func items(k *ir.Kernel, axes int) int {
	n := 1
	for _, e := range k.Extents[:axes] {
		n *= e
	}
	return n
}

// pointsOf writes the function that runs one iteration of the separate loops of a kernel, and returns its call.
func (f *file) pointsOf(in *ir.Kernel) (call string) {
	fn := f.newItem()
	f.buffers(fn, []ir.Stmt{in}, nil, noOffset)
	f.open(fn)
	axes := in.Separate(f.Buffers)
	after := items(in, axes)
	for axis, n := range in.Extents[:axes] {
		after /= n
		f.line("const long i%d = item / %d %% %d;", axis, after, n)
	}
	k := f.begin(in, 0, axes)
	for _, o := range k.outs {
		if o.Combine != ir.Store {
			f.line("b%d[%s] = %s;", o.Buf, k.element(o.Index), k.form(o.Buf).constant(combinations[o.Combine].start))
		}
	}
	k.noiseBlocks()
	k.level(0)
	f.line("}")
	return fn.call()
}

// sharedProduct writes the function that computes a tile of elements of a product, and returns its call.
func (f *file) sharedProduct(s *ir.MatMul) (call string) {
	fn := f.newItem()
	f.buffers(fn, []ir.Stmt{s}, nil, noOffset)
	f.open(fn)
	f.product(s).item()
	f.line("}")
	return fn.call()
}

// item writes the computation of the tile that belongs to an item.
func (p *product) item() {
	rows, cols := p.tileSize()
	down, across := over(p.M, rows), over(p.N, cols)
	p.line("const long n = item / %d, i = item / %d %% %d * %d, j = item %% %d * %d;", down*across, across, down, rows,
		across, cols)
	cut(p.M, rows, func(i0, i1, rows int) {
		cut(p.N, cols, func(j0, j1, cols int) {
			p.line("if (%d <= i && i < %d && %d <= j && j < %d) {", i0, i1, j0, j1)
			if p.blocks {
				p.each(rows, cols, func(r, c int) { p.line("%s = %s;", p.element(r, c), p.form(p.C).constant("0")) })
				p.head("for (long k0 = 0; k0 < %d; k0 += %d) {", p.K, depthBlock)
			}
			p.tile(rows, cols)
			if p.blocks {
				p.line("}")
			}
			p.line("}")
		})
	})
}

// items returns the number of tiles of a product outside Tiles.
func (p *product) items() int {
	rows, cols := p.tileSize()
	return p.Batch * over(p.M, rows) * over(p.N, cols)
}
