package render

import (
	"fmt"

	"ppl/compiler/backend/ir"
)

// cumSum writes the cumulative sum along the middle axis of [Outer, N, Inner].
func (f *file) cumSum(s *ir.CumSum) {
	t, w := f.form(s.Out).typ(), f.form(s.Out)
	f.loop("o", s.Outer)
	f.loop("i", s.Inner)
	f.line("%s sum = %s;", t, w.constant("0"))
	f.loop("n", s.N)
	at := "n"
	if s.Reverse {
		at = fmt.Sprintf("(%d - n)", s.N-1)
	}
	f.line("const long at = (o * %d + %s) * %d + i;", s.N, at, s.Inner)
	f.line("b%d[at] = sum = sum + b%d[at];", s.Out, s.In)
	f.ends(3)
}

// solveRows is the number of rows that a factorisation or substitution computes together: several simultaneous sums
// hide the latency of each, and elements that the rows share are read once.
const solveRows = 4

// cholesky writes the row-by-row factorisation (Golub & Van Loan, Matrix Computations, 4.2) for all lanes at once.
func (f *file) cholesky(s *ir.Cholesky) {
	w := f.form(s.Out)
	t, x := w.typ(), w.suffix()
	f.loop("n", s.Batch)
	f.line("%s *l = b%d + n * %d;", f.memory(w), s.Out, s.N*s.N)
	f.line("const %s *a = b%d + n * %d;", f.memory(f.form(s.In)), s.In, s.N*s.N)
	f.line("%s bad = %s;", t, w.constant("0"))
	cut(s.N, solveRows, func(from, to, rows int) {
		f.head("for (long i = %d; i < %d; i += %d) {", from, to, rows)
		f.factorRows(s, rows)
		f.line("}")
	})
	f.head("for (long e = 0; e < %d; e++) l[e] = select_%s(eq_%s(bad, bad), l[e], %s);", s.N*s.N, x, x,
		w.constant("NAN"))
	f.line("}")
}

// factorRows writes the computation of `rows` rows starting at row i: first the elements left of the diagonal block,
// then the triangle of the block.
func (f *file) factorRows(s *ir.Cholesky, rows int) {
	w := f.form(s.Out)
	t, x := w.typ(), w.suffix()
	f.head("for (long j = 0; j < i; j++) {")
	for r := range rows {
		f.line("%s s%d = %s;", t, r, convert(fmt.Sprintf("a[(i + %d) * %d + j]", r, s.N), f.form(s.In), w))
	}
	f.short("for (long k = 0; k < j; k++) {")
	f.line("const %s y = l[j * %d + k];", t, s.N)
	for r := range rows {
		f.line("s%d -= l[(i + %d) * %d + k] * y;", r, r, s.N)
	}
	f.line("}")
	f.line("const %s scale = 1 / l[j * %d + j];", t, s.N)
	for r := range rows {
		f.line("l[(i + %d) * %d + j] = s%d * scale;", r, s.N, r)
	}
	f.line("}")
	f.head("for (long p = i; p < i + %d; p++) {", rows)
	f.head("for (long j = i; j <= p; j++) {")
	f.line("%s sum = %s;", t, convert(fmt.Sprintf("a[p * %d + j]", s.N), f.form(s.In), w))
	f.head("for (long k = 0; k < j; k++) sum -= l[p * %d + k] * l[j * %d + k];", s.N, s.N)
	f.line("if (p > j) l[p * %d + j] = sum / l[j * %d + j];", s.N, s.N)
	f.line("else l[p * %d + p] = sqrt_%s(select_%s(lt_%s(%s, sum) & lt_%s(sum, %s), sum, %s));",
		s.N, x, x, x, w.constant("0"), x, w.constant("INF"), w.constant("NAN"))
	f.line("}")
	f.line("bad += l[p * %d + p];", s.N) // NaN from the first failing pivot on
	f.head("for (long j = p + 1; j < %d; j++) l[p * %d + j] = %s;", s.N, s.N, w.constant("0"))
	f.line("}")
}

// A solve is a substitution being rendered, in tiles of rows and columns of the right-hand side.
type solve struct {
	*file
	*ir.TriSolve
	typ string
}

// triSolve writes forward substitution, or backward substitution for the transpose.
func (f *file) triSolve(s *ir.TriSolve) {
	p := &solve{f, s, f.form(s.Out).typ()}
	f.loop("n", s.Batch)
	f.line("%s *x = b%d + n * %d;", f.memory(f.form(s.Out)), s.Out, s.N*s.M)
	f.line("const %s *l = b%d + n * %d;", f.memory(f.form(s.L)), s.L, s.N*s.N)
	f.line("const %s *b = b%d + n * %d;", f.memory(f.form(s.B)), s.B, s.N*s.M)
	cut(s.N, solveRows, func(from, to, rows int) {
		f.head("for (long p = %d; p < %d; p += %d) {", from, to, rows)
		if s.Trans {
			f.line("const long i = %d - p;", s.N-rows)
		} else {
			f.line("const long i = p;")
		}
		cut(s.M, min(max(s.M, 1), 2), func(from, to, cols int) {
			f.head("for (long m = %d; m < %d; m += %d) {", from, to, cols)
			p.tile(rows, cols)
			f.line("}")
		})
		f.line("}")
	})
	f.line("}")
}

// tile subtracts the contribution of rows already solved from `rows` rows starting at row i, then solves these.
func (p *solve) tile(rows, cols int) {
	w := p.form(p.Out)
	for r := range rows {
		for c := range cols {
			p.line("%s s%d_%d = %s;", p.typ, r, c, convert(fmt.Sprintf("b[(i + %d) * %d + m + %d]", r, p.M, c),
				p.form(p.B), w))
		}
	}
	if p.Trans {
		p.short("for (long k = i + %d; k < %d; k++) {", rows, p.N)
	} else {
		p.short("for (long k = 0; k < i; k++) {")
	}
	for r := range rows {
		p.subtract(r, "k", cols)
	}
	p.line("}")
	for step := range rows {
		p.row(step, rows, cols)
	}
}

// subtract subtracts the contribution of row k from row i + r.
func (p *solve) subtract(r int, k string, cols int) {
	at := fmt.Sprintf("l[(i + %d) * %d + %s]", r, p.N, k)
	if p.Trans {
		at = fmt.Sprintf("l[(%s) * %d + i + %d]", k, p.N, r)
	}
	for c := range cols {
		p.line("s%d_%d -= %s * x[(%s) * %d + m + %d];", r, c, at, k, p.M, c)
	}
}

// row solves one row of the tile, after the rows solved in earlier steps.
func (p *solve) row(step, rows, cols int) {
	order := func(k int) int {
		if p.Trans {
			return rows - 1 - k
		}
		return k
	}
	r := order(step)
	for before := range step {
		p.subtract(r, fmt.Sprintf("i + %d", order(before)), cols)
	}
	for c := range cols {
		p.line("x[(i + %d) * %d + m + %d] = s%d_%d / l[(i + %d) * %d + i + %d];", r, p.M, c, r, c, r, p.N, r)
	}
}

// eigen writes the decomposition of the matrices of all lanes, one lane after another.
func (f *file) eigen(s *ir.Eigen) {
	head, lanes, from, first := "for (long l = 0; l < 1; l++)", "1", "1", ""
	if f.wide(s.Out) {
		head, lanes = f.eachLane, "LANES"
	}
	if f.wide(s.In) {
		from, first = "LANES", " + l"
	}
	f.loop("n", s.Batch)
	f.line("real e[%d], w[%d];", max(s.N, 1), max(s.N, 1))
	f.line("%s", head)
	f.line("  eigen((const real *)(b%d + n * %d)%s, %s, (real *)(b%d + n * %d) + l, %s, %d, e, w);", s.In, s.N*s.N,
		first, from, s.Out, s.N*(s.N+1), lanes, s.N)
	f.ends(1)
}

func (f *file) ends(n int) {
	for range n {
		f.line("}")
	}
}
