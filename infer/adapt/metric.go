package adapt

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Metric is a linear map L from whitened coordinates, in which the target is approximately round, to the target's
// coordinates.
//
// If Rank < 0 it is dense: L is the lower triangular Factor [Dim, Dim]. Otherwise L = D(I + V diag(stretch) Vᵀ) with
// the diagonal D = Scale [Dim], orthonormal columns V = Vectors [Dim, Rank], and Stretch [Rank].
type Metric struct {
	Dim, Rank        int
	Factor           []float64
	Scale            []float64
	Vectors, Stretch []float64
}

// MaxDense is the largest dimension at which Identity is dense; MaxRank is the rank that it has above.
const (
	MaxDense = 200
	MaxRank  = 16
)

// Identity returns the identity map, as a dense metric up to MaxDense dimensions and one of low rank above.
func Identity(dim int) Metric {
	if dim > MaxDense {
		return lowRank(dim, min(MaxRank, dim))
	}
	return dense(dim)
}

func dense(dim int) Metric {
	m := Metric{Dim: dim, Rank: -1, Factor: make([]float64, dim*dim)}
	for i := range dim {
		m.Factor[i*dim+i] = 1
	}
	return m
}

// Diagonal returns the identity map as a metric that remains diagonal.
func Diagonal(dim int) Metric { return lowRank(dim, 0) }

// First returns the identity map in the form that warm-up starts with, for a value of the setting `metric`: "diagonal",
// "low_rank", "dense", "identity" (no adaptation), or "" for dense up to MaxDense dimensions and low rank above.
func First(kind string, dim int) Metric {
	switch {
	case kind == "diagonal" || kind == "identity" && dim > MaxDense:
		return Diagonal(dim)
	case kind == "low_rank":
		return lowRank(dim, min(MaxRank, dim))
	case kind == "dense":
		return dense(dim)
	}
	return Identity(dim)
}

func lowRank(dim, rank int) Metric {
	m := Metric{Dim: dim, Rank: rank, Scale: make([]float64, dim),
		Vectors: make([]float64, dim*rank), Stretch: make([]float64, rank)}
	for i := range m.Scale {
		m.Scale[i] = 1
	}
	return m
}

// Is reports whether two metrics of the same form share memory, as the metrics of rungs may do.
func (m Metric) Is(other Metric) bool {
	if m.Rank < 0 {
		return &m.Factor[0] == &other.Factor[0]
	}
	return &m.Scale[0] == &other.Scale[0] && m.Rank == other.Rank
}

// Pull returns Lᵀg: it maps a gradient to whitened coordinates.
func (m Metric) Pull(g []float64) []float64 {
	out := make([]float64, m.Dim)
	if m.Rank < 0 {
		mat.NewVecDense(m.Dim, out).MulVec(mat.NewDense(m.Dim, m.Dim, m.Factor).T(), mat.NewVecDense(m.Dim, g))
		return out
	}
	for j := range out {
		out[j] = m.Scale[j] * g[j]
	}
	m.bendVector(out, out, m.Stretch)
	return out
}

// Points holds positions X and the gradients G of the log density there.
type Points struct{ X, G [][]float64 }

// Add appends copies of a position and its gradient. If a value is not finite, it adds nothing and returns false.
func (p *Points) Add(x, g []float64) bool {
	if !finite(x) || !finite(g) {
		return false
	}
	p.X = append(p.X, append([]float64(nil), x...))
	p.G = append(p.G, append([]float64(nil), g...))
	return true
}

// Centred subtracts from each position and gradient the mean of its group; group[i] is the group of point i. So only
// the shape within each mode remains.
func (p *Points) Centred(group []int) Points {
	return Points{centred(p.X, group), centred(p.G, group)}
}

func centred(points [][]float64, group []int) [][]float64 {
	sums, counts := map[int][]float64{}, map[int]float64{}
	for i, x := range points {
		k := group[i]
		counts[k]++
		if sums[k] == nil {
			sums[k] = make([]float64, len(x))
		}
		add(sums[k], x, 1)
	}
	out := make([][]float64, len(points))
	for i, x := range points {
		out[i] = scaled(x, 1)
		add(out[i], sums[group[i]], -1/counts[group[i]])
	}
	return out
}

// Len returns the number of points.
func (p *Points) Len() int { return len(p.X) }

// Temperature returns the configurational temperature of the points: E[(x − E x)·∇U]/d with U = −log π. For draws from
// π it is 1, whatever the shape of π (integrate by parts; Leimkuhler and Matthews, Molecular Dynamics, 2015, section
// 6.1.5). It is NaN if there are no points.
func (p *Points) Temperature() float64 {
	if p.Len() == 0 {
		return math.NaN()
	}
	x, g := rows(p.X), rows(p.G)
	n, d := x.Dims()
	sum := 0.0
	for i := range n {
		sum -= mat.Dot(mat.NewVecDense(d, x.RawRowView(i)), mat.NewVecDense(d, g.RawRowView(i)))
	}
	return sum / float64(n) / float64(d)
}

// finite reports whether the elements are finite, and small enough that their squares are finite.
func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.Abs(v) > 1e150 {
			return false
		}
	}
	return true
}

// prior returns the weight of the previous metric in an estimate, as a number of points.
func prior(dim int) float64 { return 1 + float64(dim)/4 }

// Estimate returns a metric of the same form as m in which the target is round: the geometric mean of Cov(x) and
// Cov(g)⁻¹ of the points. Both are shrunk towards the identity in m's coordinates as if by a few more points, so
// repeated estimates find scales that differ by many orders of magnitude. It returns m if there are too few points.
func (m Metric) Estimate(p *Points) Metric {
	if p.Len() < 2 {
		return m
	}
	if m.Rank >= 0 {
		return m.estimateLowRank(p)
	}
	m = m.rescale(p)
	x, g := m.whiten(p)
	s, ok := geometricMean(covariance(x), covariance(g))
	if !ok {
		return m
	}
	var c mat.Cholesky
	if !c.Factorize(s) {
		return m
	}
	var l mat.TriDense
	c.LTo(&l)
	var out mat.Dense
	out.Mul(mat.NewDense(m.Dim, m.Dim, m.Factor), &l)
	return Metric{Dim: m.Dim, Rank: -1, Factor: out.RawMatrix().Data}
}

// rescale returns m with the axes of whitened coordinates scaled by (Var(x)/Var(g))^¼. This diagonal estimate comes
// first, so that the dense estimate computes with values of similar size.
func (m Metric) rescale(p *Points) Metric {
	x, g := m.whiten(p)
	out := Metric{Dim: m.Dim, Rank: -1, Factor: append([]float64(nil), m.Factor...)}
	spread, slope := shrunkSquares(x), shrunkSquares(g)
	for j := range m.Dim {
		scale := math.Sqrt(math.Sqrt(spread[j] / slope[j]))
		for i := range m.Dim {
			out.Factor[i*m.Dim+j] *= scale
		}
	}
	return out
}

// whiten returns positions L⁻¹x and gradients Lᵀg, centred, one row for each point.
func (m Metric) whiten(p *Points) (x, g *mat.Dense) {
	l := mat.NewTriDense(m.Dim, mat.Lower, m.Factor)
	x, g = rows(p.X), rows(p.G)
	var z mat.Dense
	if err := z.Solve(l, x.T()); err != nil {
		if _, badlyConditioned := err.(mat.Condition); !badlyConditioned {
			panic("internal error: metric is singular")
		}
	}
	x.Copy(z.T())
	g.Mul(g, l)
	return x, g
}

// rows returns points as the rows of a matrix, with columns centred.
func rows(points [][]float64) *mat.Dense {
	n, d := len(points), len(points[0])
	m := mat.NewDense(n, d, nil)
	mean := make([]float64, d)
	for _, p := range points {
		for j, v := range p {
			mean[j] += v / float64(n)
		}
	}
	for i, p := range points {
		row := m.RawRowView(i)
		for j, v := range p {
			row[j] = v - mean[j]
		}
	}
	return m
}

// covariance returns the covariance of centred rows, shrunk towards the identity.
func covariance(x *mat.Dense) *mat.SymDense {
	n, d := x.Dims()
	k := prior(d)
	s := mat.NewSymDense(d, nil)
	s.SymOuterK(1/(float64(n)+k), x.T())
	for i := range d {
		s.SetSym(i, i, s.At(i, i)+k/(float64(n)+k))
	}
	return s
}

// Scales returns the approximate standard deviations of the target's coordinates, if the target is round in the
// metric's coordinates.
func (m Metric) Scales() []float64 { return append([]float64(nil), m.As(0).Scale...) }

// OfPrecision returns a metric of m's form in which a normal with this precision is round, as far as the form allows.
// It returns false if the precision is not positive definite, or almost singular.
func (m Metric) OfPrecision(precision *mat.SymDense) (Metric, bool) {
	n, ok := NormalAt(make([]float64, m.Dim), precision)
	if !ok {
		return m, false
	}
	root := mat.NewTriDense(m.Dim, mat.Upper, n.Root)
	var inverse mat.TriDense
	var product mat.Dense
	if err := inverse.InverseTri(root); err != nil {
		if _, badlyConditioned := err.(mat.Condition); !badlyConditioned {
			return m, false
		}
	}
	product.Mul(&inverse, inverse.T())
	covariance := symmetric(&product)
	if m.Rank >= 0 {
		return m.lowRankOf(precision, covariance)
	}
	var c mat.Cholesky
	if !c.Factorize(covariance) {
		return m, false
	}
	var l mat.TriDense
	c.LTo(&l)
	return Metric{Dim: m.Dim, Rank: -1, Factor: mat.DenseCopyOf(&l).RawMatrix().Data}, true
}

// lowRankOf returns a metric of low rank for a normal. Each scale is the geometric mean of a coordinate's marginal and
// conditional standard deviations. The directions are those in which the scaled covariance differs most from the
// identity.
func (m Metric) lowRankOf(precision, covariance *mat.SymDense) (Metric, bool) {
	out := lowRank(m.Dim, m.Rank)
	for j := range out.Scale {
		out.Scale[j] = math.Sqrt(math.Sqrt(covariance.At(j, j) / precision.At(j, j)))
	}
	if m.Rank == 0 {
		return out, true
	}
	scaled := mat.NewSymDense(m.Dim, nil)
	for i := range m.Dim {
		for j := i; j < m.Dim; j++ {
			scaled.SetSym(i, j, covariance.At(i, j)/(out.Scale[i]*out.Scale[j]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(scaled, true) {
		return m, false
	}
	var directions mat.Dense
	e.VectorsTo(&directions)
	values := e.Values(nil)
	if values[0] <= 0 {
		return m, false
	}
	out.stretchAlong(values, &directions)
	return out, true
}

// Stiffest returns the largest eigenvalue of LᵀPL: the greatest curvature of a normal of precision P in whitened
// coordinates. It is 1 if the metric fits exactly.
func (m Metric) Stiffest(p *mat.SymDense) float64 {
	whitened := mat.NewDense(m.Dim, m.Dim, nil)
	for j := range m.Dim {
		whitened.SetRow(j, m.Pull(mat.Row(nil, j, p)))
	}
	for i := range m.Dim {
		column := mat.Col(nil, i, whitened)
		whitened.SetCol(i, m.Pull(column))
	}
	var e mat.EigenSym
	if !e.Factorize(symmetric(whitened), false) {
		return math.NaN()
	}
	values := e.Values(nil)
	return values[len(values)-1]
}
