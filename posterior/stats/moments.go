package stats

import "slices"

// Moments accumulates the mean and covariance of vectors in one pass, by Welford's update (Welford 1962, "Note on a
// method for calculating corrected sums of squares and products", Technometrics 4).
type Moments struct {
	n       int
	mean    []float64
	scatter []float64 // Σ (x − mean)(x − mean)ᵀ, [d, d] row-major
	delta   []float64
}

// NewMoments returns empty Moments for vectors of length d.
func NewMoments(d int) *Moments {
	return &Moments{mean: make([]float64, d), scatter: make([]float64, d*d), delta: make([]float64, d)}
}

// Add adds one vector.
func (m *Moments) Add(x []float64) {
	m.n++
	for i := range m.mean {
		m.delta[i] = x[i] - m.mean[i]
		m.mean[i] += m.delta[i] / float64(m.n)
	}
	for i, di := range m.delta {
		row := m.scatter[i*len(x):]
		for j := range x {
			row[j] += di * (x[j] - m.mean[j])
		}
	}
}

// N returns the number of vectors added.
func (m *Moments) N() int { return m.n }

// Mean returns the mean, or zeros if there are no vectors.
func (m *Moments) Mean() []float64 { return slices.Clone(m.mean) }

// Covariance returns the sample covariance, with divisor n − 1, as a row-major [d, d] matrix. It is NaN for fewer than
// two vectors.
func (m *Moments) Covariance() []float64 {
	c := slices.Clone(m.scatter)
	for i := range c {
		c[i] /= float64(max(m.n, 1) - 1)
	}
	return c
}
