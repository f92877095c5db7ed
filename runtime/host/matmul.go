package host

import "ppl/compiler/backend/ir"

// matMul computes C = A·B for each lane. If lanes share A, the lanes count as columns: the product is one matrix times
// a matrix with N·lanes columns. If lanes share B, the transposes are multiplied in the same way. Every element is a
// sum over k in order, divided into pieces of splitK terms if it is long. Rows and pieces form the tiles.
type matMul struct {
	*ir.MatMul
	a, b     operand
	width    int
	rows     int // rows of a tile
	depth    int // depth of a tile
	rowTiles int // number of tiles along the rows
	pieces   int // number of tiles along k
	partials int // number of the temporary for the sums of pieces, or −1
	typ      ir.Type
}

const (
	splitWork = 1 << 17 // multiplications per lane above which a product is divided into tiles
	tileWork  = 1 << 15 // approximate multiplications of a tile
	splitK    = 2048    // depth of a piece
)

func (c *compiler) matMul(in *ir.MatMul) statement {
	m := &matMul{MatMul: in, a: c.operand(in.A), b: c.operand(in.B), width: c.width, partials: -1,
		rows: max(1, in.M), depth: max(1, in.K), typ: c.program.Buffers[in.C].Type}
	if m.a.width == 1 && m.b.width == 1 {
		m.b = c.wide(in.B)
	}
	m.chooseTiles()
	m.rowTiles, m.pieces = ceilDiv(m.M, m.rows), max(1, ceilDiv(m.K, m.depth))
	if m.pieces > 1 {
		m.partials = c.temp(m.pieces * m.Batch * m.M * m.N * m.width)
	}
	c.tiles = c.tiles || m.tileCount() > 1
	return m
}

// chooseTiles divides k into pieces if the result is small, and otherwise divides rows. The division depends on the
// program alone.
func (m *matMul) chooseTiles() {
	switch {
	case m.M*m.N*m.K < splitWork:
	case m.K >= 2*splitK && m.M*m.N <= maxPartial:
		m.depth = splitK
	default:
		m.rows = min(m.rows, max(8, tileWork/(m.N*m.K)))
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func (m *matMul) tileCount() int { return m.Batch * m.rowTiles * m.pieces }

func (m *matMul) run(w *worker) {
	m.a.load(w)
	m.b.load(w)
	w.tiles(m, m.tileCount())
	out := m.result(w)
	if m.partials >= 0 {
		clear(out)
		for p := range m.pieces {
			combineLoops[ir.Sum](out, w.temp[m.partials][p*len(out):][:len(out)])
		}
	}
	round(out, m.typ)
}

// tile computes some rows of one batch, over one piece of k.
func (m *matMul) tile(_, owner *worker, t int) {
	piece, batch, row := 0, t, 0
	if m.pieces > 1 {
		piece, batch = t%m.pieces, t/m.pieces
	}
	if m.rowTiles > 1 {
		row, batch = batch%m.rowTiles*m.rows, batch/m.rowTiles
	}
	size := m.M * m.N * m.width
	out := m.result(owner)
	if m.partials >= 0 {
		out = owner.temp[m.partials][piece*m.Batch*size:]
	}
	p := product{m: min(m.rows, m.M-row), n: m.N, k: min(m.depth, m.K-piece*m.depth)}
	p.a = m.matrix(owner, m.a, m.PartA, m.M, m.K, batch, m.SharedA, m.TransA, row, piece*m.depth)
	p.b = m.matrix(owner, m.b, m.PartB, m.K, m.N, batch, m.SharedB, m.TransB, piece*m.depth, 0)
	p.c = matrix{out[batch*size+row*m.N*m.width:][:p.m*m.N*m.width], m.N * m.width, m.width}
	clear(p.c.x)
	if p.m*p.n*p.k == 0 {
		return
	}
	p.run(m.a.width, m.b.width, m.width)
}

// result returns the memory of the products of all batches.
func (m *matMul) result(w *worker) []float64 {
	return w.bufs[m.C][first(m.PartC, w)*m.width:][:m.Batch*m.M*m.N*m.width]
}

// first returns the first element of an operand.
func first(p ir.Part, w *worker) int { return p.First + p.Step*w.turn }

// matrix returns the view of an operand [rows, cols] that starts at element (i, j).
func (m *matMul) matrix(w *worker, o operand, from ir.Part, rows, cols, batch int, shared, trans bool, i,
	j int) matrix {
	x := matrix{o.values(w)[first(from, w)*o.width:], cols * o.width, o.width}
	if trans {
		x.row, x.col = o.width, rows*o.width
	}
	if !shared {
		x.x = x.x[batch*rows*cols*o.width:]
	}
	x.x = x.x[min(len(x.x), i*x.row+j*x.col):]
	return x
}

// A matrix has element (i, j), which is one number or one number per lane, at x[i·row + j·col].
type matrix struct {
	x        []float64
	row, col int
}

// A product adds a·b to c, m×k times k×n.
type product struct {
	a, b, c matrix
	m, n, k int
}

func (p *product) run(aWidth, bWidth, width int) {
	switch {
	case aWidth == width && width > 1 && bWidth == width:
		p.lanewise(width)
	case aWidth == width && width > 1:
		p.sharedRight(width)
	case p.b.col == width:
		gemm(p.m, p.k, p.n*width, p.a, p.b, p.c)
	default:
		for n := range p.n {
			b, c := p.b, p.c
			b.x, c.x = b.x[n*b.col:], c.x[n*c.col:]
			gemm(p.m, p.k, width, p.a, b, c)
		}
	}
}

// sharedRight computes c[i]ᵀ = bᵀ·a[i]ᵀ for each row i, where lanes are the columns of a[i]ᵀ.
func (p *product) sharedRight(width int) {
	bt := matrix{p.b.x, p.b.col, p.b.row}
	for i := range p.m {
		at := matrix{p.a.x[i*p.a.row:], p.a.col, 1}
		gemm(p.n, p.k, width, bt, at, matrix{p.c.x[i*p.c.row:], width, 1})
	}
}

func (p *product) lanewise(width int) {
	for i := range p.m {
		for j := range p.n {
			c := p.c.x[i*p.c.row+j*width:][:width]
			dotLanes(c, p.a.x[i*p.a.row:], p.b.x[j*p.b.col:], p.k, p.a.col, p.b.row)
		}
	}
}

// dotLanes adds Σₖ a[k]·b[k] to c, lane by lane. float64(…) keeps the compiler from contracting product and sum, so
// that all processors give the same result.
func dotLanes(c, a, b []float64, n, aStep, bStep int) {
	if len(c) == 8 {
		dot8((*[8]float64)(c), a, b, n, aStep, bStep)
		return
	}
	for k := range n {
		x, y := a[k*aStep:][:len(c)], b[k*bStep:][:len(c)]
		for l := range c {
			c[l] += float64(x[l] * y[l])
		}
	}
}

func dot8(t *[8]float64, a, b []float64, n, aStep, bStep int) {
	c0, c1, c2, c3, c4, c5, c6, c7 := t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]
	for k := range n {
		x, y := (*[8]float64)(a[k*aStep:]), (*[8]float64)(b[k*bStep:])
		c0 += float64(x[0] * y[0])
		c1 += float64(x[1] * y[1])
		c2 += float64(x[2] * y[2])
		c3 += float64(x[3] * y[3])
		c4 += float64(x[4] * y[4])
		c5 += float64(x[5] * y[5])
		c6 += float64(x[6] * y[6])
		c7 += float64(x[7] * y[7])
	}
	*t = [8]float64{c0, c1, c2, c3, c4, c5, c6, c7}
}

// gemm adds a·b to c: a is m×k with any strides; b (k×n) and c (m×n) have contiguous rows. It processes k in blocks
// that suit the order of a in memory; the sum of each element is in the order of k.
func gemm(m, k, n int, a, b, c matrix) {
	block := panelRows
	if a.col != 1 {
		block = 8
	}
	for k0 := 0; k0 < k; k0 += block {
		depth := min(block, k-k0)
		a, b := a.from(0, k0), b.from(k0, 0)
		if m >= 8 && n >= 4*panelCols && depth > 8 {
			gemmPanels(m, depth, n, a, b, c)
			continue
		}
		for i := range m {
			gemmRow(depth, a.x[i*a.row:], a.col, b.x, b.row, c.x[i*c.row:][:n])
		}
	}
}

func (m matrix) from(i, j int) matrix { return matrix{m.x[i*m.row+j*m.col:], m.row, m.col} }

// A panel of b is panelRows × panelCols numbers, copied to contiguous memory: distant rows would be on many different
// pages and compete for the same cache sets.
const panelRows, panelCols = 256, 8

// gemmPanels adds a·b to c for many rows and columns; it copies one panel of b at a time.
func gemmPanels(m, k, n int, a, b, c matrix) {
	var panel [panelRows * panelCols]float64
	for j := 0; j < n; j += panelCols {
		cols := min(panelCols, n-j)
		for r := range k {
			copy(panel[r*panelCols:][:cols], b.x[r*b.row+j:])
		}
		for i := range m {
			gemmRow(k, a.x[i*a.row:], a.col, panel[:], panelCols, c.x[i*c.row+j:][:cols])
		}
	}
}

// gemmRow computes c += Σₖ a[k·aStep]·b[k], eight columns at a time.
func gemmRow(depth int, a []float64, aStep int, b []float64, bRow int, c []float64) {
	j := 0
	for ; j+8 <= len(c); j += 8 {
		row8(depth, a, aStep, b[j:], bRow, (*[8]float64)(c[j:]))
	}
	for ; j+4 <= len(c); j += 4 {
		row4(depth, a, aStep, b[j:], bRow, (*[4]float64)(c[j:]))
	}
	for ; j < len(c); j++ {
		s := c[j]
		for k := range depth {
			s += a[k*aStep] * b[k*bRow+j]
		}
		c[j] = s
	}
}

func row8(depth int, a []float64, aStep int, b []float64, bRow int, c *[8]float64) {
	c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
	ai, bi := 0, 0
	for range depth {
		x, y := a[ai], (*[8]float64)(b[bi:])
		c0 += x * y[0]
		c1 += x * y[1]
		c2 += x * y[2]
		c3 += x * y[3]
		c4 += x * y[4]
		c5 += x * y[5]
		c6 += x * y[6]
		c7 += x * y[7]
		ai += aStep
		bi += bRow
	}
	*c = [8]float64{c0, c1, c2, c3, c4, c5, c6, c7}
}

func row4(depth int, a []float64, aStep int, b []float64, bRow int, c *[4]float64) {
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	ai, bi := 0, 0
	for range depth {
		x, y := a[ai], (*[4]float64)(b[bi:])
		c0 += x * y[0]
		c1 += x * y[1]
		c2 += x * y[2]
		c3 += x * y[3]
		ai += aStep
		bi += bRow
	}
	*c = [4]float64{c0, c1, c2, c3}
}

// dotLoop adds products of points in order, lane by lane.
func dotLoop(d, a, b []float64) {
	clear(d)
	dotLanes(d, a, b, min(len(a), len(b))/len(d), len(d), len(d))
}
