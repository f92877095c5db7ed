package adapt

import (
	"math/rand/v2"
	"testing"
)

// TestHolds checks in 100 dimensions, with two modes ten standard deviations apart, that Holds accepts draws of its
// mode and rejects draws of the visited one, although Around accepts both. Planted fault: a MissedMode without Seen.
func TestHolds(t *testing.T) {
	const dim = 100
	r := rand.New(rand.NewPCG(1, 2))
	around := func(center float64) (points [][]float64) {
		for range 1000 {
			x := make([]float64, dim)
			for j := range x {
				x[j] = center + r.NormFloat64()
			}
			points = append(points, x)
		}
		return points
	}
	normal := func(center float64) Normal {
		n, ok := FitNormal(around(center), nil)
		if !ok {
			t.Fatal("no normal")
		}
		return n
	}
	m := MissedMode{Share: .15, Normal: normal(.5), Seen: MassOf{Share: .85, Normal: normal(-.5)}}
	alone := m
	alone.Seen = MassOf{}
	of := func(m MissedMode, center float64) (in int) {
		for _, x := range around(center) {
			if m.Holds(x) {
				in++
			}
		}
		return in
	}
	if in, out := of(m, .5), of(m, -.5); in < 990 || out > 10 {
		t.Errorf("%d of 1000 draws are in their mode, %d of 1000 in the other", in, out)
	}
	if out := of(alone, -.5); out < 900 {
		t.Errorf("the planted fault is not detected: without Seen, only %d of 1000 draws of the other mode are "+
			"accepted", out)
	}
}
