package devicetest

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"ppl/compiler/backend/ir"
)

// cholesky uses gonum on the lower triangle.
func cholesky(s *ir.Cholesky, m memory) {
	n := s.N
	for b := range s.Batch {
		in, out := m[s.In][b*n*n:][:n*n], m[s.Out][b*n*n:][:n*n]
		if n == 0 {
			continue
		}
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				sym.SetSym(i, j, in[i*n+j])
			}
		}
		var c mat.Cholesky
		if !c.Factorize(sym) {
			for i := range out {
				out[i] = math.NaN()
			}
			continue
		}
		var l mat.TriDense
		c.LTo(&l)
		for i := range n {
			for j := range n {
				out[i*n+j] = l.At(i, j)
			}
		}
	}
}

// eigen uses gonum, with the signs that ir.Eigen guarantees.
func eigen(s *ir.Eigen, m memory) {
	n := s.N
	for b := range s.Batch {
		in, out := m[s.In][b*n*n:][:n*n], m[s.Out][b*n*(n+1):][:n*(n+1)]
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				sym.SetSym(i, j, in[i*n+j])
			}
		}
		var e mat.EigenSym
		if sum := mat.Sum(sym); sum-sum != 0 || !e.Factorize(sym, true) {
			for i := range out {
				out[i] = math.NaN()
			}
			continue
		}
		e.Values(out[:n])
		var v mat.Dense
		e.VectorsTo(&v)
		for j := range n {
			sign := signOf(v.ColView(j))
			for i := range n {
				out[(1+i)*n+j] = sign * v.At(i, j)
			}
		}
	}
}

// signOf returns the sign of the first element that is not near 0.
func signOf(v mat.Vector) float64 {
	for i := range v.Len() {
		if x := v.AtVec(i); math.Abs(x) > 1e-8 {
			return math.Copysign(1, x)
		}
	}
	return 1
}

// triSolve uses gonum's trsm.
func triSolve(s *ir.TriSolve, m memory) {
	trans := blas.NoTrans
	if s.Trans {
		trans = blas.Trans
	}
	copy(m[s.Out], m[s.B])
	if s.N == 0 || s.M == 0 {
		return
	}
	for b := range s.Batch {
		l := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: s.N, Stride: s.N,
			Data: m[s.L][b*s.N*s.N:][:s.N*s.N]}
		x := blas64.General{Rows: s.N, Cols: s.M, Stride: s.M, Data: m[s.Out][b*s.N*s.M:][:s.N*s.M]}
		blas64.Trsm(blas.Left, trans, 1, l, x)
	}
}

// choleskyPull computes Murray's S = ½ L⁻ᵀ(P + Pᵀ)L⁻¹ with P = Φ(Lᵀ·tril(Bar)), where Φ takes the lower triangle and
// halves its diagonal (arXiv:1602.07527, equation 10), by gonum's trmm and trsm.
func choleskyPull(s *ir.CholeskyPull, m memory) {
	n := s.N
	for b := range s.Batch {
		if n == 0 {
			continue
		}
		l := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Stride: n, Data: m[s.L][b*n*n:][:n*n]}
		bar, out := m[s.Bar][b*n*n:][:n*n], m[s.Out][b*n*n:][:n*n]
		if !allFinite(l.Data) || !allFinite(bar) {
			pullBack(n, l.Data, bar, out)
			continue
		}
		p := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		for i := range n {
			copy(p.Data[i*n:], bar[i*n:][:i+1])
		}
		blas64.Trmm(blas.Left, blas.Trans, 1, l, p)
		x := blas64.General{Rows: n, Cols: n, Stride: n, Data: out}
		for i := range n {
			for j := range i + 1 {
				out[i*n+j], out[j*n+i] = p.Data[i*n+j]/2, p.Data[i*n+j]/2
			}
		}
		blas64.Trsm(blas.Left, blas.Trans, 1, l, x)
		blas64.Trsm(blas.Right, blas.NoTrans, 1, l, x)
	}
}

// pullBack computes choleskyPull from the last column to the first, by tril(2SL) = tril(Bar), so that values that are
// not finite affect only the elements that depend on them.
func pullBack(n int, l, bar, out []float64) {
	for c := n - 1; c >= 0; c-- {
		for i := n - 1; i >= c; i-- {
			sum := 0.0
			for j := c + 1; j < n; j++ {
				sum += out[i*n+j] * l[j*n+c]
			}
			out[i*n+c] = (bar[i*n+c]/2 - sum) / l[c*n+c]
			out[c*n+i] = out[i*n+c]
		}
	}
}

func allFinite(xs []float64) bool {
	for _, x := range xs {
		if x-x != 0 {
			return false
		}
	}
	return true
}
