package renhd

import (
	"math"

	"ppl/infer/dynamics"
	"ppl/infer/stats"
)

// How the hot end of a ladder on the energy path is found: from hottestGuess on it goes up by a factor, a few times.
const (
	higher          = 4.0
	hottestPossible = 1e5
)

// reach runs windows and raises the hot end until walkers there forget where they were: a ladder whose walkers trade
// places, each in a mode of its own, gives the modes the weights of the starting points. There is nothing to raise on
// the likelihood path, which ends at the prior.
func (r *run) reach(w window) error {
	for {
		t, err := r.windows(w)
		if err != nil || t == nil || r.system.Path != dynamics.Energy || r.settings().Ratio > 0 ||
			t.hottest() > hottestPossible || t.forgets() {
			return err
		}
		r.raise()
	}
}

func (r *run) hottest() float64 { return 1 / r.walkers.rungs[len(r.walkers.rungs)-1].beta }

// forgets reports whether walkers on the hottest rung move between all the places where there are walkers on the
// hottest rung. Too few visits to tell count for it.
func (t *tuner) forgets() bool {
	const visits, deviations, errors = 8, 0.8, 8
	hottest := len(t.walkers.rungs) - 1
	if len(t.visited[0]) == 0 { // a window without a sweep
		return true
	}
	for j := range t.visited[0][0] {
		there := make([][]float64, len(t.visited))
		for lane, xs := range t.visited {
			for i, x := range xs {
				if t.stood[lane][i] == hottest {
					there[lane] = append(there[lane], x[j])
				}
			}
		}
		if d, e := stats.Apart(there, visits); d > deviations && e > errors {
			return false
		}
	}
	return true
}

// raise multiplies the hottest temperature by higher, and all others in proportion of their logarithms.
func (r *run) raise() {
	rungs := r.walkers.rungs
	hottest := r.hottest()
	power := math.Log(hottest*higher) / math.Log(hottest)
	for j := range rungs {
		rungs[j].beta = math.Pow(rungs[j].beta, power)
	}
	r.walkers.settleAll()
	r.note("walkers keep to their places at temperature %.3g: the ladder goes up to %.3g", hottest, hottest*higher)
}
