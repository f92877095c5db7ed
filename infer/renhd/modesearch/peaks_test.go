package modesearch

import (
	"math"
	"testing"

	"ppl/autodiff"
	"ppl/infer/dynamics/dynamicstest"
)

// TestMassOfTails estimates the mass of Student's t in ten dimensions with five degrees of freedom, which is 1. Points
// of the normal at its peak must give no estimate, and MassOfTails the right one.
func TestMassOfTails(t *testing.T) {
	const dim, freedom = 10, 5
	student := dynamicstest.Density{D: dim, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		square := autodiff.SumAll(autodiff.Mul(theta, theta))
		return autodiff.Sub(g.Const(logStudent(0, freedom, dim)),
			autodiff.Mul(g.Const((freedom+dim)/2.), autodiff.Log1p(autodiff.Mul(g.Const(1./freedom), square))))
	}}
	r := modesAt(t, student, func(int) []float64 { return make([]float64, dim) })
	m, ok, err := r.peakNear(make([]float64, dim))
	if err != nil || !ok {
		t.Fatal(err, ok)
	}
	if mass, ok, err := r.massAround(&m); err != nil || ok {
		t.Errorf("points of a normal give the mass e^%.2f (%v), want no estimate", mass, err)
	}
	bound := 4 * mostOfWeights / math.Sqrt(weighedPoints)
	if mass, ok, err := r.MassOfTails(&m); err != nil || !ok || math.Abs(mass) > bound {
		t.Errorf("the mass is e^%.2f, not 1; known: %v (%v)", mass, ok, err)
	}
	if x := logStudent(3, 1e7, 4); math.Abs(x-(-1.5-2*math.Log(2*math.Pi))) > 1e-5 {
		t.Errorf("log density %v of a t that is nearly a normal", x)
	}
}
