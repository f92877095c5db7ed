package adapt

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// geometricMean returns A # B⁻¹, the symmetric positive definite X with X·B·X = A, by the coupled iteration X ← (X +
// Z⁻¹)/2, Z ← (Z + X⁻¹)/2 from (A, B) (Denman and Beavers, Appl. Math. Comput. 1976; Bhatia, Positive Definite
// Matrices, 2007, section 4.1). Unlike square roots from eigenvalues, it preserves small entries of badly scaled
// matrices. ok is false if a matrix is not positive definite, or if the iteration does not converge.
func geometricMean(a, b *mat.SymDense) (mean *mat.SymDense, ok bool) {
	x, z := a, b
	for range 80 {
		xi, ok1 := inverse(x)
		zi, ok2 := inverse(z)
		if !ok1 || !ok2 {
			return nil, false
		}
		gap := distance(x, zi)
		x, z = average(x, zi), average(z, xi)
		if gap < 1e-9 {
			return x, true
		}
	}
	return nil, false
}

func inverse(a *mat.SymDense) (*mat.SymDense, bool) {
	var c mat.Cholesky
	if !c.Factorize(a) {
		return nil, false
	}
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	if err := c.InverseTo(out); err != nil {
		if _, badlyScaled := err.(mat.Condition); !badlyScaled {
			return nil, false
		}
	}
	return out, true
}

func average(a, b *mat.SymDense) *mat.SymDense {
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	out.AddSym(a, b)
	out.ScaleSym(0.5, out)
	return out
}

// distance returns the largest difference between elements of a and b, relative to the diagonal of a.
func distance(a, b *mat.SymDense) float64 {
	most := 0.0
	for i := range a.SymmetricDim() {
		for j := range i + 1 {
			unit := math.Sqrt(a.At(i, i)) * math.Sqrt(a.At(j, j))
			most = math.Max(most, math.Abs(a.At(i, j)-b.At(i, j))/unit)
		}
	}
	return most
}

func symmetric(a *mat.Dense) *mat.SymDense {
	d, _ := a.Dims()
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}
