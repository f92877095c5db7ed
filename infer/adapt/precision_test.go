package adapt

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestMetricOfPrecision checks that a normal is round in the dense metric of its precision: its largest curvature is 1,
// and that of a normal four times as narrow is 16. The scales of a diagonal metric are the geometric means of marginal
// and conditional standard deviations. A matrix that is not positive definite is refused.
func TestMetricOfPrecision(t *testing.T) {
	cov := mat.NewSymDense(3, []float64{4, 1, 0, 1, 1, 0, 0, 0, 1e-6})
	var c mat.Cholesky
	c.Factorize(cov)
	var precision, narrow mat.SymDense
	if err := c.InverseTo(&precision); err != nil {
		t.Fatal(err)
	}
	narrow.ScaleSym(16, &precision)
	m, ok := Identity(3).OfPrecision(&precision)
	if !ok {
		t.Fatal("refused")
	}
	if a, b := m.Stiffest(&precision), m.Stiffest(&narrow); math.Abs(a-1) > 1e-8 || math.Abs(b-16) > 1e-6 {
		t.Errorf("largest curvatures %v and %v, want 1 and 16", a, b)
	}
	if k := condition(m, cov); math.Abs(k-1) > 1e-8 {
		t.Errorf("condition number %v in whitened coordinates", k)
	}
	diagonal, _ := Diagonal(3).OfPrecision(&precision)
	for j, sd := range diagonal.Scales() {
		if want := math.Pow(cov.At(j, j)/precision.At(j, j), .25); math.Abs(sd/want-1) > 1e-8 {
			t.Errorf("coordinate %d: scale %v, want %v", j, sd, want)
		}
	}
	precision.SetSym(1, 1, -1)
	if _, ok := m.OfPrecision(&precision); ok {
		t.Error("a negative precision is accepted")
	}
}

// TestLowRankMetricOfPrecision checks a normal with two directions of standard deviation 100 in 30 coordinates of
// different scales: the condition number is at most 100 in a metric with two directions, and at least 1,000 in a
// diagonal one.
func TestLowRankMetricOfPrecision(t *testing.T) {
	const d = 30
	cov := withDirections(d, 2, 100, func(i int) float64 { return math.Pow(1.3, float64(i)) })
	var c mat.Cholesky
	var precision mat.SymDense
	if !c.Factorize(cov) || c.InverseTo(&precision) != nil {
		t.Fatal("no inverse")
	}
	two, ok := lowRank(d, 2).OfPrecision(&precision)
	if k := condition(two, cov); !ok || k > 100 {
		t.Errorf("condition number %v with two directions", k)
	}
	if none, _ := Diagonal(d).OfPrecision(&precision); condition(none, cov) < 1000 {
		t.Errorf("condition number %v with a diagonal metric, want at least 1000", condition(none, cov))
	}
}

// TestStepFrom checks that the squared length of the Newton step from a point is the squared distance from the mean.
func TestStepFrom(t *testing.T) {
	precision := mat.NewSymDense(3, []float64{4, 1, 0.2, 1, 1, 0.1, 0.2, 0.1, 100})
	n, ok := NormalAt([]float64{1, 2, 3}, precision)
	x := []float64{2, -1, 3.5}
	var gradient mat.VecDense
	gradient.MulVec(precision, mat.NewVecDense(3, []float64{-1, 3, -0.5}))
	if got, want := n.StepFrom(gradient.RawVector().Data), n.Distance(x); !ok || math.Abs(got/want-1) > 1e-10 {
		t.Errorf("a step of squared length %v, want %v", got, want)
	}
}

// TestCentred checks that the metric estimated from the centred points of two distant groups has the width of one
// group. The metric of the points themselves is as wide as both together.
func TestCentred(t *testing.T) {
	cov := mat.NewSymDense(2, []float64{1, 0, 0, 0.01})
	var c mat.Cholesky
	c.Factorize(cov)
	var l mat.TriDense
	c.LTo(&l)
	p := scatter(mat.DenseCopyOf(&l), cov, 400)
	group := make([]int, p.Len())
	for i := range p.X {
		if group[i] = i % 2; group[i] == 1 {
			p.X[i][0] += 1000
		}
	}
	within := p.Centred(group)
	one, both := Identity(2).Estimate(&within), Identity(2).Estimate(p)
	if k := condition(one, cov); k > 1.3 {
		t.Errorf("condition number %v in the metric of centred points", k)
	}
	if k := condition(both, cov); k < 100 {
		t.Errorf("condition number %v in the metric of points that are not centred, want at least 100", k)
	}
}
