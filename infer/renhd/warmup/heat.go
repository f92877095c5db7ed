package warmup

import (
	"math"
	"slices"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// setSteps writes the steps to try to the lanes. If each walker adapts alone, distant ones also get a higher
// temperature.
func (t *warmupWindow) setSteps() (err error) {
	w := t.run.Walkers
	if t.run.Phase.Unadjusted() {
		return nil
	}
	heat := population.Ones(w.Lanes())
	if t.spec.alone {
		if heat, err = t.measureHeat(); err != nil {
			return err
		}
		t.seen.Heats = heat
	}
	steps, cool := make([]float64, w.Lanes()), make([]float64, w.Lanes())
	for lane, r := range w.RungOf {
		h := w.Rungs[r].Step
		if t.run.Phase.AdaptsStep() {
			h = t.stepSize(lane, r).Current()
		}
		steps[lane], cool[lane] = h*math.Sqrt(heat[lane]), 1/heat[lane]
	}
	t.run.MedianStep = population.Median(steps, heat)
	w.Exe.Set(dynamics.StepSize, steps)
	w.Exe.Set(dynamics.Cool, cool)
	return nil
}

// measureHeat returns the temperature at which each walker should move. In whitened coordinates a walker at temperature
// T has |Lᵀg|² ≈ dT, and a log density dT/2 below the maximum. For a distant walker T may be 10⁸; at temperature 1 it
// would need steps of 10⁻⁴ to conserve its energy. At a quarter of its own temperature it takes long steps, and cools
// by a factor of four in each trajectory:
//
//	|Lᵀg|²/d   4·10⁸   10⁸      2·10⁷   …   4   1
//	heat       10⁸     10⁷·…            1   1   each at most 3/4 of the previous one
//
// Within a window temperatures always fall; otherwise, with a very wrong metric, walkers could stay hot.
func (t *warmupWindow) measureHeat() ([]float64, error) {
	w, before := t.run.Walkers, t.seen.Heats
	gradients, err := w.Slopes(t.run.Ctx)
	if err != nil {
		return nil, err
	}
	out, d := make([]float64, w.Lanes()), float64(w.Dim)
	excess := w.Excess()
	for lane, g := range gradients {
		sum := 0.0
		for _, v := range w.Rungs[w.RungOf[lane]].Metric.Pull(g) {
			sum += v * v
		}
		out[lane] = math.Max(math.Min(sum/4, 2*excess[lane])/d, 1)
		if before != nil {
			out[lane] = math.Min(out[lane], math.Max(cooling*before[lane], 1))
		}
	}
	return out, nil
}

// cooling is the maximum ratio of temperatures in consecutive trajectories.
const cooling = 0.75

// hot reports whether some walker is still distant.
func hot(heats []float64) bool { return slices.Max(heats) > 2 }
