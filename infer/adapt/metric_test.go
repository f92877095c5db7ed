package adapt

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestEstimateFindsGaussian checks that Estimate finds the covariance of a normal target, with standard deviations from
// 1e-4 to 1 and correlations up to −.9999, from points that are first draws of other distributions and then of the
// target (see warm). The condition number is computed with gonum from the known covariance.
func TestEstimateFindsGaussian(t *testing.T) {
	for _, rho := range []float64{0, 0.9, -0.9999} {
		cov := mat.NewSymDense(3, []float64{1e-8, rho * 1e-4, 0, rho * 1e-4, 1, 0, 0, 0, 0.04})
		m := Identity(3)
		m = warm(m, cov, 50)
		if c := condition(m, cov); c > 1.1 {
			t.Errorf("rho %v: condition number in whitened coordinates is %v, want below 1.1", rho, c)
		}
	}
}

// withDirections returns a covariance in d dimensions: the identity plus n random directions with standard deviation
// about sd, with coordinate i multiplied by scale(i).
func withDirections(d, n int, sd float64, scale func(i int) float64) *mat.SymDense {
	r := rand.New(rand.NewPCG(1, 2))
	cov := mat.NewSymDense(d, nil)
	for i := range d {
		cov.SetSym(i, i, 1)
	}
	for range n {
		v := mat.NewVecDense(d, nil)
		for i := range d {
			v.SetVec(i, r.NormFloat64()*sd/math.Sqrt(float64(d)))
		}
		cov.SymRankOne(cov, 1, v)
	}
	for i := range d {
		for j := i; j < d; j++ {
			cov.SetSym(i, j, cov.At(i, j)*scale(i)*scale(j))
		}
	}
	return cov
}

// TestLowRankFindsDirections checks that in 220 dimensions, with three directions of standard deviation 30 and scales
// over four orders of magnitude, the condition number is at most 30 with a low-rank metric. With a diagonal one it must
// be above 100.
func TestLowRankFindsDirections(t *testing.T) {
	const d = 220
	cov := withDirections(d, 3, 30, scaleOf)
	m := Identity(d)
	m = warm(m, cov, 250)
	if c := condition(m, cov); c > 30 {
		t.Errorf("condition number in whitened coordinates is %v, want below 30", c)
	}
	diag := Diagonal(d)
	diag = warm(diag, cov, 100)
	if c := condition(diag, cov); c < 100 {
		t.Errorf("the condition number with a diagonal metric is %v, want above 100", c)
	}
}

// TestTemperature checks that draws from N(0, cov) have the configurational temperature 1, and draws that are twice as
// spread out have 4. Bounds are four standard errors.
func TestTemperature(t *testing.T) {
	cov := mat.NewSymDense(3, []float64{4, 1, 0, 1, 1, 0, 0, 0, 0.01})
	var c mat.Cholesky
	c.Factorize(cov)
	var l mat.TriDense
	c.LTo(&l)
	for _, spread := range []float64{1, 2} {
		var far mat.Dense
		far.Scale(spread, &l)
		if got, want := scatter(&far, cov, 4000).Temperature(), spread*spread; math.Abs(got/want-1) > 0.052 {
			t.Errorf("points spread by %v: temperature %.3f, want %v", spread, got, want)
		}
	}
}

func scaleOf(i int) float64 { return math.Pow(10, float64(i%5)-2) }

// warm estimates the metric four times from points with the distribution of the current metric, as a sampler on its way
// would give, and then three times from draws of the target.
func warm(m Metric, cov *mat.SymDense, n int) Metric {
	var c mat.Cholesky
	c.Factorize(cov)
	var l mat.TriDense
	c.LTo(&l)
	for range 4 {
		m = m.Estimate(scatter(m.dense(), cov, n))
	}
	for range 3 {
		m = m.Estimate(scatter(mat.DenseCopyOf(&l), cov, n))
	}
	return m
}

// scatter returns n points of N(0, LLᵀ) with the gradients of N(0, cov).
func scatter(l *mat.Dense, cov *mat.SymDense, n int) *Points {
	d := cov.SymmetricDim()
	var c mat.Cholesky
	if !c.Factorize(cov) {
		panic("not positive definite")
	}
	r := rand.New(rand.NewPCG(3, 4))
	p := new(Points)
	for range n {
		z, x := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
		for i := range d {
			z.SetVec(i, r.NormFloat64())
		}
		x.MulVec(l, z)
		var g mat.VecDense
		if err := c.SolveVecTo(&g, x); err != nil {
			_ = err // the matrices of these tests are badly conditioned
		}
		g.ScaleVec(-1, &g)
		p.Add(x.RawVector().Data, g.RawVector().Data)
	}
	return p
}

// condition returns the condition number of L⁻¹ Σ L⁻ᵀ, where Σ is cov.
func condition(m Metric, cov *mat.SymDense) float64 {
	l := m.dense()
	var a, b mat.Dense
	_ = a.Solve(l, cov)
	_ = b.Solve(l, a.T())
	var e mat.EigenSym
	e.Factorize(symmetric(&b), false)
	v := e.Values(nil)
	return v[len(v)-1] / v[0]
}

func (m Metric) dense() *mat.Dense {
	if m.Rank < 0 {
		return mat.NewDense(m.Dim, m.Dim, m.Factor)
	}
	out := mat.NewDense(m.Dim, m.Dim, nil)
	if m.Rank > 0 {
		v := mat.NewDense(m.Dim, m.Rank, m.Vectors)
		var s mat.Dense
		s.Mul(v, mat.NewDiagDense(m.Rank, m.Stretch))
		out.Mul(&s, v.T())
	}
	for i := range m.Dim {
		out.Set(i, i, out.At(i, i)+1)
		for j := range m.Dim {
			out.Set(i, j, out.At(i, j)*m.Scale[i])
		}
	}
	return out
}

// TestStepSizeMeetsGoal checks dual averaging with the acceptance probability a(ε) = exp(−4ε²) plus noise: the adapted
// step must be within 10 % of √(−log .8)/2, at which a is .8.
func TestStepSizeMeetsGoal(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s := NewStepSize(10, 0.8, math.Inf(1))
	for range 300 {
		e := s.Current()
		s.Update(math.Min(1, math.Max(0, math.Exp(-4*e*e)+0.2*(r.Float64()-0.5))))
	}
	want := math.Sqrt(-math.Log(0.8)) / 2
	if got := s.Adapted(); math.Abs(got/want-1) > 0.1 {
		t.Errorf("adapted step %v, want %v within 10 %%", got, want)
	}
}
