package adapt

import (
	"math"
	"sort"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// estimateLowRank scales each coordinate by (Var(x)/Var(g))^¼. It then stretches the few directions, in the span of the
// points, in which the variances still differ most from 1. One stiff direction across many coordinates would make all
// their scales too small. So it corrects the scales in the stretched coordinates and finds the directions again,
// several times.
func (m Metric) estimateLowRank(p *Points) Metric {
	const rounds = 3
	out := lowRank(m.Dim, m.Rank)
	copy(out.Scale, m.Scale)
	if m.Rank == 0 {
		out.rescaleAxes(p)
		return out
	}
	for range rounds {
		x, g := rows(p.X), rows(p.G)
		scaleColumns(x, out.Scale, -1)
		scaleColumns(g, out.Scale, 1)
		out.bend(x, true)
		out.bend(g, false)
		spread, slope := shrunkSquares(x), shrunkSquares(g)
		for j := range m.Dim {
			out.Scale[j] *= math.Sqrt(math.Sqrt(spread[j] / slope[j]))
		}
		x, g = rows(p.thinned()), rows(p.thinnedGradients())
		scaleColumns(x, out.Scale, -1)
		scaleColumns(g, out.Scale, 1)
		out.stretch(x, g)
	}
	return out
}

// rescaleAxes is estimateLowRank for a metric without directions. It does not copy the points.
func (m Metric) rescaleAxes(p *Points) {
	inverse := make([]float64, m.Dim)
	for j, s := range m.Scale {
		inverse[j] = 1 / s
	}
	spread, slope := meanSquares(p.X, inverse), meanSquares(p.G, m.Scale)
	for j := range m.Scale {
		m.Scale[j] *= math.Sqrt(math.Sqrt(spread[j] / slope[j]))
	}
}

// meanSquares returns the shrunk mean squares of points about their mean, after coordinate j is multiplied by units[j].
func meanSquares(points [][]float64, units []float64) []float64 {
	n := float64(len(points))
	mean, out := make([]float64, len(units)), make([]float64, len(units))
	for _, p := range points {
		add(mean, p, 1/n)
	}
	for _, p := range points {
		for j, v := range p {
			z := (v - mean[j]) * units[j]
			out[j] += z * z
		}
	}
	return shrunk(out, n)
}

// bend multiplies each row of x by I + V diag(stretch) Vᵀ, or by its inverse.
func (m Metric) bend(x *mat.Dense, inverse bool) {
	if m.Rank == 0 {
		return
	}
	v := mat.NewDense(m.Dim, m.Rank, m.Vectors)
	factors := make([]float64, m.Rank)
	for k, s := range m.Stretch {
		factors[k] = s
		if inverse {
			factors[k] = 1/(1+s) - 1
		}
	}
	var along, back mat.Dense
	along.Mul(x, v)
	along.Mul(&along, mat.NewDiagDense(m.Rank, factors))
	back.Mul(&along, v.T())
	x.Add(x, &back)
}

// mostRows is the maximum number of points used to find directions. More points would cost more than they gain.
const mostRows = 150

func (p *Points) thinned() [][]float64          { return evenlySpaced(p.X) }
func (p *Points) thinnedGradients() [][]float64 { return evenlySpaced(p.G) }

func evenlySpaced(points [][]float64) [][]float64 {
	step := (len(points) + mostRows - 1) / mostRows
	var out [][]float64
	for i := 0; i < len(points); i += step {
		out = append(out, points[i])
	}
	return out
}

// shrunkSquares returns the mean square of each column, shrunk towards 1 as in covariance.
func shrunkSquares(x *mat.Dense) []float64 {
	n, d := x.Dims()
	out := make([]float64, d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			out[j] += v * v
		}
	}
	return shrunk(out, float64(n))
}

// shrunk replaces sums of n squares by shrunk mean squares, in place.
func shrunk(sums []float64, n float64) []float64 {
	for j, sum := range sums {
		sums[j] = (sum + prior(1)) / (n + prior(1))
	}
	return sums
}

func scaleColumns(x *mat.Dense, scale []float64, sign int) {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			if sign > 0 {
				row[j] *= scale[j]
			} else {
				row[j] /= scale[j]
			}
		}
	}
}

// stretch sets the directions whose variances are furthest from 1.
func (m *Metric) stretch(x, g *mat.Dense) {
	if values, directions, ok := spectrum(x, g, 2*m.Rank); ok {
		m.stretchAlong(values, directions)
	}
}

// stretchAlong sets Vectors and Stretch to the directions whose variances are furthest from 1. values holds the
// variances, the columns of directions the unit vectors.
func (m *Metric) stretchAlong(values []float64, directions *mat.Dense) {
	order := AllOf(len(values))
	sort.SliceStable(order, func(a, b int) bool {
		return math.Abs(math.Log(values[order[a]])) > math.Abs(math.Log(values[order[b]]))
	})
	for k, at := range order[:min(m.Rank, len(values))] {
		m.Stretch[k] = math.Sqrt(values[at]) - 1
		for j := range m.Dim {
			m.Vectors[j*m.Rank+k] = directions.At(j, at)
		}
	}
}

// spectrum returns the eigenvalues and eigenvectors of the geometric mean of Cov(x) and Cov(g)⁻¹, restricted to the
// span of up to k leading principal axes of positions and gradients. The eigenvectors are the columns [Dim, k].
func spectrum(x, g *mat.Dense, k int) (values []float64, directions *mat.Dense, ok bool) {
	basis := leading(x, g, k)
	var xq, gq mat.Dense
	xq.Mul(x, basis)
	gq.Mul(g, basis)
	s, ok := geometricMean(covariance(&xq), covariance(&gq))
	var e mat.EigenSym
	if !ok || !e.Factorize(s, true) {
		return nil, nil, false
	}
	var v mat.Dense
	e.VectorsTo(&v)
	directions = new(mat.Dense)
	directions.Mul(basis, &v)
	return e.Values(nil), directions, true
}

// leading returns an orthonormal basis of the span of up to k/2 principal axes of x and k/2 of g.
func leading(x, g *mat.Dense, k int) *mat.Dense {
	var a, b *mat.Dense
	var work sync.WaitGroup
	work.Go(func() { a = axes(x, k/2) })
	b = axes(g, k/2)
	work.Wait()
	d, ra := a.Dims()
	_, rb := b.Dims()
	both := mat.NewDense(rb+ra, d, nil)
	both.Slice(0, ra, 0, d).(*mat.Dense).Copy(a.T())
	both.Slice(ra, ra+rb, 0, d).(*mat.Dense).Copy(b.T())
	return axes(both, ra+rb)
}

// axes returns, as columns, up to k right singular vectors of x whose singular values are not far below the largest. It
// takes them from the matrix of products of rows or of columns, whichever is smaller, at a fraction of the cost of a
// singular value decomposition.
func axes(x *mat.Dense, k int) *mat.Dense {
	const small = 1e-8 // relative bound on squared singular values; below it, rounding errors would affect the vectors
	n, d := x.Dims()
	rows := n <= d
	products := mat.NewSymDense(min(n, d), nil)
	if rows {
		products.SymOuterK(1, x)
	} else {
		products.SymOuterK(1, x.T())
	}
	var e mat.EigenSym
	if !e.Factorize(products, true) {
		panic("internal error: eigenvalues of a finite symmetric matrix were not found")
	}
	values := e.Values(nil) // ascending
	most := values[len(values)-1]
	r := 1
	for r < min(k, len(values)) && values[len(values)-1-r] > small*most {
		r++
	}
	var v, out mat.Dense
	e.VectorsTo(&v)
	last := mat.DenseCopyOf(v.Slice(0, len(values), len(values)-r, len(values)))
	if !rows {
		return last
	}
	out.Mul(x.T(), last)
	for j := range r {
		if s := math.Sqrt(values[len(values)-r+j]); s > 0 {
			for i := range d {
				out.Set(i, j, out.At(i, j)/s)
			}
		}
	}
	return &out
}
