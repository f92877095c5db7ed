package evaluate

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

func dense(v value) *mat.Dense {
	m := asMatrix(v)
	if len(m.nums) == 0 {
		fail("a matrix has no elements")
	}
	return mat.NewDense(m.dims[0], m.dims[1], append([]float64(nil), m.nums...))
}

func ofDense(m mat.Matrix) value {
	r, c := m.Dims()
	out := matrix(r, c, make([]float64, r*c))
	for i := range r {
		for j := range c {
			out.nums[i*c+j] = m.At(i, j)
		}
	}
	return out
}

func symmetric(v value) *mat.SymDense {
	mustBeSquare(v)
	n := v.dims[0]
	if n == 0 {
		fail("a matrix has no elements")
	}
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, v.nums[j*n+i])
		}
	}
	return s
}

// times returns the product of two matrices.
func times(a, b value) value { return product(a, b, matrix(0, 0, nil).typ) }

// cholesky returns the Cholesky factor of a matrix. As in Stan, a point is rejected if the matrix has none.
func cholesky(v value) value {
	var c mat.Cholesky
	if !c.Factorize(symmetric(v)) {
		panic(rejected{})
	}
	var l mat.TriDense
	c.LTo(&l)
	return ofDense(&l)
}

func inverse(v value) value {
	mustBeSquare(v)
	return solved(v, diagonalMatrix(repeat("vector", 1, v.dims[0]).nums))
}

// solved returns a \ b.
func solved(a, b value) value {
	mustBeSquare(a)
	mustMatch(a.dims[0], asMatrix(b).dims[0])
	var out mat.Dense
	if err := out.Solve(dense(a), dense(b)); err != nil {
		if _, inexact := err.(mat.Condition); !inexact {
			panic(rejected{})
		}
	}
	return ofDense(&out)
}

func divideLeft(a, b value) value { return solved(a, b) }

// divideRight returns a / b.
func divideRight(a, b value) value {
	return transposed(solved(transposed(asMatrix(b)), transposed(asMatrix(a))))
}

func determinant(v value) float64 {
	mustBeSquare(v)
	return mat.Det(dense(v))
}

func diagonal(v value) []float64 {
	out := make([]float64, min(v.dims[0], v.dims[1]))
	for i := range out {
		out[i] = v.nums[i*v.dims[1]+i]
	}
	return out
}

func diagonalMatrix(d []float64) value {
	out := matrix(len(d), len(d), make([]float64, len(d)*len(d)))
	for i, x := range d {
		out.nums[i*len(d)+i] = x
	}
	return out
}

func lowerPart(v value) value {
	out := v.clone()
	for i := range v.dims[0] {
		for j := i + 1; j < v.dims[1]; j++ {
			out.nums[i*v.dims[1]+j] = 0
		}
	}
	return out
}

// scaled multiplies the rows and the columns of a matrix by numbers; nil leaves them unchanged.
func scaled(m value, rows, cols []float64) value {
	if rows != nil {
		mustMatch(m.dims[0], len(rows))
	}
	if cols != nil {
		mustMatch(m.dims[1], len(cols))
	}
	out := m.clone()
	for i := range m.dims[0] {
		for j := range m.dims[1] {
			if rows != nil {
				out.nums[i*m.dims[1]+j] *= rows[i]
			}
			if cols != nil {
				out.nums[i*m.dims[1]+j] *= cols[j]
			}
		}
	}
	return out
}

func rowDots(a, b value) value {
	x, y := asMatrix(a), asMatrix(b)
	mustMatch(len(x.nums), len(y.nums))
	n := x.dims[1]
	out := make([]float64, x.dims[0])
	for i := range out {
		out[i] = dot(x.nums[i*n:(i+1)*n], y.nums[i*n:(i+1)*n])
	}
	return vector(out)
}

func quadForm(_ *run, a []value) value {
	out := times(transposed(asMatrix(a[1])), times(a[0], a[1]))
	if len(a[1].dims) == 1 {
		return real(out.nums[0])
	}
	return out
}

func traceQuadForm(_ *run, a []value) value {
	sum := 0.0
	for _, x := range diagonal(asMatrix(times(transposed(asMatrix(a[1])), times(a[0], a[1])))) {
		sum += x
	}
	return real(sum)
}

// eigen returns the eigenvalues of a symmetric matrix in increasing order, and its eigenvectors.
func eigen(v value) (values, vectors value) {
	var e mat.EigenSym
	if !e.Factorize(symmetric(v), true) {
		panic(rejected{})
	}
	var m mat.Dense
	e.VectorsTo(&m)
	return vector(e.Values(nil)), ofDense(&m)
}

func matrixExp(v value) value {
	mustBeSquare(v)
	var m mat.Dense
	m.Exp(dense(v))
	return ofDense(&m)
}

// covariance returns a covariance function of one or two lists of points, which are numbers or vectors. f takes the
// distance divided by the length scale, which may differ between dimensions.
func covariance(f func(distance float64) float64) function {
	return func(_ *run, a []value) value {
		p, q, rest := a[0].instances(len(a[0].dims)-1), a[0].instances(len(a[0].dims)-1), a[1:]
		if len(a) == 4 {
			q, rest = a[1].instances(len(a[1].dims)-1), a[2:]
		}
		out := matrix(len(p), len(q), make([]float64, room(len(p), len(q))))
		for i := range p {
			for j := range q {
				d := squaredDistance(divided(p[i], rest[1]), divided(q[j], rest[1]))
				out.nums[i*len(q)+j] = rest[0].num() * rest[0].num() * f(math.Sqrt(d))
			}
		}
		return out
	}
}

// divided returns the elements of a point divided by the length scales.
func divided(point, length value) []float64 {
	if !length.isScalar() {
		mustMatch(len(point.nums), len(length.nums))
	}
	out := make([]float64, len(point.nums))
	for i, v := range point.nums {
		out[i] = v / length.at(i)
	}
	return out
}
