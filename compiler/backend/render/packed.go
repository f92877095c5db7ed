package render

import (
	_ "embed"
	"fmt"
	"strings"

	"ppl/compiler/backend/ir"
)

// A large product is a call of the functions of c/product.h, which pack operands into panels. For layout Apart, each
// lane's product is one call. For interleaved lanes, one operand must be the same for all lanes, and the lanes become
// columns of one matrix. The shapes depend only on the sizes of a block of lanes and of a tile, so results do not
// depend on the number of lanes or rows.

//go:embed c/products.h
var cProducts string

//go:embed c/product.h
var cProduct string

// Sizes above which packing is faster than loops.
const (
	packedSide  = 16      // least side of the operand that all lanes share
	packedWork  = 1 << 16 // multiplications per lane, if one call computes all columns
	packedPanel = 1 << 12 // elements of the shared operand, if each call computes the columns of one vector
	packedApart = 1 << 12 // multiplications, for layout Apart
)

// packedForms adds to forms the number types (double or single precision) of the large products in some statements.
func (f *file) packedForms(body []ir.Stmt, forms map[form]bool) {
	for _, s := range body {
		switch s := s.(type) {
		case *ir.MatMul:
			p := f.product(s)
			if _, _, ok := p.call(); ok && s.Batch*s.N*s.M > 0 {
				forms[p.result.number()] = true
			}
		case *ir.Loop:
			f.packedForms(s.Body, forms)
		case *ir.Tiles:
			f.packedForms(s.Body, forms)
		}
	}
}

// packing writes the functions for large products, for each number type that the program needs, and a function that
// returns the size in bytes of their working memory.
func (f *file) packing() {
	forms, work := map[form]bool{}, "0"
	f.packedForms(f.Setup, forms)
	for _, e := range f.Entries {
		f.packedForms(e.Body, forms)
	}
	if len(forms) > 0 {
		f.text = append(f.text, cProducts...)
		work = "WORK"
	}
	for _, t := range []form{{}, {single: true}} {
		if forms[t] {
			f.text = fmt.Appendf(f.text,
				"#define NUMBER %s\n#define OF(name) name##_%s\n%s#undef NUMBER\n#undef OF\n",
				t.typ(), t.suffix(), cProduct)
		}
	}
	f.line("%s word work(void) { return %s; }", f.export, work)
}

// A call holds the arguments of a product function, as texts of pointers, sizes and strides: element (i, k) of A is
// a[i·ai + k·ak], element (k, j) of B is b[k·bk + j·bj], and element (i, j) of C is c[i·line + j].
type call struct {
	m, n, k string
	a       string
	ai, ak  string
	b       string
	bk, bj  string
	c, line string
}

// call returns the call for a product, the head of the loop around it, and whether it is faster than loops.
func (p *product) call() (c call, loop string, ok bool) {
	if p.K == 0 {
		return c, "", false
	}
	if p.Layout == ir.Apart {
		return p.oneLane(), "{", p.M*p.N*p.K >= packedApart
	}
	switch left, right := !p.wide(p.A), !p.wide(p.B); {
	case left == right || !p.wide(p.C):
		return c, "", false
	case right:
		return p.byRow(), fmt.Sprintf("for (long i = 0; i < %s; i++) {", p.count(ir.DimM, p.M)), p.N*p.K >= packedPanel
	case p.TransB && p.N > 1:
		return p.byColumn(), fmt.Sprintf("for (long j = 0; j < %d; j++) {", p.N), p.M*p.K >= packedPanel
	}
	return p.allColumns(), "{", p.M >= packedSide && p.K >= packedSide && p.M*p.N*p.K >= packedWork
}

// oneLane returns the call for A · B of one lane.
func (p *product) oneLane() call {
	c := p.left()
	c.n, c.line = fmt.Sprint(p.N), fmt.Sprint(p.N)
	c.b, c.bk, c.bj, c.c = p.from(p.b, p.K*p.N, ""), fmt.Sprint(p.b.row), fmt.Sprint(p.b.col), p.to("")
	return c
}

// count returns the size of a dimension; if the dimension runs over the rows of a tile, the text depends on the number
// of rows.
func (p *product) count(d ir.Dim, n int) string {
	switch {
	case p.Rows == d && p.Each > 1:
		return fmt.Sprintf("rows * %d", p.Each)
	case p.Rows == d:
		return "rows"
	}
	return fmt.Sprint(n)
}

// lanes returns the C expression for the number of values in n elements of all lanes of a block.
func lanes(n int) string { return fmt.Sprintf("%d * LANES", n) }

// allColumns returns the call for A · [B of all lanes].
func (p *product) allColumns() call {
	c := p.left()
	c.n, c.bk, c.bj, c.line = lanes(p.N), lanes(p.N), "1", lanes(p.N)
	c.b, c.c = p.from(p.b, p.K*p.N, ""), p.to("")
	return c
}

// byColumn returns the call for A · [column j of B of all lanes], if columns are contiguous.
func (p *product) byColumn() call {
	c := p.left()
	c.n, c.bk, c.bj, c.line = "LANES", "LANES", "1", lanes(p.N)
	c.b, c.c = p.from(p.b, p.K*p.N, fmt.Sprintf(" + j * %d", p.K)), p.to(" + j")
	return c
}

// left returns a call with A as the left operand; the other fields are not set.
func (p *product) left() call {
	return call{m: p.count(ir.DimM, p.M), k: p.count(ir.DimK, p.K), a: p.from(p.a, p.M*p.K, ""),
		ai: fmt.Sprint(p.a.row), ak: fmt.Sprint(p.a.col)}
}

// byRow returns the call that computes row i of C for all lanes: Bᵀ · [row i of A of all lanes].
func (p *product) byRow() call {
	c := call{m: fmt.Sprint(p.N), n: "LANES", k: p.count(ir.DimK, p.K), a: p.from(p.b, p.K*p.N, ""),
		ai: fmt.Sprint(p.b.col), ak: fmt.Sprint(p.b.row), b: p.from(p.a, p.M*p.K, fmt.Sprintf(" + i * %d", p.a.row)),
		bk: lanes(p.a.col), bj: "1", c: p.to(fmt.Sprintf(" + i * %d", p.N)), line: "LANES"}
	return c
}

// from returns the address of an operand of batch n, plus the offset `more`.
func (p *product) from(o operand, size int, more string) string {
	if o.batch == 0 {
		size = 0
	}
	return fmt.Sprintf("b%d + %s + %d * n%s", o.buf, start(o.part), size, more)
}

func (p *product) to(more string) string {
	return fmt.Sprintf("b%d + %s + %d * n%s", p.C, start(p.PartC), p.M*p.N, more)
}

// text returns the call as a statement.
func (p *product) text(c call) string {
	t := p.result.number()
	pointer := func(text string) string { return fmt.Sprintf("(const %s *)(%s)", t.typ(), text) }
	args := []string{"c", c.m, c.n, c.k, pointer(c.a), c.ai, c.ak, pointer(c.b), c.bk, c.bj,
		fmt.Sprintf("(%s *)(%s)", t.typ(), c.c), c.line}
	return fmt.Sprintf("product_%s(%s);", t.suffix(), strings.Join(args, ", "))
}
