package lower

import (
	"slices"

	"ppl/compiler/backend/ir"
)

// A Grain determines how finely statements are divided for a device that runs all iterations of a Tiles at the same
// time, such as a GPU. Costs are in additions.
type Grain struct {
	Turn  float64 // least cost of an iteration
	Least float64 // least cost of statements that are divided
	Turns int     // largest number of iterations
	// Shared is the least number of points of a kernel that is not divided in a program of layout Apart: the device
	// divides its points among threads, so that neighbouring threads read neighbouring elements.
	Shared int
}

// Spread rewrites a program so that its work over many points is in Tiles of many iterations: existing Tiles are
// divided more finely, and statements that were not worth dividing for a CPU are gathered into further Tiles. Results
// change only by rounding, since the order of sums differs.
func Spread(p *ir.Program, grain Grain) *ir.Program {
	prog := &program{layout: p.Layout, buffers: slices.Clone(p.Buffers)}
	out := *p
	out.Entries = make([]ir.Entry, len(p.Entries))
	for i, e := range p.Entries {
		out.Entries[i] = ir.Entry{Name: e.Name, Still: e.Still, Body: prog.spread(e.Body, grain)}
	}
	out.Buffers = prog.buffers
	forgetUnused(&out)
	return &out
}

// spread rewrites the statements of an entry.
func (prog *program) spread(body []ir.Stmt, grain Grain) []ir.Stmt {
	var stmts []ir.Stmt
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Tiles:
			stmts = append(stmts, prog.sharing(prog.untiled(s), grain)...)
		case *ir.Kernel:
			if prog.undivided(outputLoopsFirst(s), grain) {
				stmts = append(stmts, outputLoopsFirst(s))
			} else {
				stmts = append(stmts, inRows(s))
			}
		case *ir.Loop:
			stmts = append(stmts, &ir.Loop{N: s.N, Reverse: s.Reverse, Body: prog.sharing(s.Body, grain)})
		default:
			stmts = append(stmts, s)
		}
	}
	t := prog.newTiler(stmts, 2)
	t.size = func(r *region) (int, bool) { return grain.size(r) }
	t.skip = func(s ir.Stmt) bool { return prog.undivided(s, grain) }
	return t.statements(stmts)
}

// sharing returns the statements. In the kernels whose points the device divides, the loops are reordered.
func (prog *program) sharing(body []ir.Stmt, grain Grain) []ir.Stmt {
	body = slices.Clone(body)
	for i, s := range body {
		if k, ok := s.(*ir.Kernel); ok && prog.undivided(outputLoopsFirst(k), grain) {
			body[i] = outputLoopsFirst(k)
		}
	}
	return body
}

// undivided reports whether a statement is not divided into rows because the device instead divides the points of the
// kernel or the elements of the product.
func (prog *program) undivided(s ir.Stmt, grain Grain) bool {
	switch s := s.(type) {
	case *ir.Kernel:
		return prog.layout == ir.Apart && s.Shareable(prog.buffers, grain.Shared)
	case *ir.MatMul:
		return prog.layout == ir.Apart && s.M*s.K*s.N >= apartWork || s.Rows == ir.DimM && s.K*s.N > mostOfRow
	}
	return false
}

// outputLoopsFirst returns a kernel with its loops reordered: the loops on which the indices of all combined outputs
// depend come first. A kernel with noise is returned unchanged, because its noise depends on the order of points.
func outputLoopsFirst(k *ir.Kernel) *ir.Kernel {
	if hasNoise(k) {
		return k
	}
	moved := 0
	for axis := len(k.Extents) - 1; axis >= 0; axis-- {
		at := axis + moved // the loops that were moved are before it
		if !slices.ContainsFunc(k.Out, func(o ir.Output) bool {
			return o.Combine != ir.Store && (o.Index.Stride == nil || o.Index.Stride[at] == 0)
		}) {
			k = withOutermost(k, at)
			moved++
		}
	}
	return k
}

// mostOfRow is the largest number of multiplications per row of a product that is divided into rows. For larger
// products the device divides the elements of rows as well.
const mostOfRow = 2048

// Cost of combining the results of an iteration, in additions per element, and the largest number of elements that are
// kept for combining, over all iterations.
const (
	resultCost  = 8
	mostResults = 1 << 18
)

// size returns the number of rows of an iteration; ok is false if the region is not worth dividing.
func (g Grain) size(r *region) (size int, ok bool) {
	if len(r.body) == 0 || r.cost*float64(r.rows) < g.Least {
		return 0, false
	}
	size = max(1, int(g.Turn/r.cost), int(resultCost*float64(r.partials)/r.cost), over(r.rows, g.Turns),
		over(r.rows*r.partials, mostResults))
	return over(r.rows, over(r.rows, size)), size < r.rows
}

// over returns n/d, rounded up.
func over(n, d int) int { return (n + d - 1) / d }

// forgetUnused sets the size of scratch and tile buffers that no statement uses to 0.
func forgetUnused(p *ir.Program) {
	uses := map[ir.BufID]int{}
	for _, e := range p.Entries {
		countUses(e.Body, uses)
	}
	for i, b := range p.Buffers {
		if (b.Space == ir.Scratch || b.Space == ir.Tile) && uses[ir.BufID(i)] == 0 {
			p.Buffers[i].Size = 0
		}
	}
}

// untiled returns the statements of a Tiles over all its rows at once. If they do not have the form that this package
// generates, it returns the Tiles with separate buffers.
func (prog *program) untiled(s *ir.Tiles) []ir.Stmt {
	u := &joiner{prog: prog, tiles: s, to: map[ir.BufID]ir.BufID{}}
	for _, o := range s.Out {
		u.to[o.From] = o.To
	}
	known := len(prog.buffers)
	var stmts []ir.Stmt
	for _, b := range s.With(s.Size) {
		if !u.statement(b) {
			prog.buffers = prog.buffers[:known]
			return []ir.Stmt{prog.withSeparateBuffers(s)}
		}
		stmts = append(stmts, b)
	}
	return stmts
}

// withSeparateBuffers returns the Tiles with tile buffers that no other Tiles uses.
func (prog *program) withSeparateBuffers(s *ir.Tiles) *ir.Tiles {
	out := &ir.Tiles{Rows: s.Rows, Size: s.Size, Body: s.With(s.Size), Out: slices.Clone(s.Out)}
	separate := map[ir.BufID]ir.BufID{}
	for _, r := range refs(out) {
		if b := prog.buffers[*r.buf]; b.Space == ir.Tile {
			if _, ok := separate[*r.buf]; !ok {
				separate[*r.buf] = prog.add(b)
			}
			*r.buf = separate[*r.buf]
		}
	}
	return out
}

// A joiner rewrites copies of the statements of a Tiles as statements over all rows, in place.
type joiner struct {
	prog  *program
	tiles *ir.Tiles
	to    map[ir.BufID]ir.BufID // maps a tile buffer to the buffer that replaces it
}

func (u *joiner) statement(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.Kernel:
		return u.kernel(s)
	case *ir.MatMul:
		return u.product(s)
	}
	return false
}

func (u *joiner) kernel(k *ir.Kernel) bool {
	for r := range k.Body {
		switch in := &k.Body[r]; {
		case in.Op == ir.Counter && in.Axis == 0 && in.Index.Step == u.tiles.Size,
			isNoise(in.Op) && in.Index.Step == k.Points():
			in.Index.Step = 0
		case in.Op == ir.Load:
			if u.isReduced(in.Buf) || !u.index(k, &in.Buf, &in.Index) {
				return false
			}
		case in.Index.Step != 0 || isNoise(in.Op) || in.Op == ir.Counter && in.Axis == 0: // uses its iteration's number
			return false
		}
	}
	for i := range k.Out {
		o := &k.Out[i]
		if u.isReduced(o.Buf) && o.Combine != u.combine(o.Buf) || !u.index(k, &o.Buf, &o.Index) {
			return false
		}
	}
	k.Extents[0] = u.tiles.Rows
	return true
}

func isNoise(op ir.Op) bool { return op == ir.Normal || op == ir.Uniform }

// isReduced reports whether a buffer is combined after the iterations.
func (u *joiner) isReduced(id ir.BufID) bool {
	return slices.ContainsFunc(u.tiles.Out, func(o ir.TileOut) bool { return o.From == id })
}

func (u *joiner) combine(id ir.BufID) ir.Combine {
	return u.tiles.Out[slices.IndexFunc(u.tiles.Out, func(o ir.TileOut) bool { return o.From == id })].Combine
}

// index rewrites an index that moves with the rows.
func (u *joiner) index(k *ir.Kernel, id *ir.BufID, ix *ir.Index) bool {
	width := 0
	if ix.Stride != nil {
		width = ix.Stride[0]
	}
	lo, hi := ix.Span(append([]int{1}, k.Extents[1:]...))
	ok := u.rows(id, width, lo, hi, ix.Step)
	ix.Step = 0
	return ok
}

// rows replaces a buffer in which each row uses elements lo … hi of width elements, and reports whether that is
// possible; step is the distance from one iteration to the next. A row of a tile buffer must not use elements of
// another row.
func (u *joiner) rows(id *ir.BufID, width, lo, hi, step int) bool {
	b := u.prog.buffers[*id]
	switch {
	case b.Space != ir.Tile:
		return step == width*u.tiles.Size
	case u.isReduced(*id):
		*id = u.to[*id]
		return width == 0 && step == 0
	case step != 0 || width < 1 || b.Size != width*u.tiles.Size || lo < 0 || hi >= width:
		return false
	}
	whole, ok := u.to[*id]
	if !ok {
		whole = u.prog.buffer(ir.Scratch, b.Type, width*u.tiles.Rows)
		u.to[*id] = whole
	}
	*id = whole
	return true
}

func (u *joiner) product(s *ir.MatMul) bool {
	part := func(id *ir.BufID, p *ir.Part, width int) bool {
		step := p.Step
		p.Step = 0
		return u.rows(id, width, p.First, p.First+width-1, step)
	}
	whole := func(p ir.Part) bool { return p.Step == 0 }
	if u.isReduced(s.A) || u.isReduced(s.B) {
		return false
	}
	each, rows := s.RowsOf(1), s.Rows
	s.Rows, s.Each = ir.NoDim, 0
	if rows == ir.DimM {
		s.M = each * u.tiles.Rows
		return !u.isReduced(s.C) && u.prog.buffers[s.B].Space != ir.Tile && part(&s.A, &s.PartA, each*s.K) &&
			whole(s.PartB) && part(&s.C, &s.PartC, each*s.N)
	}
	s.K = each * u.tiles.Rows
	ok := u.isReduced(s.C) && u.combine(s.C) == ir.Sum && u.prog.buffers[s.C].Size == s.M*s.N && whole(s.PartC)
	s.C = u.to[s.C]
	return ok && part(&s.A, &s.PartA, each*s.M) && part(&s.B, &s.PartB, each*s.N)
}
