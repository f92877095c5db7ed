package renhd

import (
	"math"

	"ppl/infer"
	"ppl/infer/dynamics"
)

// Ventures: how hot (hotter than that, a likelihood of some thirty rows with a flat prior no longer holds a walker),
// and for which share of warm-up at that temperature, and coming down.
const (
	ventureHeat = 25.0
	ventureHot  = 0.03
	ventureCool = 0.06
	ventureRest = 0.05
)

// venture looks for modes that no start led to. Where priors are proper, starts come from them and lie further apart
// than the posterior; where they are not, starts are a guess, and all walkers may sit in the one mode that is near. So
// the walkers, who agree, are heated until they wander over barriers of some fifty, are cooled as in annealing
// (Kirkpatrick, Gelatt, Vecchi, Science 1983), and have to be where they were before.
func (r *run) venture(before *tuner) (agreed bool, err error) {
	if r.target.ProperPrior() || before == nil {
		return true, nil
	}
	hot, cool := sweeps(ventureHot, r.options.Warmup), sweeps(ventureCool, r.options.Warmup)
	for i := range hot + cool {
		t := ventureHeat
		if i >= hot {
			t = math.Pow(ventureHeat, 1-float64(i-hot+1)/float64(cool))
		}
		if err := r.wander(t); err != nil {
			return false, err
		}
	}
	r.walkers.settleAll()
	return r.comeBack(before)
}

// comeBack gives walkers time: some were heated to where the density hardly falls off. Windows are short, in which slow
// walkers differ in any case: it is enough that none is in a place of its own.
func (r *run) comeBack(before *tuner) (agreed bool, err error) {
	const most = 4
	for range most {
		after, err := r.windows(window{sweeps: sweeps(ventureRest, r.options.Warmup), most: mostSteps})
		if err != nil || after == nil {
			return true, err
		}
		if both := after.join(before); both.disagreement() < agreement || !both.separate() {
			return true, nil
		}
	}
	return false, nil
}

// wander moves every walker by a trajectory at a temperature. In whitened coordinates steps may grow with its root.
func (r *run) wander(temperature float64) error {
	w := r.walkers
	for lane, at := range w.rungOf {
		w.set(dynamics.StepSize, lane, w.rungs[at].step*math.Sqrt(temperature))
		w.set(dynamics.Cool, lane, 1/temperature)
	}
	if err := w.trajectory(r.ctx, r.steps(mostSteps)); err != nil {
		return err
	}
	r.swept++
	r.tell(infer.WarmingUp)
	return nil
}

// join takes the walkers of two windows of the same length for so many walkers more; those still on their way count for
// nothing.
func (t *tuner) join(other *tuner) *tuner {
	both := &tuner{}
	n := min(len(t.density[0]), len(other.density[0]))
	for _, from := range []*tuner{t, other} {
		lost := from.lost()
		for lane, xs := range from.density {
			if !lost[lane] {
				both.density = append(both.density, xs[len(xs)-n:])
				both.visited = append(both.visited, from.visited[lane][len(xs)-n:])
			}
		}
	}
	return both
}
