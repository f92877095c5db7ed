package lower

import (
	"slices"

	"ppl/compiler/backend/ir"
)

// Statements over many rows of data are gathered into Tiles, which run all of them on a few hundred rows at a time. For
//
//	for i < N { e[i] = exp(x[i]·b) }                     tiles of 512 rows {
//	for i < N { add total e[i] }              becomes        for i < 512 { t[i] = exp(x[i]·b) }
//	for i < N { add grad e[i]·x[i] }                         for i < 512 { add s[0] t[i]; add s[1] t[i]·x[i] }
//	                                                     } then s is added to total and grad, tile by tile, in order
//
// So intermediate results stay in cache and need no memory in proportion to the data, and tiles can run on several
// threads. A statement joins those before it if, in every buffer that one of them writes, no two rows use the same
// element. Each tile keeps its own partial results of values that are combined over rows.

// Sizes of tiles.
const (
	tileWork    = 1 << 16 // operations per lane in a tile
	minTile     = 64      // least rows of a tile
	minApart    = 2048    // least rows of a tile for layout Apart: products are fastest in one piece
	maxTile     = 4096
	maxPartials = 1 << 17 // largest number of elements, over all tiles, that are kept to be combined
	// largest number of kept elements, and least costs of a row and of a tile, if a row comprises several rows of a
	// product
	maxImagePartials = 1 << 24
	imageWork        = 1 << 16
	imageTile        = 1 << 22
	partialWork      = 96 // eight times the cost of clearing, keeping and adding one element of a tile's results
)

// A tiler divides the statements of one entry into tiles.
type tiler struct {
	prog *program
	uses map[ir.BufID]int // maps a buffer to its number of uses in the entire entry
	cost [ir.Ops]float64  // cost of each op, in additions
	min  int              // least rows of a tile
	// number of rows such that each may comprise several rows of a product, as for images; 0: no such rows
	images int
	// returns the number of rows in a tile of a region; ok is false if the region is not worth tiling
	size func(*region) (size int, ok bool)
	// reports whether a statement over rows is not to be divided
	skip func(ir.Stmt) bool
}

// tile gathers statements into Tiles where that makes them faster.
func (prog *program) tile(stmts []ir.Stmt) []ir.Stmt {
	least := minTile
	if prog.layout == ir.Apart {
		least = minApart
		images := prog.newTiler(stmts, 1)
		images.images = images.mostRows(stmts)
		images.size = (*region).images
		stmts = images.statements(stmts)
	}
	t := prog.newTiler(stmts, least)
	t.size = func(r *region) (int, bool) { return r.tileSize(least) }
	return t.statements(stmts)
}

func (prog *program) newTiler(stmts []ir.Stmt, least int) *tiler {
	t := &tiler{prog: prog, uses: map[ir.BufID]int{}, min: least, skip: func(ir.Stmt) bool { return false }}
	for _, op := range ir.Arithmetic() {
		t.cost[op] = op.Row().Cost
	}
	t.cost[ir.Normal], t.cost[ir.Uniform], t.cost[ir.Shuffle] = noiseCost, noiseCost, shuffleCost
	t.cost[ir.Addressed] = noiseCost
	countUses(stmts, t.uses)
	return t
}

func countUses(stmts []ir.Stmt, uses map[ir.BufID]int) {
	for _, s := range stmts {
		for _, r := range refs(s) {
			uses[*r.buf]++
		}
	}
}

// statements starts a region at each statement that can start one worth tiling.
func (t *tiler) statements(stmts []ir.Stmt) []ir.Stmt {
	for i, s := range stmts {
		for _, rows := range t.rowCounts(s) {
			r, before, after := t.gather(rows, stmts[i:])
			if size, ok := t.size(r); ok {
				out := append(stmts[:i:i], t.statements(before)...)
				return append(append(out, t.makeTiles(r, size)), t.statements(after)...)
			}
		}
	}
	return stmts
}

// rowCounts returns the possible numbers of rows of a statement that are large enough for several tiles.
func (t *tiler) rowCounts(s ir.Stmt) []int {
	var counts []int
	switch s := s.(type) {
	case *ir.Kernel:
		if len(s.Extents) > 0 {
			counts = []int{s.Extents[0]}
			if longest := slices.Max(s.Extents); t.rowsFirst(s, longest) != s {
				counts = append(counts, longest)
			}
		}
	case *ir.MatMul:
		counts = []int{max(s.M, s.K, s.N), s.M, s.K}
	}
	if t.images > 0 {
		counts = []int{t.images}
	}
	var many []int
	for _, n := range counts {
		if n >= 2*t.min {
			many = append(many, n)
		}
	}
	return many
}

// gather collects the first statement and those that join it. Other statements go before the region if they can,
// otherwise after it.
func (t *tiler) gather(rows int, stmts []ir.Stmt) (r *region, before, after []ir.Stmt) {
	r = &region{rows: rows, touched: map[ir.BufID]rowUse{}, all: usage{}}
	late, buffers := usage{}, t.prog.buffers
	for _, s := range stmts {
		switch {
		case !late.conflicts(s, buffers) && r.join(s, t):
		case !late.conflicts(s, buffers) && !r.all.conflicts(s, buffers):
			before = append(before, s)
		default:
			after = append(after, s)
			late.add(s, buffers)
		}
	}
	return r, before, after
}

// A region is a list of statements over the same rows.
type region struct {
	rows     int
	body     []ir.Stmt
	touched  map[ir.BufID]rowUse
	all      usage
	cost     float64 // cost of a row
	partials int     // number of elements that each tile keeps to be combined
}

// join adds a statement if no two rows use the same element of a written buffer, and reports whether it did.
func (r *region) join(s ir.Stmt, t *tiler) bool {
	s, uses := byRows(t.rowsFirst(s, r.rows), r.rows, t.images > 0)
	if s == nil || t.skip(s) || !t.divisible(s, r.rows) {
		return false
	}
	now := map[ir.BufID]rowUse{}
	for _, u := range uses {
		old, ok := now[u.buf]
		if !ok {
			old, ok = r.touched[u.buf]
		}
		if ok {
			u = old.union(u)
		}
		if u.conflicts() {
			return false
		}
		now[u.buf] = u
	}
	for id, u := range now {
		r.touched[id] = u
		if u.partial {
			r.partials += t.prog.buffers[id].Size
		}
	}
	r.body = append(r.body, s)
	r.all.add(s, t.prog.buffers)
	r.cost += t.rowCost(s, r.rows)
	return true
}

// rowsFirst returns a kernel whose outermost loop is short, such as one over the columns of the data, with its loop
// over the rows moved outside. It returns other statements unchanged, and all statements of layout Apart, in which the
// innermost loop is the one that is vectorised.
func (t *tiler) rowsFirst(s ir.Stmt, rows int) ir.Stmt {
	k, ok := s.(*ir.Kernel)
	if !ok || t.prog.layout == ir.Apart || len(k.Extents) == 0 || k.Extents[0] >= fewRows || hasNoise(k) {
		return s
	}
	if axis := slices.Index(k.Extents, rows); axis > 0 {
		return withOutermost(k, axis)
	}
	return s
}

// divisible reports whether an iteration can compute its part of the results of a statement over these rows separately.
func (t *tiler) divisible(s ir.Stmt, rows int) bool {
	k, ok := s.(*ir.Kernel)
	if !ok {
		m := s.(*ir.MatMul)
		return m.Rows == ir.DimM || t.prog.buffers[m.C].Size == m.M*m.N
	}
	return k.Points() > 0 && !slices.ContainsFunc(k.Out, func(o ir.Output) bool {
		b, u := t.prog.buffers[o.Buf], rowUseAt(k, o.Buf, o.Index)
		within := o.Combine != ir.Store && u.width != 0 // each row combines only its elements
		return b.Type == ir.I32 || within && (u.lo < 0 || u.hi >= u.width || b.Size != u.width*rows)
	})
}

// tileSize returns the number of rows in a tile, such that all tiles have similar sizes and combining results takes at
// most an eighth of the work. ok is false if there is only work for one tile.
func (r *region) tileSize(least int) (size int, ok bool) {
	if len(r.body) == 0 {
		return 0, false
	}
	size = max(least, min(maxTile, int(tileWork/r.cost)))
	size = max(size, (r.rows*r.partials+maxPartials-1)/maxPartials)
	size = max(size, int(partialWork*float64(r.partials)/r.cost))
	tiles := (r.rows + size - 1) / size
	if tiles < 2 {
		return 0, false
	}
	even := (r.rows + tiles - 1) / tiles
	return (even + 7) / 8 * 8, true
}

// mostRows returns the number of rows over which kernels do most of their arithmetic.
func (t *tiler) mostRows(stmts []ir.Stmt) (rows int) {
	cost := map[int]float64{}
	for _, s := range stmts {
		k, ok := s.(*ir.Kernel)
		if !ok || len(k.Extents) == 0 {
			continue
		}
		n := k.Extents[0]
		cost[n] += t.rowCost(k, 1)
		if cost[n] > cost[rows] {
			rows = n
		}
	}
	return rows
}

// images returns the number of rows in a tile if rows are images: a product has several rows for each. The values
// computed for an image then stay in cache until they are read.
func (r *region) images() (size int, ok bool) {
	products := slices.ContainsFunc(r.body, func(s ir.Stmt) bool {
		m, ok := s.(*ir.MatMul)
		return ok && m.Each > 1
	})
	if !products || r.cost < imageWork {
		return 0, false
	}
	size = max(1, int(imageTile/r.cost), (r.rows*r.partials+maxImagePartials-1)/maxImagePartials)
	tiles := (r.rows + size - 1) / size
	return (r.rows + tiles - 1) / tiles, tiles > 1
}

// rowCost returns the cost of a statement per row.
func (t *tiler) rowCost(s ir.Stmt, rows int) float64 {
	switch s := s.(type) {
	case *ir.MatMul:
		return float64(s.M) * float64(s.K) * float64(s.N) / float64(rows)
	case *ir.Kernel:
		sum := 1.0
		for _, in := range s.Body {
			sum += max(t.cost[in.Op], 0.5)
		}
		return sum * float64(s.Points()) / float64(rows)
	}
	return 0
}
