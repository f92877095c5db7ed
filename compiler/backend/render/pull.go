package render

import (
	"fmt"

	"ppl/compiler/backend/ir"
)

// A pull is the pullback of a Cholesky factor being rendered, by blocks of columns of the symmetric S with tril(2·S·L)
// = tril(Bar). Column c of S at and below its diagonal is (½ Bar_ic − Σ_{j>c} S_ij L_jc) / L_cc, starting with the last
// column.
type pull struct {
	*file
	*ir.CholeskyPull
	cols int
}

func (f *file) choleskyPull(s *ir.CholeskyPull) {
	p := &pull{f, s, 0}
	f.loop("n", s.Batch)
	f.line("%s *x = b%d + n * %d;", f.memory(f.form(s.Out)), s.Out, s.N*s.N)
	f.line("const %s *l = b%d + n * %d;", f.memory(f.form(s.L)), s.L, s.N*s.N)
	f.line("const %s *bar = b%d + n * %d;", f.memory(f.form(s.Bar)), s.Bar, s.N*s.N)
	cut(s.N, solveRows, func(from, to, cols int) {
		p.cols = cols
		f.head("for (long p = %d; p < %d; p += %d) {", from, to, cols)
		f.line("const long k = %d - p;", s.N-cols)
		f.head("for (long i = k + %d; i < %d; i += %d) {", cols, s.N, solveRows) // earlier blocks are full
		p.tile("i", solveRows, func(int) int { return 0 })
		f.line("}")
		p.tile("k", cols, func(c int) int { return c })
		f.line("}")
	})
	f.line("}")
}

func (p *pull) typ() string { return p.form(p.Out).typ() }

// tile computes `rows` rows of the block's columns, starting at the row named `at`. first returns the first row that a
// column needs.
func (p *pull) tile(at string, rows int, first func(col int) int) {
	each := func(f func(r, c int)) {
		for c := p.cols - 1; c >= 0; c-- {
			for r := rows - 1; r >= first(c); r-- { // the symmetric element is used to the right of the diagonal
				f(r, c)
			}
		}
	}
	p.line("{")
	each(func(r, c int) {
		p.line("%s s%d_%d = %s;", p.typ(), r, c, convert(fmt.Sprintf("bar[(%s + %d) * %d + k + %d] / 2", at, r, p.N, c),
			p.form(p.Bar), p.form(p.Out)))
	})
	p.short("for (long j = k + %d; j < %d; j++) {", p.cols, p.N)
	each(func(r, c int) {
		p.line("s%d_%d -= x[(%s + %d) * %d + j] * l[j * %d + k + %d];", r, c, at, r, p.N, p.N, c)
	})
	p.line("}")
	each(func(r, c int) { p.finish(at, r, c) })
	p.line("}")
}

// finish subtracts the contribution of the block's own columns, and stores an element on both sides of the diagonal.
func (p *pull) finish(at string, r, c int) {
	for m := c + 1; m < p.cols; m++ {
		of := fmt.Sprintf("s%d_%d", r, m)
		if at == "k" {
			of = fmt.Sprintf("s%d_%d", max(r, m), min(r, m))
		}
		p.line("s%d_%d -= %s * l[(k + %d) * %d + k + %d];", r, c, of, m, p.N, c)
	}
	p.line("s%d_%d = s%d_%d / l[(k + %d) * %d + k + %d];", r, c, r, c, c, p.N, c)
	p.line("x[(%s + %d) * %d + k + %d] = x[(k + %d) * %d + %s + %d] = s%d_%d;", at, r, p.N, c, c, p.N, at, r, r, c)
}
