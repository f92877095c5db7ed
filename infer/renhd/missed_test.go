package renhd

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
)

// chainsAbout are positions of chains in the mode at −3.
func chainsAbout(d int) (visited [][][]float64) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		var xs [][]float64
		for range 200 {
			x := normalNumbers(d, 1, random)
			for j := range x {
				x[j] -= 3
			}
			xs = append(xs, x)
		}
		visited = append(visited, xs)
	}
	return visited
}

// What chains of another sampler have not been in is found with its share, and nothing is where there is nothing else.
func TestMissedModesAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		target infer.Target
		share  float64
	}{
		"half": {widths(4, .1, 1), .5}, "a fifth": {widths(4, .2, .25), .2}, "nothing": {widths(4, 1, 1e-300), 0},
	} {
		missed, gradients, err := Missed(t.Context(), c.target, options(1), chainsAbout(4))
		if err != nil || gradients < 1000 || (len(missed) > 0) != (c.share > 0) {
			t.Errorf("%s: %d modes, %d gradients, %v", name, len(missed), gradients, err)
			continue
		}
		if c.share > 0 && (len(missed) > 1 || math.Abs(missed[0].Share-c.share) > .05 ||
			math.Abs(missed[0].At[0]-3) > .1) {
			t.Errorf("%s: %+v", name, missed)
		}
	}
}

// The mass of Student's t in ten dimensions with five degrees of freedom is 1. Points of the normal at its top say
// nothing, those of a wide t do.
func TestMassOfTails(t *testing.T) {
	const dim, freedom = 10, 5
	student := dynamicstest.Density{D: dim, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		square := autodiff.SumAll(autodiff.Mul(theta, theta))
		return autodiff.Sub(g.Const(logStudent(0, freedom, dim)),
			autodiff.Mul(g.Const((freedom+dim)/2.), autodiff.Log1p(autodiff.Mul(g.Const(1./freedom), square))))
	}}
	_, s, err := newConfig(student, options(1), swapRules{})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(t.Context(), s, exchange{test: penalty()}, unheard{})
	defer r.close()
	if err := r.warm.loadLadder([]float64{1}, 1); err != nil {
		t.Fatal(err)
	}
	m, ok, err := r.modes.peakNear(make([]float64, dim))
	if err != nil || !ok {
		t.Fatal(err, ok)
	}
	if mass, ok, err := r.modes.massAround(&m); err != nil || ok {
		t.Errorf("points of a normal say that the mass is e^%.2f (%v)", mass, err)
	}
	bound := 4 * mostOfWeights / math.Sqrt(weighedPoints)
	if mass, ok, err := r.modes.massOfTails(&m); err != nil || !ok || math.Abs(mass) > bound {
		t.Errorf("the mass is e^%.2f, not 1; known: %v (%v)", mass, ok, err)
	}
	if x := logStudent(3, 1e7, 4); math.Abs(x-(-1.5-2*math.Log(2*math.Pi))) > 1e-5 {
		t.Errorf("log density %v of a t that is nearly a normal", x)
	}
}
