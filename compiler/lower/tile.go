package lower

import (
	"ppl/compiler/ir"
)

// Statements that go over many rows of data are gathered into Tiles, so that what one passes on to the next stays in
// cache, takes no memory in proportion to the data, and tiles can run at the same time. A statement joins those before
// it if, of every buffer that they or it write, each row touches only the elements of its own row; what is combined
// over rows leaves the tiles apart.

// Sizes of tiles.
const (
	tileWork    = 1 << 16 // operations of a lane
	minTile     = 64      // rows
	maxTile     = 4096
	maxPartials = 1 << 17 // elements that the tiles leave to be combined, all together
)

// A tiler cuts the statements of one entry.
type tiler struct {
	prog *program
	uses map[ir.BufID]int // references by buffer, in the whole entry
	cost [ir.Ops]float64  // of an op, in additions
}

// tile gathers what it can.
func (prog *program) tile(stmts []ir.Stmt) []ir.Stmt {
	t := &tiler{prog: prog, uses: map[ir.BufID]int{}}
	for _, row := range opRows {
		t.cost[row.op] = row.cost
	}
	t.cost[ir.Normal], t.cost[ir.Uniform], t.cost[ir.Shuffle] = noiseCost, noiseCost, shuffleCost
	countUses(stmts, t.uses)
	return t.statements(stmts)
}

func countUses(stmts []ir.Stmt, uses map[ir.BufID]int) {
	for _, s := range stmts {
		for _, r := range refs(s) {
			uses[*r.buf]++
		}
	}
}

// statements begins a region at the first statement where one pays.
func (t *tiler) statements(stmts []ir.Stmt) []ir.Stmt {
	for i, s := range stmts {
		for _, rows := range rowCounts(s) {
			r, before, after := t.gather(rows, stmts[i:])
			if size, ok := r.tileSize(); ok {
				out := append(stmts[:i:i], t.statements(before)...)
				return append(append(out, t.cut(r, size)), t.statements(after)...)
			}
		}
	}
	return stmts
}

// rowCounts are the numbers of rows that a statement may be said to go over, if they are many.
func rowCounts(s ir.Stmt) []int {
	var counts []int
	switch s := s.(type) {
	case *ir.Kernel:
		if len(s.Extents) > 0 {
			counts = []int{s.Extents[0]}
		}
	case *ir.MatMul:
		counts = []int{max(s.M, s.K, s.N), s.M, s.K}
	}
	var many []int
	for _, n := range counts {
		if n >= 2*minTile {
			many = append(many, n)
		}
	}
	return many
}

// gather collects the first statement and what joins it. Others go before the region where they can, else after.
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

// A region is statements over the same rows.
type region struct {
	rows     int
	body     []ir.Stmt
	touched  map[ir.BufID]rowUse
	all      usage
	cost     float64 // of a row
	partials int     // elements that each tile leaves
}

// join adds a statement if its rows keep to themselves.
func (r *region) join(s ir.Stmt, t *tiler) bool {
	s, uses := byRows(s, r.rows)
	if s == nil {
		return false
	}
	now := map[ir.BufID]rowUse{}
	for _, u := range uses {
		old, ok := now[u.buf]
		if !ok {
			old, ok = r.touched[u.buf]
		}
		if ok {
			u = old.and(u)
		}
		if u.meets() {
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

// tileSize is the number of rows in a tile, such that tiles are alike, if there is work for several.
func (r *region) tileSize() (size int, ok bool) {
	if len(r.body) == 0 {
		return 0, false
	}
	size = max(minTile, min(maxTile, int(tileWork/r.cost)))
	size = max(size, (r.rows*r.partials+maxPartials-1)/maxPartials)
	tiles := (r.rows + size - 1) / size
	if tiles < 2 {
		return 0, false
	}
	even := (r.rows + tiles - 1) / tiles
	return (even + 7) / 8 * 8, true
}

// rowCost is what a statement costs for a row.
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
