package autodiff

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"ppl/autodiff/special"
)

// A Grid is a matrix with strides, so that transposing costs nothing.
type Grid[T any] struct {
	v          []T
	Rows, Cols int
	down, left int // distances in v between rows and between columns
}

type grid = Grid[float64]

// At returns element (i, j).
func (m Grid[T]) At(i, j int) T { return m.v[i*m.down+j*m.left] }

// Set sets element (i, j).
func (m Grid[T]) Set(i, j int, v T) { m.v[i*m.down+j*m.left] = v }

// GridOf returns matrix b of the stack v, the value of n. A node of a single matrix returns that matrix for every b.
func GridOf[T any](n Node, v []T, b int, trans bool) Grid[T] {
	rows, cols := matrix(n, false)
	if n.Rank() == 2 {
		b = 0
	}
	m := Grid[T]{v[b*rows*cols : (b+1)*rows*cols], rows, cols, cols, 1}
	if trans {
		return Grid[T]{m.v, cols, rows, 1, cols}
	}
	return m
}

// Stack returns the number of matrices in a node's value.
func Stack(n Node) int { return size(batchOf(n)) }

func matMulKernel(n Node) kernel {
	return func(out []float64, args [][]float64) {
		for k := range Stack(n) {
			x, y := GridOf(n.args[0], args[0], k, n.op.TransA), GridOf(n.args[1], args[1], k, n.op.TransB)
			multiply(x, y, GridOf(n, out, k, false))
		}
	}
}

func multiply(x, y, out grid) {
	for i := range x.Rows {
		for j := range y.Cols {
			sum := 0.0
			for k := range x.Cols {
				sum += x.At(i, k) * y.At(k, j)
			}
			out.Set(i, j, sum)
		}
	}
}

func choleskyKernel(n Node) kernel {
	return func(out []float64, args [][]float64) {
		clear(out)
		for k := range Stack(n) {
			factor(GridOf(n, args[0], k, false), GridOf(n, out, k, false))
		}
	}
}

// factor computes the Cholesky factor row by row (Cholesky–Banachiewicz). All elements are NaN if a is not positive
// definite.
func factor(a, l grid) {
	for i := range a.Rows {
		for j := 0; j <= i; j++ {
			s := a.At(i, j)
			for k := range j {
				s -= l.At(i, k) * l.At(j, k)
			}
			if i > j {
				l.Set(i, j, s/l.At(j, j))
				continue
			}
			if !(s > 0) {
				setAll(l.v, math.NaN())
				return
			}
			l.Set(i, i, math.Sqrt(s))
		}
	}
}

func eigenKernel(n Node) kernel {
	size := n.Shape()[n.Rank()-1]
	return func(out []float64, args [][]float64) {
		a := args[0]
		for k := range len(a) / max(size*size, 1) {
			decompose(a[k*size*size:][:size*size], out[k*(size+1)*size:][:(size+1)*size], size)
		}
	}
}

// decompose calls gonum's eigendecomposition and sets the signs that Eigen specifies.
func decompose(a, out []float64, n int) {
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			sym.SetSym(i, j, a[i*n+j])
		}
	}
	var e mat.EigenSym
	if !finite(mat.Sum(sym)) || !e.Factorize(sym, true) {
		setAll(out, math.NaN())
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

// signOf returns the sign of the first element that is not near 0.
func signOf(v mat.Vector) float64 {
	for i := range v.Len() {
		if x := v.AtVec(i); math.Abs(x) > 1e-8 {
			return special.Sign(x)
		}
	}
	return 1
}

func triSolveKernel(n Node) kernel {
	return func(out []float64, args [][]float64) {
		for k := range Stack(n) {
			t, b := GridOf(n.args[0], args[0], k, n.op.TransA), GridOf(n.args[1], args[1], k, false)
			substitute(t, n.op.TransA, b, GridOf(n, out, k, false))
		}
	}
}

func choleskyPullKernel(n Node) kernel {
	return func(out []float64, args [][]float64) {
		for k := range Stack(n) {
			pullFactor(GridOf(n, args[0], k, false), GridOf(n, args[1], k, false), GridOf(n, out, k, false))
		}
	}
}

// pullFactor computes CholeskyPull for one matrix. It runs from the last column to the first, because (S·L)_ij depends
// on S_ij and elements to its right.
func pullFactor(l, bar, s grid) {
	for j := l.Cols - 1; j >= 0; j-- {
		for i := l.Rows - 1; i >= j; i-- {
			sum := bar.At(i, j) / 2
			for k := j + 1; k < l.Cols; k++ {
				sum -= s.At(i, k) * l.At(k, j)
			}
			s.Set(i, j, sum/l.At(j, j))
			s.Set(j, i, sum/l.At(j, j))
		}
	}
}

// substitute solves t·x = b by forward substitution, or by back substitution if t is upper triangular.
func substitute(t grid, upper bool, b, x grid) {
	for step := range t.Rows {
		i, lo, hi := step, 0, step // the rows of x in lo…hi−1 are known
		if upper {
			i = t.Rows - 1 - step
			lo, hi = i+1, t.Rows
		}
		for j := range b.Cols {
			s := b.At(i, j)
			for k := lo; k < hi; k++ {
				s -= t.At(i, k) * x.At(k, j)
			}
			x.Set(i, j, s/t.At(i, i))
		}
	}
}
