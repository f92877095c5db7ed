package autodiff

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A grid is a matrix read through strides, so that a transpose costs nothing.
type grid struct {
	v          []float64
	rows, cols int
	down, left int
}

func (m grid) at(i, j int) float64     { return m.v[i*m.down+j*m.left] }
func (m grid) set(i, j int, v float64) { m.v[i*m.down+j*m.left] = v }
func (m grid) t() grid                 { return grid{m.v, m.cols, m.rows, m.left, m.down} }

// gridOf is matrix b of the stack that n's value v is; a single matrix is every one of them.
func gridOf(n Node, v []float64, b int, trans bool) grid {
	rows, cols := matrix(n, false)
	if n.Rank() == 2 {
		b = 0
	}
	m := grid{v[b*rows*cols : (b+1)*rows*cols], rows, cols, cols, 1}
	if trans {
		return m.t()
	}
	return m
}

func matMul(n Node, a, b []float64) []float64 {
	out := make([]float64, n.Size())
	for k := range size(batchOf(n)) {
		x, y := gridOf(n.args[0], a, k, n.op.TransA), gridOf(n.args[1], b, k, n.op.TransB)
		multiply(x, y, gridOf(n, out, k, false))
	}
	return out
}

func multiply(x, y, out grid) {
	for i := range x.rows {
		for j := range y.cols {
			sum := 0.0
			for k := range x.cols {
				sum += x.at(i, k) * y.at(k, j)
			}
			out.set(i, j, sum)
		}
	}
}

func cholesky(n Node, a []float64) []float64 {
	out := make([]float64, n.Size())
	for k := range size(batchOf(n)) {
		factor(gridOf(n, a, k, false), gridOf(n, out, k, false))
	}
	return out
}

// factor is Cholesky and Banachiewicz's recursion, row by row; NaN throughout when a is not positive definite.
func factor(a, l grid) {
	for i := range a.rows {
		for j := 0; j <= i; j++ {
			s := a.at(i, j)
			for k := range j {
				s -= l.at(i, k) * l.at(j, k)
			}
			if i > j {
				l.set(i, j, s/l.at(j, j))
				continue
			}
			if !(s > 0) {
				copy(l.v, constant(math.NaN(), len(l.v)))
				return
			}
			l.set(i, i, math.Sqrt(s))
		}
	}
}

func eigen(n Node, a []float64) []float64 {
	out := make([]float64, n.Size())
	size := n.Shape()[n.Rank()-1]
	for k := range len(a) / max(size*size, 1) {
		decompose(a[k*size*size:][:size*size], out[k*(size+1)*size:][:(size+1)*size], size)
	}
	return out
}

// decompose is gonum's eigendecomposition, with the signs that Eigen promises.
func decompose(a, out []float64, n int) {
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			sym.SetSym(i, j, a[i*n+j])
		}
	}
	var e mat.EigenSym
	if !finite(mat.Sum(sym)) || !e.Factorize(sym, true) {
		copy(out, constant(math.NaN(), len(out)))
		return
	}
	e.Values(out[:n])
	var v mat.Dense
	e.VectorsTo(&v)
	for j := range n {
		s := signOf(v.ColView(j))
		for i := range n {
			out[(1+i)*n+j] = s * v.At(i, j)
		}
	}
}

// signOf is the sign of the first element that is not near 0.
func signOf(v mat.Vector) float64 {
	for i := range v.Len() {
		if x := v.AtVec(i); math.Abs(x) > 1e-8 {
			return sign(x)
		}
	}
	return 1
}

func triSolve(n Node, l, b []float64) []float64 {
	out := make([]float64, n.Size())
	for k := range size(batchOf(n)) {
		substitute(gridOf(n.args[0], l, k, n.op.TransA), n.op.TransA, gridOf(n.args[1], b, k, false),
			gridOf(n, out, k, false))
	}
	return out
}

func choleskyPull(n Node, l, bar []float64) []float64 {
	out := make([]float64, n.Size())
	for k := range size(batchOf(n)) {
		pullFactor(gridOf(n, l, k, false), gridOf(n, bar, k, false), gridOf(n, out, k, false))
	}
	return out
}

// pullFactor goes from the last column to the first, since (S·L)_ij reads S_ij and elements to its right.
func pullFactor(l, bar, s grid) {
	for j := l.cols - 1; j >= 0; j-- {
		for i := l.rows - 1; i >= j; i-- {
			sum := bar.at(i, j) / 2
			for k := j + 1; k < l.cols; k++ {
				sum -= s.at(i, k) * l.at(k, j)
			}
			s.set(i, j, sum/l.at(j, j))
			s.set(j, i, sum/l.at(j, j))
		}
	}
}

// substitute solves t·x = b forwards, or backwards when t is upper.
func substitute(t grid, upper bool, b, x grid) {
	for step := range t.rows {
		i, solved := step, iota0(step)
		if upper {
			i = t.rows - 1 - step
			for k := range solved {
				solved[k] += i + 1
			}
		}
		for j := range b.cols {
			s := b.at(i, j)
			for _, k := range solved {
				s -= t.at(i, k) * x.at(k, j)
			}
			x.set(i, j, s/t.at(i, i))
		}
	}
}
