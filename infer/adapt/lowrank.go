package adapt

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// estimateLowRank scales each coordinate by (Var(x)/Var(g))^¼ and then stretches the few directions, among those
// spanned by the points, in which that is furthest from enough. One stiff direction across many coordinates would make
// all of their scales too small, so scales are mended in the stretched coordinates, and directions found again, a few
// times.
func (m Metric) estimateLowRank(p *Points) Metric {
	const rounds = 3
	out := lowRank(m.Dim, m.Rank)
	copy(out.Scale, m.Scale)
	for range rounds {
		x, g := rows(p.X), rows(p.G)
		scaleColumns(x, out.Scale, -1)
		scaleColumns(g, out.Scale, 1)
		out.bend(x, true)
		out.bend(g, false)
		for j := range m.Dim {
			out.Scale[j] *= math.Sqrt(math.Sqrt(shrunk(x.ColView(j), 1) / shrunk(g.ColView(j), 1)))
		}
		if m.Rank == 0 {
			return out
		}
		x, g = rows(p.thinned()), rows(p.thinnedGradients())
		scaleColumns(x, out.Scale, -1)
		scaleColumns(g, out.Scale, 1)
		out.stretch(x, g)
	}
	return out
}

// bend multiplies rows by I + V diag(stretch) Vᵀ, or by its inverse.
func (m Metric) bend(x *mat.Dense, inverse bool) {
	if m.Rank == 0 {
		return
	}
	v := mat.NewDense(m.Dim, m.Rank, m.Vectors)
	factors := make([]float64, m.Rank)
	for k, s := range m.Stretch {
		if factors[k] = s; inverse {
			factors[k] = 1/(1+s) - 1
		}
	}
	var along, back mat.Dense
	along.Mul(x, v)
	along.Mul(&along, mat.NewDiagDense(m.Rank, factors))
	back.Mul(&along, v.T())
	x.Add(x, &back)
}

// mostRows bounds the points that directions are found from: singular values of more cost more than they teach.
const mostRows = 150

func (p *Points) thinned() [][]float64          { return every(p.X) }
func (p *Points) thinnedGradients() [][]float64 { return every(p.G) }

func every(points [][]float64) [][]float64 {
	step := (len(points) + mostRows - 1) / mostRows
	var out [][]float64
	for i := 0; i < len(points); i += step {
		out = append(out, points[i])
	}
	return out
}

// shrunk is the mean square of a column times unit, shrunk towards 1 as in covariance.
func shrunk(column mat.Vector, unit float64) float64 {
	sum := 0.0
	for i := range column.Len() {
		sum += column.AtVec(i) * column.AtVec(i) * unit * unit
	}
	return (sum + prior(1)) / (float64(column.Len()) + prior(1))
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

// stretch finds the directions: in an orthonormal basis of the leading principal axes of positions and of gradients,
// the eigenvectors of the geometric mean whose eigenvalues are furthest from 1.
func (m *Metric) stretch(x, g *mat.Dense) {
	basis := leading(x, g, 2*m.Rank)
	_, r := basis.Dims()
	var xq, gq mat.Dense
	xq.Mul(x, basis)
	gq.Mul(g, basis)
	s, ok := geometricMean(covariance(&xq), covariance(&gq))
	var e mat.EigenSym
	if !ok || !e.Factorize(s, true) {
		return
	}
	values := e.Values(nil)
	order := make([]int, r)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		return math.Abs(math.Log(values[order[a]])) > math.Abs(math.Log(values[order[b]]))
	})
	var v, directions mat.Dense
	e.VectorsTo(&v)
	directions.Mul(basis, &v)
	for k, at := range order[:min(m.Rank, r)] {
		m.Stretch[k] = math.Sqrt(values[at]) - 1
		for j := range m.Dim {
			m.Vectors[j*m.Rank+k] = directions.At(j, at)
		}
	}
}

// leading is an orthonormal basis of up to half of k principal axes of x and half of g.
func leading(x, g *mat.Dense, k int) *mat.Dense {
	a, b := axes(x, k/2), axes(g, k/2)
	d, ra := a.Dims()
	_, rb := b.Dims()
	both := mat.NewDense(d, ra+rb, nil)
	both.Slice(0, d, 0, ra).(*mat.Dense).Copy(a)
	both.Slice(0, d, ra, ra+rb).(*mat.Dense).Copy(b)
	var svd mat.SVD
	if !svd.Factorize(both, mat.SVDThin) {
		panic("internal error: singular value decomposition of a finite matrix failed")
	}
	var u mat.Dense
	svd.UTo(&u)
	rank := 0
	for _, s := range svd.Values(nil) {
		if s > 1e-6 {
			rank++
		}
	}
	return u.Slice(0, d, 0, max(rank, 1)).(*mat.Dense)
}

// axes are the leading right singular vectors of x, as columns.
func axes(x *mat.Dense, k int) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		panic("internal error: singular value decomposition of a finite matrix failed")
	}
	var v mat.Dense
	svd.VTo(&v)
	d, r := v.Dims()
	return mat.DenseCopyOf(v.Slice(0, d, 0, min(k, r)))
}
