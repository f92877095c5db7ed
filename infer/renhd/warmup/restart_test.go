package warmup

import (
	"testing"

	"ppl/infer/renhd/renhdtest"
)

// TestBeginAgain checks that explorers that were moved to others are placed at new starting points, and that all others
// keep their positions.
func TestBeginAgain(t *testing.T) {
	at := []float64{5, 0}
	r := warmupAt(t, renhdtest.TwoModes(), func(int) []float64 { return at })
	r.Iterations = 300
	for lane := range 9 {
		r.recordDeparture(lane, []float64{90, 0}, 500)
	}
	if err := r.restartElsewhere(); err != nil {
		t.Fatal(err)
	}
	seen := map[float64]bool{}
	for lane, x := range r.Walkers.Positions() {
		if stays := x[0] == at[0] && x[1] == at[1]; stays == (lane < 9) {
			t.Errorf("walker %d is at %g", lane, x)
		}
		seen[x[0]] = true
	}
	if len(seen) != 10 || !r.enoughStayed() || r.iterationsLeft() != r.Phase.Options.Warmup {
		t.Errorf("%d different positions, want 10; %d iterations left", len(seen), r.iterationsLeft())
	}
}
