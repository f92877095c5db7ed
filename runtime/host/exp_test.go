package host

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExp compares expLoop with package math, whose error is below 1 ulp, over the whole range and near its ends: they
// differ by at most 2 units in the last place, and agree if the result is not finite.
func TestExp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := []float64{0, math.Copysign(0, -1), 707.99, 708, 709.7, 709.8, -707.99, -708, -708.5, -745, -746, 1e-300,
		math.Inf(1), math.Inf(-1), math.NaN()}
	for range 20000 {
		x = append(x, 1420*r.Float64()-710, 4*r.Float64()-2, 1e-3*r.NormFloat64())
	}
	got := make([]float64, len(x))
	expLoop(got, x)
	for i, v := range x {
		want := math.Exp(v)
		if d := int64(math.Float64bits(got[i]) - math.Float64bits(want)); d < -2 || d > 2 {
			t.Fatalf("exp(%v) = %v, want %v: %d ulp", v, got[i], want, d)
		}
	}
}
