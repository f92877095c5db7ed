package host

import (
	"math"

	"ppl/compiler/backend/ir"
)

// An operand is a buffer that a statement reads. If lanes share the buffer and the statement needs a copy per lane,
// temp is the number of the temporary with the copies.
type operand struct {
	buf   ir.BufID
	width int // width of the result of values
	temp  int // −1: no copies are needed
}

// operand returns an operand that reads a buffer directly.
func (c *compiler) operand(id ir.BufID) operand { return operand{id, c.widthOf(id), -1} }

// wide returns an operand that reads a buffer with one copy per lane.
func (c *compiler) wide(id ir.BufID) operand {
	if c.widthOf(id) == c.width {
		return c.operand(id)
	}
	return operand{id, c.width, c.temp(c.program.Buffers[id].Size * c.width)}
}

func (o operand) load(w *worker) {
	if o.temp >= 0 {
		repeatEach(w.temp[o.temp], w.bufs[o.buf], o.width)
	}
}

func (o operand) values(w *worker) []float64 {
	if o.temp >= 0 {
		return w.temp[o.temp]
	}
	return w.bufs[o.buf]
}

// cumSum is the cumulative sum along the middle axis of [Outer, N, Inner·lanes].
type cumSum struct {
	*ir.CumSum
	in    operand
	width int
	typ   ir.Type
}

func (c *compiler) cumSum(in *ir.CumSum) statement {
	return &cumSum{in, c.wide(in.In), c.width, c.program.Buffers[in.Out].Type}
}

func (s *cumSum) run(w *worker) {
	s.in.load(w)
	row := s.Inner * s.width
	in, out := s.in.values(w), w.bufs[s.Out]
	for o := range s.Outer {
		s.outer(in[o*s.N*row:][:s.N*row], out[o*s.N*row:][:s.N*row], row)
	}
	round(out, s.typ)
}

func (s *cumSum) outer(in, out []float64, row int) {
	copy(out, in)
	for j := 1; j < s.N; j++ {
		i, prev := j, j-1
		if s.Reverse {
			i, prev = s.N-1-j, s.N-j
		}
		addLoop(out[i*row:][:row], out[prev*row:][:row], out[i*row:][:row])
	}
}

// cholesky is the row-by-row factorisation (Golub & Van Loan, Matrix Computations, 4.2), for all lanes at once.
type cholesky struct {
	*ir.Cholesky
	in    operand
	width int
	typ   ir.Type
}

func (c *compiler) cholesky(in *ir.Cholesky) statement {
	return &cholesky{in, c.wide(in.In), c.width, c.program.Buffers[in.Out].Type}
}

func (s *cholesky) run(w *worker) {
	s.in.load(w)
	size := s.N * s.N * s.width
	in, out := s.in.values(w), w.bufs[s.Out]
	for b := range s.Batch {
		s.factor(in[b*size:][:size], out[b*size:][:size])
	}
	round(out, s.typ)
}

func (s *cholesky) factor(a, l []float64) {
	clear(l)
	row := s.N * s.width
	for i := range s.N {
		for j := range i + 1 {
			at := i*row + j*s.width
			cell := l[at:][:s.width]
			dotLanes(cell, l[i*row:], l[j*row:], j, s.width, s.width)
			subLoop(cell, a[at:][:s.width], cell)
			if i == j {
				roots(cell)
			} else {
				divLoop(cell, cell, l[j*row+j*s.width:][:s.width])
			}
		}
	}
	s.setNaN(l)
}

// roots replaces pivots by their square roots; they are NaN if a pivot is not positive and finite. A NaN propagates to
// the last pivot of its lane, where setNaN detects it.
func roots(pivot []float64) {
	for i, v := range pivot {
		pivot[i] = math.NaN()
		if v > 0 && !math.IsInf(v, 1) {
			pivot[i] = math.Sqrt(v)
		}
	}
}

// setNaN sets the entire matrix to NaN in lanes whose factorisation failed.
func (s *cholesky) setNaN(l []float64) {
	for lane := range s.width {
		if last := len(l) - s.width + lane; len(l) > 0 && l[last] != l[last] {
			for i := lane; i < len(l); i += s.width {
				l[i] = math.NaN()
			}
		}
	}
}

// triSolve is forward substitution (backward for the transpose), row by row of the right-hand side.
type triSolve struct {
	*ir.TriSolve
	l, b  operand
	width int
	typ   ir.Type
}

func (c *compiler) triSolve(in *ir.TriSolve) statement {
	return &triSolve{in, c.wide(in.L), c.wide(in.B), c.width, c.program.Buffers[in.Out].Type}
}

func (s *triSolve) run(w *worker) {
	s.l.load(w)
	s.b.load(w)
	lSize, xSize := s.N*s.N*s.width, s.N*s.M*s.width
	l, b, x := s.l.values(w), s.b.values(w), w.bufs[s.Out]
	copy(x, b)
	for i := range s.Batch {
		s.solve(l[i*lSize:][:lSize], x[i*xSize:][:xSize])
	}
	round(x, s.typ)
}

func (s *triSolve) solve(l, x []float64) {
	for step := range s.N {
		i := step
		if s.Trans {
			i = s.N - 1 - step
		}
		for done := range step {
			k, at := done, i*s.N+done
			if s.Trans {
				k = s.N - 1 - done
				at = k*s.N + i
			}
			s.subtract(s.row(x, i), s.row(x, k), l[at*s.width:][:s.width])
		}
		s.divide(s.row(x, i), l[(i*s.N+i)*s.width:][:s.width])
	}
}

func (s *triSolve) row(x []float64, i int) []float64 { return x[i*s.M*s.width:][:s.M*s.width] }

// subtract computes x −= f·y, with one factor per lane.
func (s *triSolve) subtract(x, y, f []float64) {
	for m := 0; m < len(x); m += len(f) {
		x, y := x[m:][:len(f)], y[m:][:len(f)]
		for i, v := range f {
			x[i] -= v * y[i]
		}
	}
}

func (s *triSolve) divide(x, f []float64) {
	for m := 0; m < len(x); m += len(f) {
		divLoop(x[m:][:len(f)], x[m:][:len(f)], f)
	}
}

// choleskyPull is the pullback of a Cholesky factor, starting with the last column; see autodiff.CholeskyPull.
type choleskyPull struct {
	*ir.CholeskyPull
	l, bar operand
	width  int
	typ    ir.Type
}

func (c *compiler) choleskyPull(in *ir.CholeskyPull) statement {
	return &choleskyPull{in, c.wide(in.L), c.wide(in.Bar), c.width, c.program.Buffers[in.Out].Type}
}

func (s *choleskyPull) run(w *worker) {
	s.l.load(w)
	s.bar.load(w)
	size := s.N * s.N * s.width
	l, bar, out := s.l.values(w), s.bar.values(w), w.bufs[s.Out]
	for b := range s.Batch {
		for c := s.N - 1; c >= 0; c-- {
			s.column(c, l[b*size:][:size], bar[b*size:][:size], out[b*size:][:size])
		}
	}
	round(out, s.typ)
}

// column sets column c of x to (½ bar_ic − Σ_{j>c} x_ij l_jc) / l_cc, on both sides of the diagonal and on it.
func (s *choleskyPull) column(c int, l, bar, x []float64) {
	row, rest := s.N*s.width, s.N-1-c
	at := func(m []float64, i, j int) []float64 { return m[i*row+j*s.width:] }
	for i := s.N - 1; i >= c; i-- {
		cell := at(x, i, c)[:s.width]
		clear(cell)
		if rest > 0 {
			dotLanes(cell, at(x, i, c+1), at(l, c+1, c), rest, s.width, row)
		}
		half, pivot := at(bar, i, c), at(l, c, c)
		for k, sum := range cell {
			cell[k] = (half[k]/2 - sum) / pivot[k]
		}
		copy(at(x, c, i), cell)
	}
}
