package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func bfmi(energies ...float64) float64 {
	var e Energies
	for _, x := range energies {
		e.Add(x)
	}
	return e.BFMI()
}

// TestBFMI compares BFMI with a value by hand, (1 + 4) / (16/9 + 1/9 + 25/9) for 1, 2, 4, and checks that it is near 2
// for independent energies and small for a slow random walk.
func TestBFMI(t *testing.T) {
	if got, want := bfmi(1, 2, math.NaN(), 4), 5/(42./9); math.Abs(got-want) > 1e-12 {
		t.Errorf("BFMI %v, want %v", got, want)
	}
	if !math.IsNaN(bfmi(1, 2)) || !math.IsNaN(bfmi(3, 3, 3, 3)) {
		t.Error("too few energies, or constant ones, have no BFMI")
	}
	r := rand.New(rand.NewPCG(1, 2))
	var free, slow Energies
	x := 0.0
	for range 20000 {
		free.Add(r.NormFloat64())
		x = 0.99*x + r.NormFloat64()
		slow.Add(x)
	}
	// of an AR(1) the ratio is 2(1 − φ); standard errors are below .02 and .003
	if math.Abs(free.BFMI()-2) > .1 || math.Abs(slow.BFMI()-.02) > .01 {
		t.Errorf("independent %.3f, AR(1) %.3f", free.BFMI(), slow.BFMI())
	}
}
