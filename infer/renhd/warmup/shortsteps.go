package warmup

import (
	"math"
	"slices"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// If a density jumps, the gradient does not show it, and trajectories that cross a jump downwards are rejected however
// short their steps are. A step adapted to the acceptance rate would shrink without limit. So a very short step is
// compared with longer ones, over the same time: as long as rejections do not become more frequent, a longer step loses
// nothing. If some coordinates have no jumps, Metropolis steps then move the coordinates with jumps
// (discontinuities.go).
//
//	step         1e-4   3e-4   1e-3   3e-3   1e-2
//	rejections    .12    .11    .12    .12    .11    jumps: the step is bounded below by 1e-2
//	rejections    .10    .24    .61                  strong curvature: the short step is needed
const (
	ShortStep    = 0.02 // a step shorter than this is examined
	usualStep    = 0.3
	tripled      = 3.0
	mostRejected = 0.5  // maximum rejection rate with the short step; if more are rejected, it is not short enough yet
	leastGain    = 10.0 // minimum ratio of step sizes at which the density counts as one with jumps
	stepProbes   = 16   // number of trajectories of each walker
	mostProbed   = 256  // maximum number of steps of a trajectory
)

// explainShortSteps examines very short steps. If the density jumps in some coordinates, it lets Metropolis steps move
// them and returns true. If it jumps in all, it bounds steps from below. It does nothing while the metric may still be
// very wrong, which also makes steps short.
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

// rejections returns the mean rejection probability of trajectories over a given time, with a given step size.
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
