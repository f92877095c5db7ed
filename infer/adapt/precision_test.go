package adapt

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// In the metric of a precision, the normal with that precision is round: its largest curvature is 1, that of a normal
// four times as narrow 16. A diagonal metric has the standard deviations, by gonum's inverse. What is no precision is
// refused.
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
		if want := math.Sqrt(cov.At(j, j)); math.Abs(sd/want-1) > 1e-8 {
			t.Errorf("coordinate %d: sd %v, want %v", j, sd, want)
		}
	}
	precision.SetSym(1, 1, -1)
	if _, ok := m.OfPrecision(&precision); ok {
		t.Error("a negative precision is accepted")
	}
}

// Points of two groups, far apart, centred are those of one group about 0: the metric learned from them has the width
// of a group, not of both together.
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
		t.Errorf("condition number %v in the metric of all points: the test could not fail", k)
	}
}
