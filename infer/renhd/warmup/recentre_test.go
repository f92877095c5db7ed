package warmup

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/dynamics/dynamicstest"
	"ppl/lang/types"
)

// TestSearchAsTheModelComesBack checks that after a search in the model's coordinates that finds nothing, walkers
// return to the coordinates chosen before, at the same positions.
func TestSearchAsTheModelComesBack(t *testing.T) {
	t.Parallel()
	target := dynamicstest.SixEffects(false, 8)
	r := warmupAt(t, target, func(lane int) []float64 {
		return []float64{0.1 * float64(lane%5), 1, -1, 0.5, float64(lane) / 16, -0.5, 0.2}
	})
	chosen := types.Centring{"x": make([]types.Form, 6)}
	points := make([][]float64, 0, 100)
	for k := range 100 {
		points = append(points, []float64{0.3, float64(k%7) - 3, float64(k%5) - 2, 1, -1, float64(k % 3), 0})
	}
	if err := r.changeTo(chosen, points); err != nil {
		t.Fatal(err)
	}
	r.state.Chosen = chosen
	found, err := r.searchIn(nil)
	if found || err != nil || r.Centring != nil {
		t.Fatalf("found %t, coordinates %v, %v", found, r.Centring, err)
	}
	before := r.Walkers.Positions()
	if err := r.restoreChosen(); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Centring, chosen) || !r.Phase.CentredBy(chosen) {
		t.Errorf("coordinates %v", r.Centring)
	}
	for lane, x := range r.AsTheModel(r.Walkers.Positions()) {
		if off := floats.Distance(x, before[lane], math.Inf(1)); off > 1e-12 {
			t.Errorf("walker %d has moved by %g", lane, off)
		}
	}
}
