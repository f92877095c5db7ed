package special

import "math"

// Eigen computes the eigendecomposition of the symmetric n×n matrix a, row-major; it reads only the lower triangle. It
// writes to out the n eigenvalues in increasing order, then the matrix of eigenvectors, one per column. The first
// element of each vector that is not within 1e-8 of 0 is positive. All results are NaN if a is not finite. Errors are a
// few times n units in the last place of the largest eigenvalue. Method: Householder's reduction to a tridiagonal
// matrix, then implicit QL (Golub & Van Loan, Matrix Computations, 8.3).
func Eigen(a, out []float64, n int) {
	d, z := out[:n], out[n:]
	e, w := make([]float64, n), make([]float64, n)
	sum := 0.0
	for i := range n {
		for j := range i + 1 {
			z[i*n+j] = a[i*n+j]
			sum += a[i*n+j]
		}
	}
	tridiagonal(d, e, w, z, n)
	if sum-sum != 0 || !diagonal(d, e, z, n) {
		for i := range out {
			out[i] = math.NaN()
		}
		return
	}
	order(d, z, n)
}

// tridiagonal reduces the lower triangle of z to the diagonal d and the off-diagonal e, and replaces z by the
// orthogonal matrix of the reduction. Each reflection is I − 2vvᵀ. Its v, of length 1 or 0, is stored in the column
// that it clears. w is workspace for a vector.
func tridiagonal(d, e, w, z []float64, n int) {
	for k := range n {
		d[k] = z[k*n+k]
		if k+1 < n {
			e[k] = reflector(z, k, n)
			reflect(z, w, k, n)
		}
	}
	for k := n - 1; k >= 0; k-- { // accumulate the product, beginning with the last reflection
		for j := k + 1; j < n; j++ {
			s := 0.0
			for i := k + 1; i < n; i++ {
				s += z[i*n+k] * z[i*n+j]
			}
			for i := k + 1; i < n; i++ {
				z[i*n+j] -= 2 * s * z[i*n+k]
			}
		}
		for i := k + 1; i < n; i++ {
			z[i*n+k], z[k*n+i] = 0, 0
		}
		z[k*n+k] = 1
	}
}

// reflector replaces column k below the diagonal by the v whose reflection maps it to a multiple of the first unit
// vector, and returns that multiple. v is 0 if the column is already such a multiple.
func reflector(z []float64, k, n int) float64 {
	first, rest := z[(k+1)*n+k], 0.0
	for i := k + 2; i < n; i++ {
		rest = math.Max(rest, math.Abs(z[i*n+k]))
	}
	size, norm := math.Max(math.Abs(first), rest), 0.0
	if rest == 0 {
		z[(k+1)*n+k] = 0
		return first
	}
	for i := k + 1; i < n; i++ {
		z[i*n+k] /= size
		norm += z[i*n+k] * z[i*n+k]
	}
	norm = -math.Copysign(math.Sqrt(norm), first)
	z[(k+1)*n+k] -= norm
	scale := 1 / math.Sqrt(-2*norm*z[(k+1)*n+k])
	for i := k + 1; i < n; i++ {
		z[i*n+k] *= scale
	}
	return norm * size
}

// reflect replaces the remaining matrix A by (I − 2vvᵀ) A (I − 2vvᵀ) = A − v wᵀ − w vᵀ, with w = 2Av − 2(vᵀAv) v.
func reflect(z, w []float64, k, n int) {
	inner := 0.0
	for i := k + 1; i < n; i++ {
		s := 0.0
		for j := k + 1; j < n; j++ {
			s += z[max(i, j)*n+min(i, j)] * z[j*n+k]
		}
		w[i] = 2 * s
		inner += s * z[i*n+k]
	}
	for i := k + 1; i < n; i++ {
		w[i] -= 2 * inner * z[i*n+k]
		for j := k + 1; j <= i; j++ {
			z[i*n+j] -= z[i*n+k]*w[j] + w[i]*z[j*n+k]
		}
	}
}

// diagonal makes e zero by rotations, which it also applies to z. It returns false if an eigenvalue needs more than 60
// iterations.
func diagonal(d, e, z []float64, n int) bool {
	for l := range n {
		for round := 0; ; round++ {
			m := l
			for m+1 < n && math.Abs(e[m]) > 0x1p-53*(math.Abs(d[m])+math.Abs(d[m+1])) {
				m++
			}
			if m == l {
				break
			}
			if round == 60 {
				return false
			}
			chase(d, e, z, l, m, n)
		}
	}
	return true
}

// chase performs one QL step on rows l…m, with Wilkinson's shift.
func chase(d, e, z []float64, l, m, n int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Sqrt(g*g+1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Sqrt(f*f + g*g)
		e[i+1] = r
		if r == 0 { // the matrix splits into two blocks here
			d[i+1] -= p
			e[m] = 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		for k := range n {
			x, y := z[k*n+i], z[k*n+i+1]
			z[k*n+i], z[k*n+i+1] = c*x-s*y, s*x+c*y
		}
	}
	d[l] -= p
	e[l], e[m] = g, 0
}

// order sorts the eigenvalues with their eigenvectors, and sets the signs of the eigenvectors.
func order(d, z []float64, n int) {
	for j := range n {
		least := j
		for i := j + 1; i < n; i++ {
			if d[i] < d[least] {
				least = i
			}
		}
		d[j], d[least] = d[least], d[j]
		sign := 0.0
		for i := range n {
			x := z[i*n+least]
			z[i*n+least], z[i*n+j] = z[i*n+j], x
			if sign == 0 && math.Abs(x) > 1e-8 {
				sign = math.Copysign(1, x)
			}
		}
		for i := range n {
			z[i*n+j] *= sign
		}
	}
}
