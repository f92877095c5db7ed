package renhd

import (
	"math"

	"ppl/infer"
	"ppl/infer/dynamics"
)

// The search for modes by annealing: how hot (hotter than that, a likelihood of some thirty rows with a flat prior no
// longer holds a walker), and for which share of warm-up at that temperature, cooling, and in each window after.
const (
	annealingHeat   = 25.0
	annealingHot    = 0.03
	annealingCool   = 0.06
	annealingWindow = 0.05
)

// findMoreModes anneals all walkers to find modes that no starting point reached. Where priors are proper, starts come
// from them and lie further apart than the posterior; where they are not, starts are a guess, and all walkers may be in
// the one mode that is near. So the walkers, who agree, are heated until they cross barriers of some fifty in log
// density, are cooled (Kirkpatrick, Gelatt, Vecchi, Science 1983), and have to be where they were before.
func (r *run) findMoreModes(before *warmupWindow) (agreed bool, err error) {
	if r.shared.target.ProperPrior() || before == nil {
		return true, nil
	}
	warmup := r.shared.options.Warmup
	hot, cool := sweeps(annealingHot, warmup), sweeps(annealingCool, warmup)
	for i := range hot + cool {
		t := annealingHeat
		if i >= hot {
			t = math.Pow(annealingHeat, 1-float64(i-hot+1)/float64(cool))
		}
		if err := r.moveAt(t); err != nil {
			return false, err
		}
	}
	r.walkers.writeAllRungs()
	return r.settledWhere(before)
}

// settledWhere reports whether walkers come back to where they were before. It gives them time: some were heated to
// where the density hardly falls off. Windows are short, in which slow walkers differ in any case: it is enough that
// none is in a mode of its own.
func (r *run) settledWhere(before *warmupWindow) (agreed bool, err error) {
	const most = 4
	for range most {
		after, err := r.windows(r.share(annealingWindow, false))
		if err != nil || after == nil {
			return true, err
		}
		if both := after.join(before); both.disagreement() < agreement || !both.separate() {
			return true, nil
		}
	}
	return false, nil
}

// moveAt moves every walker by a trajectory at a temperature. In whitened coordinates steps may grow with its root.
func (r *run) moveAt(temperature float64) error {
	w := r.walkers
	for lane, at := range w.RungOf {
		w.set(dynamics.StepSize, lane, w.Rungs[at].Step*math.Sqrt(temperature))
		w.set(dynamics.Cool, lane, 1/temperature)
	}
	if err := w.trajectory(r.ctx, r.steps(maxSteps)); err != nil {
		return err
	}
	r.state.Iterations++
	r.showProgress(infer.WarmingUp)
	return nil
}

// join is two windows of the same length taken as one of more walkers; those that are stuck count for nothing.
func (t *warmupWindow) join(other *warmupWindow) *windowState {
	both := &windowState{}
	n := min(len(t.seen.Density[0]), len(other.seen.Density[0]))
	for _, from := range []*warmupWindow{t, other} {
		stuck := from.stuck()
		for lane, xs := range from.seen.Density {
			if !stuck[lane] {
				both.Density = append(both.Density, xs[len(xs)-n:])
				both.Visited = append(both.Visited, from.seen.Visited[lane][len(xs)-n:])
			}
		}
	}
	return both
}
