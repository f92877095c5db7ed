package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

const ln2 = math.Ln2

// factor returns the lower Cholesky factor of a covariance, row-major, or NaNs if it is not positive definite. It calls
// LAPACK's routine directly, because gonum's Cholesky also estimates a condition number, which takes longer than the
// factorisation of a small matrix.
func factor(cov []float64, d int) []float64 {
	u := blas64.Symmetric{N: d, Stride: max(1, d), Data: slices.Clone(cov[:d*d]), Uplo: blas.Upper}
	_, ok := lapack64.Potrf(u)
	l := make([]float64, d*d)
	for i := range l {
		switch {
		case !ok:
			l[i] = math.NaN()
		case i%d <= i/d:
			l[i] = u.Data[i%d*d+i/d]
		}
	}
	return l
}

func drawMvNormalCov(r *rand.Rand, a [][]float64, out []float64) {
	drawMvNormalChol(r, [][]float64{a[0], factor(a[1], len(out))}, out)
}

// drawMvNormalChol draws mu + L z.
func drawMvNormalChol(r *rand.Rand, a [][]float64, out []float64) {
	d := len(out)
	z := normals(r, d)
	for i := range out {
		out[i] = element(a[0], i)
		for j := 0; j <= i; j++ {
			out[i] += a[1][i*d+j] * z[j]
		}
	}
}

// drawMvNormalPrec draws mu + L⁻ᵀ z by back substitution, where L Lᵀ is the precision.
func drawMvNormalPrec(r *rand.Rand, a [][]float64, out []float64) {
	d := len(out)
	l, z := factor(a[1], d), normals(r, d)
	for i := d - 1; i >= 0; i-- {
		for j := i + 1; j < d; j++ {
			z[i] -= l[j*d+i] * z[j]
		}
		z[i] /= l[i*d+i]
		out[i] = element(a[0], i) + z[i]
	}
}

func drawMvNormalCorr(r *rand.Rand, a [][]float64, out []float64) {
	drawMvNormalCov(r, [][]float64{{0}, a[2]}, out)
	for i := range out {
		out[i] = element(a[0], i) + element(a[1], i)*out[i]
	}
}

// drawMvStudent draws mu + L z/√(c/nu), where c has a chi-square distribution with nu degrees of freedom.
func drawMvStudent(r *rand.Rand, nu float64, mu, l, out []float64) {
	root := math.Sqrt(drawGamma(r, nu/2) * 2 / nu)
	drawMvNormalChol(r, [][]float64{{0}, l}, out)
	for i := range out {
		out[i] = element(mu, i) + out[i]/root
	}
}

// drawDirection draws a vector of independent normals and divides it by its length (Muller 1959).
func drawDirection(r *rand.Rand, _ [][]float64, out []float64) {
	copy(out, normals(r, len(out)))
	length := floats.Norm(out, 2)
	floats.Scale(1/length, out)
}

// element returns element i of a vector argument, which may have been given as one number for all elements.
func element(v []float64, i int) float64 {
	if len(v) == 1 {
		return v[0]
	}
	return v[i]
}

func normals(r *rand.Rand, n int) []float64 {
	z := make([]float64, n)
	for i := range z {
		z[i] = r.NormFloat64()
	}
	return z
}

// drawLKJ builds the Cholesky factor from canonical partial correlations. Those in column k (0-based) have the
// distribution Beta(b, b), scaled to −1..1, with b = eta + (D−2−k)/2 (Lewandowski, Kurowicka & Joe 2009, section 2).
func drawLKJ(r *rand.Rand, eta float64, out []float64) {
	d := int(math.Round(math.Sqrt(float64(len(out)))))
	l := mat.NewDense(d, d, nil)
	for i := range d {
		left := 1.0
		for k := range i {
			b := eta + float64(d-2-k)/2
			z := 2*drawBeta(r, b, b) - 1
			l.Set(i, k, z*math.Sqrt(left))
			left *= 1 - z*z
		}
		l.Set(i, i, math.Sqrt(left))
	}
	var m mat.Dense
	m.Mul(l, l.T())
	for i := range out {
		out[i] = m.At(i/d, i%d)
	}
	for i := range d {
		out[i*d+i] = 1
	}
}
