package warmup

import (
	"math"
	"slices"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// Where a density jumps, the gradient does not show it, and trajectories that cross a jump downwards are rejected
// however short their steps are. A step that follows the acceptance rate then shrinks without end. So a step that has
// become very short is compared with longer ones, over the same time: as long as rejections do not become more frequent
// by it, a longer step loses nothing. Where some coordinates have no jumps, Metropolis steps then move those that have
// (discontinuities.go).
//
//	step         1e-4   3e-4   1e-3   3e-3   1e-2
//	rejections    .12    .11    .12    .12    .11    jumps: steps are not made shorter than 1e-2
//	rejections    .10    .24    .61                  a density that curves: the step is needed
const (
	ShortStep    = 0.02 // from which on it is asked why
	usualStep    = 0.3
	tripled      = 3.0
	mostRejected = 0.5  // with the short step: where more are, it is not yet short enough
	leastGain    = 10.0 // in length, for which a density counts as one with jumps
	stepProbes   = 16   // trajectories of each walker
	mostProbed   = 256  // steps of a trajectory
)

// explainShortSteps lets Metropolis steps move the coordinates in which the density jumps, where the window has made
// steps very short for nothing, and reports whether it has; else it bounds steps from below. While the metric may be
// off by far, steps are short for that.
func (t *warmupWindow) explainShortSteps() (moves bool, err error) {
	r := t.run
	if t.spec.alone || t.spec.maxSteps < population.MaxSteps || t.spec.sweeps < stepProbes || !r.Phase.AdaptsStep() ||
		r.state.LeastStep > 0 {
		return false, nil
	}
	first := t.learnedStep(0)
	if !(first < ShortStep) {
		return false, nil
	}
	time := math.Min(population.Quarter, mostProbed*first)
	few, err := r.rejections(first, time)
	if err != nil || few > mostRejected {
		return false, err
	}
	longest := first
	for h := tripled * first; err == nil && h <= usualStep; h *= tripled {
		var more float64
		if more, err = r.rejections(h, math.Max(time, h)); more > 1.2*few+0.03 {
			break
		}
		longest = h
	}
	if longest < leastGain*first || err != nil {
		return false, err
	}
	if moves, err = t.moveAcrossDiscontinuities(); moves || err != nil {
		return moves, err
	}
	r.state.LeastStep = longest
	for j := range t.seen.StepSizes {
		t.seen.StepSizes[j].Least = longest
	}
	return false, nil
}

// rejections returns the mean rejection probability of trajectories of a length in time, in steps of one size.
func (r *Warmup) rejections(step, time float64) (float64, error) {
	w := r.Walkers
	w.Exe.Set(dynamics.StepSize, slices.Repeat([]float64{step}, w.Lanes()))
	w.Exe.Set(dynamics.Cool, population.Ones(w.Lanes()))
	sum := 0.0
	for range stepProbes {
		if err := w.Trajectory(r.Ctx, population.WholeSteps(time/step, population.MaxSteps)); err != nil {
			return 0, err
		}
		for _, a := range w.View(dynamics.Accept) {
			sum += (1 - a) / float64(stepProbes*w.Lanes())
		}
	}
	return sum, nil
}
