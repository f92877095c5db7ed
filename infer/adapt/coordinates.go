package adapt

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Push returns Lz: it maps a vector from whitened coordinates to the target's.
func (m Metric) Push(z []float64) []float64 {
	out := make([]float64, m.Dim)
	if m.Rank < 0 {
		mat.NewVecDense(m.Dim, out).MulVec(mat.NewDense(m.Dim, m.Dim, m.Factor), mat.NewVecDense(m.Dim, z))
		return out
	}
	m.bendVector(out, z, m.Stretch)
	for j := range out {
		out[j] *= m.Scale[j]
	}
	return out
}

// Distance returns the squared length of L⁻¹(a − b), the squared distance in whitened coordinates.
func (m Metric) Distance(a, b []float64) float64 {
	z := make([]float64, m.Dim)
	for j := range z {
		z[j] = a[j] - b[j]
	}
	if m.Rank < 0 {
		v := mat.NewVecDense(m.Dim, z)
		if err := v.SolveVec(mat.NewTriDense(m.Dim, mat.Lower, m.Factor), v); err != nil {
			if _, badlyConditioned := err.(mat.Condition); !badlyConditioned {
				return math.Inf(1)
			}
		}
		return mat.Dot(v, v)
	}
	for j := range z {
		z[j] /= m.Scale[j]
	}
	inverse := make([]float64, m.Rank)
	for k, s := range m.Stretch {
		inverse[k] = 1/(1+s) - 1
	}
	m.bendVector(z, z, inverse)
	sum := 0.0
	for _, v := range z {
		sum += v * v
	}
	return sum
}

// bendVector stores (I + V diag(stretch) Vᵀ) z in dst, which may be z.
func (m Metric) bendVector(dst, z, stretch []float64) {
	along := make([]float64, m.Rank)
	for j, x := range z {
		for k := range along {
			along[k] += m.Vectors[j*m.Rank+k] * stretch[k] * x
		}
	}
	for j, x := range z {
		for k, a := range along {
			x += m.Vectors[j*m.Rank+k] * a
		}
		dst[j] = x
	}
}
