package render

import (
	"fmt"
	"strings"

	"ppl/compiler/backend/ir"
)

const (
	tileElements = 8 // number of elements of the result computed together: enough sums to hide the latency of each
	// length of a block of the inner dimension, small enough for operands to stay in cache until they are read again
	depthBlock = 2048
)

// A product is a matrix product being rendered. Tiles of rows × columns elements are held in registers; each element is
// a sum in the order of k.
type product struct {
	*file
	*ir.MatMul
	a, b   operand
	result form // form of the sums
	blocks bool // k is divided into blocks, whose sums are added to the result
}

// An operand has element (i, j) at buf[part + n·batch + i·row + j·col], where n is the number of the batch.
type operand struct {
	buf             ir.BufID
	part            ir.Part
	batch, row, col int
}

func (f *file) product(s *ir.MatMul) *product {
	return &product{f, s, newOperand(s.A, s.PartA, s.M, s.K, s.SharedA, s.TransA),
		newOperand(s.B, s.PartB, s.K, s.N, s.SharedB, s.TransB),
		form{f.wide(s.A) || f.wide(s.B), f.form(s.C).single}, s.K > depthBlock && s.Rows != ir.DimK}
}

func (f *file) matMul(s *ir.MatMul) {
	p := f.product(s)
	if s.Batch*s.M*s.N == 0 {
		return
	}
	c, loop, large := p.call()
	if !large || !f.packs {
		p.sums()
		return
	}
	f.loop("n", s.Batch)
	f.line("%s", loop)
	f.line("%s", p.text(c))
	f.ends(2)
}

// sums writes the product as loops.
func (p *product) sums() {
	if p.blocks || p.K == 0 {
		p.head("for (long e = 0; e < %s * %d; e++) {", p.count(ir.DimM, p.M), p.Batch*p.N)
		p.line("b%d[%s + e] = %s;", p.C, start(p.PartC), p.form(p.C).constant("0"))
		p.line("}")
	}
	if p.K == 0 {
		return
	}
	p.loop("n", p.Batch)
	if p.blocks {
		p.head("for (long k0 = 0; k0 < %d; k0 += %d) {", p.K, depthBlock)
		p.tiles()
		p.line("}")
	} else {
		p.tiles()
	}
	p.line("}")
}

func newOperand(id ir.BufID, part ir.Part, rows, cols int, shared, trans bool) operand {
	o := operand{id, part, rows * cols, cols, 1}
	if trans {
		o.row, o.col = 1, rows
	}
	if shared {
		o.batch = 0
	}
	return o
}

func (o operand) at(i, j string) string {
	return fmt.Sprintf("b%d[%s + %d * n + %d * (%s) + %d * (%s)]", o.buf, start(o.part), o.batch, o.row, i, o.col, j)
}

// start returns the text of the first element of a part.
func start(p ir.Part) string {
	if p.Step == 0 {
		return fmt.Sprint(p.First)
	}
	return fmt.Sprintf("%d + %d * turn", p.First, p.Step)
}

// tiles covers the result with tiles, and its edges with smaller tiles.
func (p *product) tiles() {
	rows, cols := p.tileSize()
	if p.Rows == ir.DimM { // a tile of Tiles has a variable number of rows
		p.line("long i = 0;")
		all := p.count(ir.DimM, p.M)
		p.head("for (; i + %d <= %s; i += %d) {", rows, all, rows)
		p.across(rows, cols)
		p.line("}")
		p.head("for (; i < %s; i++) {", all)
		p.across(1, cols)
		p.line("}")
		return
	}
	cut(p.M, rows, func(i0, i1, rows int) {
		p.head("for (long i = %d; i < %d; i += %d) {", i0, i1, rows)
		p.across(rows, cols)
		p.line("}")
	})
}

func (p *product) tileSize() (rows, cols int) {
	rows = even(p.M, tileElements/min(p.N, 2))
	return rows, even(p.N, tileElements/rows)
}

// across covers some rows of the result.
func (p *product) across(rows, cols int) {
	cut(p.N, cols, func(j0, j1, cols int) {
		p.head("for (long j = %d; j < %d; j += %d) {", j0, j1, cols)
		p.tile(rows, cols)
		p.line("}")
	})
}

// even returns the tile size if n is covered by the fewest tiles of at most `most`, all of similar size.
func even(n, most int) int {
	tiles := (n + most - 1) / most
	return (n + tiles - 1) / tiles
}

// cut calls f for the full tiles of n, and for the rest.
func cut(n, tile int, f func(from, to, tile int)) {
	full := n - n%tile
	f(0, full, tile)
	if full < n {
		f(full, n, n-full)
	}
}

func (p *product) tile(rows, cols int) {
	var sums []string
	p.each(rows, cols, func(r, c int) { sums = append(sums, fmt.Sprintf("s%d_%d = %s", r, c, p.result.constant("0"))) })
	p.line("%s %s;", p.result.typ(), strings.Join(sums, ", "))
	if p.blocks {
		p.short("for (long k = k0; k < %s; k++) {", blockEnd("k0", p.K, depthBlock))
	} else if p.Rows == ir.DimK {
		p.short("for (long k = 0; k < %s; k++) {", p.count(ir.DimK, p.K))
	} else {
		p.short("for (long k = 0; k < %d; k++) {", p.K)
	}
	for r := range rows {
		p.line("const %s x%d = %s;", p.form(p.A).typ(), r, p.a.at(fmt.Sprintf("i + %d", r), "k"))
	}
	for c := range cols {
		p.line("const %s y%d = %s;", p.form(p.B).typ(), c, p.b.at("k", fmt.Sprintf("j + %d", c)))
	}
	p.each(rows, cols, func(r, c int) { p.line("s%d_%d += x%d * y%d;", r, c, r, c) })
	p.line("}")
	p.each(rows, cols, p.finish)
}

// finish stores a sum, or adds it to the sums of earlier blocks.
func (p *product) finish(r, c int) {
	op, sum := "=", convert(fmt.Sprintf("s%d_%d", r, c), p.result, p.form(p.C))
	if p.blocks {
		op = "+="
	}
	p.line("%s %s %s;", p.element(r, c), op, sum)
}

// element returns the text of element (i + r, j + c) of the result.
func (p *product) element(r, c int) string {
	return fmt.Sprintf("b%d[%s + %d * n + %d * (i + %d) + j + %d]", p.C, start(p.PartC), p.M*p.N, p.N, r, c)
}

func (p *product) each(rows, cols int, f func(r, c int)) {
	for r := range rows {
		for c := range cols {
			f(r, c)
		}
	}
}

// blockEnd returns the text of the end of a block of iterations that starts at the variable `from`.
func blockEnd(from string, turns, block int) string {
	if turns%block == 0 {
		return fmt.Sprintf("%s + %d", from, block)
	}
	return fmt.Sprintf("(%s + %d < %d ? %s + %d : %d)", from, block, turns, from, block, turns)
}
