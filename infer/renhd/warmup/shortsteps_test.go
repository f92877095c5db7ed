package warmup

import (
	"math"
	"testing"

	"ppl/infer"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
)

// TestShortStepsAreExplained checks that very short steps are recognised as caused by jumps of the density, so that
// Metropolis steps move the coordinate with jumps, and that steps stay short if the density is only narrow.
func TestShortStepsAreExplained(t *testing.T) {
	for name, c := range map[string]struct {
		target infer.Target
		jumps  bool
	}{"terraces": {renhdtest.Terraces(), true}, "narrow": {renhdtest.Narrow(), false}} {
		r := warmupAt(t, c.target, func(lane int) []float64 { return []float64{float64(lane) / 8e3, 1e-4} })
		w := &warmupWindow{run: r, spec: window{sweeps: 100, maxSteps: population.MaxSteps, metric: true}}
		if err := w.Begin(); err != nil {
			t.Fatal(err)
		}
		for j := range w.seen.StepSizes {
			w.seen.StepSizes[j].Smooth = math.Log(2e-5) // the adapted step size
		}
		moves, err := w.explainShortSteps()
		if err != nil || moves != c.jumps || len(r.Discontinuities) > 0 != c.jumps || r.state.LeastStep > 0 {
			t.Errorf("%s: jumps in %v, steps of %v at least, %v", name, r.Discontinuities, r.state.LeastStep, err)
		}
		// If Metropolis steps move these coordinates already, a second call only bounds the steps from below.
		if moves, err = w.explainShortSteps(); err != nil || moves || r.state.LeastStep > 0 != c.jumps {
			t.Errorf("%s: moves once more: %t, steps of %v at least, %v", name, moves, r.state.LeastStep, err)
		}
	}
}
