package warmup

import (
	"math"
	"testing"

	"ppl/infer"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
)

// Where the density jumps in a coordinate, very short steps are found out and that coordinate is moved by Metropolis
// steps; where it is only narrow, steps stay short.
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
			w.seen.StepSizes[j].Smooth = math.Log(2e-5) // what adaptation has come to
		}
		moves, err := w.explainShortSteps()
		if err != nil || moves != c.jumps || len(r.Discontinuities) > 0 != c.jumps || r.state.LeastStep > 0 {
			t.Errorf("%s: jumps in %v, steps of %v at least, %v", name, r.Discontinuities, r.state.LeastStep, err)
		}
		// where Metropolis steps move all that they can, short steps have another reason, and are bounded
		if moves, err = w.explainShortSteps(); err != nil || moves || r.state.LeastStep > 0 != c.jumps {
			t.Errorf("%s: moves once more: %t, steps of %v at least, %v", name, moves, r.state.LeastStep, err)
		}
	}
}
