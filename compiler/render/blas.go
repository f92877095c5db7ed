package render

import (
	"fmt"
	"slices"

	"ppl/compiler/ir"
)

// A large product is computed by the BLAS of the context (cblas_dgemm, cblas_sgemm), if there is one. Where lanes are
// apart, each lane's product is a call. Where they are interleaved, one operand must be the same for all lanes, and the
// lanes are then columns of a matrix. Shapes are those of a block of lanes and of a
// tile, so that results do not depend on the number of lanes or rows.

// Sizes from which a call is faster than loops.
const (
	gemmSide  = 16      // sides of the operand that all lanes share
	gemmWork  = 1 << 16 // multiplications per lane in one call for all columns
	gemmPanel = 1 << 12 // elements of the shared operand, if a call computes the columns of one vector
)

// WantsGemm reports whether a program has products for BLAS.
func WantsGemm(p *ir.Program) bool {
	f := &file{Program: p}
	return slices.ContainsFunc(p.Setup, f.wantsGemm) ||
		slices.ContainsFunc(p.Entries, func(e ir.Entry) bool { return slices.ContainsFunc(e.Body, f.wantsGemm) })
}

func (f *file) wantsGemm(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.MatMul:
		_, _, ok := f.product(s).gemms()
		return ok && s.Batch > 0
	case *ir.Loop:
		return slices.ContainsFunc(s.Body, f.wantsGemm)
	case *ir.Tiles:
		return slices.ContainsFunc(s.Body, f.wantsGemm)
	}
	return false
}

// A gemm is C = op(A)·B for row-major matrices, as texts of pointers, sizes and strides between rows.
type gemm struct {
	trans      bool // A
	transB     bool
	m, n, k    string
	a, b, c    string
	la, lb, lc string
}

// gemms is the call for a product, the loop around it, and whether it is faster than loops.
func (p *product) gemms() (g gemm, loop string, ok bool) {
	if p.Layout == ir.Apart {
		return p.oneLane(), "{", p.M*p.N*p.K >= gemmWork
	}
	switch left, right := !p.wide(p.A), !p.wide(p.B); {
	case left == right || !p.wide(p.C):
		return g, "", false
	case right:
		return p.byRow(), fmt.Sprintf("for (long i = 0; i < %s; i++) {", p.count(ir.DimM, p.M)), p.N*p.K >= gemmPanel
	case p.TransB && p.N > 1:
		return p.byColumn(), fmt.Sprintf("for (long j = 0; j < %d; j++) {", p.N), p.M*p.K >= gemmPanel
	}
	return p.allColumns(), "{", p.M >= gemmSide && p.K >= gemmSide && p.M*p.N*p.K >= gemmWork
}

// oneLane is the product itself.
func (p *product) oneLane() gemm {
	g := p.left()
	g.n, g.lb, g.lc, g.transB = fmt.Sprint(p.N), fmt.Sprint(p.N), fmt.Sprint(p.N), p.TransB
	if p.TransB {
		g.lb = fmt.Sprint(p.K)
	}
	g.b, g.c = p.from(p.b, p.K*p.N, ""), p.to("")
	return g
}

// count is the size of a dimension; that of the turn, if the dimension is the rows.
func (p *product) count(d ir.Dim, n int) string {
	if p.Rows == d {
		return "rows"
	}
	return fmt.Sprint(n)
}

// allColumns is A · [B of all lanes].
func (p *product) allColumns() gemm {
	g := p.left()
	g.n, g.lb, g.lc = fmt.Sprintf("%d * LANES", p.N), fmt.Sprintf("%d * LANES", p.N), fmt.Sprintf("%d * LANES", p.N)
	g.b, g.c = p.from(p.b, p.K*p.N, ""), p.to("")
	return g
}

// byColumn is A · [column j of B of all lanes], for columns that are contiguous.
func (p *product) byColumn() gemm {
	g := p.left()
	g.n, g.lb, g.lc = "LANES", "LANES", fmt.Sprintf("%d * LANES", p.N)
	g.b, g.c = p.from(p.b, p.K*p.N, fmt.Sprintf(" + j * %d", p.K)), p.to(" + j")
	return g
}

// left is A as the left operand.
func (p *product) left() gemm {
	g := gemm{trans: p.TransA, m: p.count(ir.DimM, p.M), k: p.count(ir.DimK, p.K), a: p.from(p.a, p.M*p.K, ""),
		la: fmt.Sprint(p.K)}
	if p.TransA {
		g.la = fmt.Sprint(p.M)
	}
	return g
}

// byRow is Bᵀ · [row i of A of all lanes]: row i of C.
func (p *product) byRow() gemm {
	g := gemm{trans: !p.TransB, m: fmt.Sprint(p.N), n: "LANES", k: p.count(ir.DimK, p.K), a: p.from(p.b, p.K*p.N, ""),
		la: fmt.Sprint(p.N),
		b:  p.from(p.a, p.M*p.K, fmt.Sprintf(" + i * %d", p.K)), lb: "LANES", c: p.to(fmt.Sprintf(" + i * %d", p.N)),
		lc: "LANES"}
	if p.TransB {
		g.la = fmt.Sprint(p.K)
	}
	if p.TransA {
		g.b, g.lb = p.from(p.a, p.M*p.K, " + i"), fmt.Sprintf("%d * LANES", p.M)
	}
	return g
}

// from is the address at which an operand of batch n begins.
func (p *product) from(o operand, size int, more string) string {
	if o.batch == 0 {
		size = 0
	}
	return fmt.Sprintf("b%d + %s + %d * n%s", o.buf, start(o.part), size, more)
}

func (p *product) to(more string) string {
	return fmt.Sprintf("b%d + %s + %d * n%s", p.C, start(p.PartC), p.M*p.N, more)
}

// gemm is the function's name in the context.
func (p *product) gemm() string {
	if p.result.single {
		return "sgemm"
	}
	return "gemm"
}

func (p *product) call(g gemm) {
	order := map[bool]int{false: 111, true: 112}
	t := p.result.number().typ()
	p.line("c->%s(101, %d, %d, %s, %s, %s, 1, (const %s *)(%s), %s, (const %s *)(%s), %s, 0, (%s *)(%s), %s);",
		p.gemm(), order[g.trans], order[g.transB], g.m, g.n, g.k, t, g.a, g.la, t, g.b, g.lb, t, g.c, g.lc)
}
