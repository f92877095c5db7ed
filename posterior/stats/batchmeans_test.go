package stats

import (
	"math"
	"testing"
)

// TestBatchMeansTime compares the autocorrelation time of AR(1) processes with (1+φ)/(1−φ). With b batches its relative
// standard error is √(2/b): .05 for 800 batches of 100 draws. The relative bias of batches of 100 is about
// 2φ/((1−φ²)·100), .02 for φ = .5.
func TestBatchMeansTime(t *testing.T) {
	for _, phi := range []float64{-.5, 0, .5} {
		want := (1 + phi) / (1 - phi)
		if got := BatchMeansTime(ar(3, phi, 8, 10_000)); math.Abs(got/want-1) > .2 {
			t.Errorf("φ = %v: the time is %.3f, want %.3f", phi, got, want)
		}
	}
	for name, chains := range map[string][][]float64{
		"constant": {{2, 2, 2, 2, 2, 2}}, "infinite": {{1, 2, math.Inf(1), 3}}, "empty": {{}},
	} {
		if got := BatchMeansTime(chains); got != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
