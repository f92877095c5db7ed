package render

import (
	"fmt"

	"ppl/compiler/ir"
)

// cumSum adds each row of [Outer, N, Inner] to the one before.
func (f *file) cumSum(s *ir.CumSum) {
	t, w := f.typeOf(f.wide(s.Out)), f.wide(s.Out)
	f.loop("o", s.Outer)
	f.loop("i", s.Inner)
	f.line("%s sum = %s;", t, as("0", false, w))
	f.loop("n", s.N)
	at := "n"
	if s.Reverse {
		at = fmt.Sprintf("(%d - n)", s.N-1)
	}
	f.line("const long at = (o * %d + %s) * %d + i;", s.N, at, s.Inner)
	f.line("b%d[at] = sum = sum + b%d[at];", s.Out, s.In)
	f.ends(3)
}

// cholesky is the row-by-row factorisation (Golub & Van Loan, Matrix Computations, 4.2), all lanes abreast.
func (f *file) cholesky(s *ir.Cholesky) {
	w := f.wide(s.Out)
	t, x := f.typeOf(w), suffix(w)
	f.loop("n", s.Batch)
	f.line("%s *l = b%d + n * %d;", t, s.Out, s.N*s.N)
	f.line("const %s *a = b%d + n * %d;", f.typeOf(f.wide(s.In)), s.In, s.N*s.N)
	f.line("%s bad = %s;", t, as("0", false, w))
	f.loop("i", s.N)
	f.line("for (long j = 0; j <= i; j++) {")
	f.line("%s sum = %s;", t, as(fmt.Sprintf("a[i * %d + j]", s.N), f.wide(s.In), w))
	f.line("for (long k = 0; k < j; k++) sum -= l[i * %d + k] * l[j * %d + k];", s.N, s.N)
	f.line("if (i > j) l[i * %d + j] = sum / l[j * %d + j];", s.N, s.N)
	f.line("else l[i * %d + i] = sqrt_%s(select_%s(lt_%s(%s, sum) & lt_%s(sum, %s), sum, %s));",
		s.N, x, x, x, as("0", false, w), x, as("INF", false, w), as("NAN", false, w))
	f.line("}")
	f.line("bad += l[i * %d + i];", s.N) // NaN from the first pivot that fails
	f.line("for (long j = i + 1; j < %d; j++) l[i * %d + j] = %s;", s.N, s.N, as("0", false, w))
	f.line("}")
	f.line("for (long e = 0; e < %d; e++) l[e] = select_%s(eq_%s(bad, bad), l[e], %s);", s.N*s.N, x, x, as("NAN", false, w))
	f.line("}")
}

// triSolve is forward substitution, or backward for the transpose, row by row of the right-hand side.
func (f *file) triSolve(s *ir.TriSolve) {
	w := f.wide(s.Out)
	row, at := "step", fmt.Sprintf("i * %d + k", s.N)
	if s.Trans {
		row, at = fmt.Sprintf("%d - step", s.N-1), fmt.Sprintf("k * %d + i", s.N)
	}
	f.loop("n", s.Batch)
	f.line("%s *x = b%d + n * %d;", f.typeOf(w), s.Out, s.N*s.M)
	f.line("const %s *l = b%d + n * %d;", f.typeOf(f.wide(s.L)), s.L, s.N*s.N)
	f.line("const %s *b = b%d + n * %d;", f.typeOf(f.wide(s.B)), s.B, s.N*s.M)
	f.loop("step", s.N)
	f.line("const long i = %s;", row)
	f.loop("m", s.M)
	f.line("%s sum = %s;", f.typeOf(w), as(fmt.Sprintf("b[i * %d + m]", s.M), f.wide(s.B), w))
	if s.Trans {
		f.line("for (long k = i + 1; k < %d; k++)", s.N)
	} else {
		f.line("for (long k = 0; k < i; k++)")
	}
	f.line("  sum -= l[%s] * x[k * %d + m];", at, s.M)
	f.line("x[i * %d + m] = sum / l[i * %d + i];", s.M, s.N)
	f.ends(3)
}

// eigen decomposes one lane's matrix after the other.
func (f *file) eigen(s *ir.Eigen) {
	lanes, from, first := "1", "1", ""
	if f.wide(s.Out) {
		lanes = "LANES"
	}
	if f.wide(s.In) {
		from, first = "LANES", " + l"
	}
	f.loop("n", s.Batch)
	f.line("real e[%d], w[%d];", max(s.N, 1), max(s.N, 1))
	f.line("for (long l = 0; l < %s; l++)", lanes)
	f.line("  eigen((const real *)(b%d + n * %d)%s, %s, (real *)(b%d + n * %d) + l, %s, %d, e, w);", s.In, s.N*s.N, first, from, s.Out, s.N*(s.N+1), lanes, s.N)
	f.ends(1)
}

func (f *file) ends(n int) {
	for range n {
		f.line("}")
	}
}
