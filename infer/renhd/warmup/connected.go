package warmup

import (
	"slices"

	"ppl/infer/renhd/population"
)

// A departure is the position of an explorer when it was restarted at the position of another walker.
type departure struct {
	Lane     int
	At       []float64
	Hopeless bool // so far below the others that it was on its way, and in no mode
}

// recordDeparture stores the position of a walker that is about to be moved to another one, and the difference between
// the best log density and its own. Only the positions of explorers count as evidence of where the target has mass.
func (r *Warmup) recordDeparture(lane int, at []float64, excess float64) {
	if len(r.Walkers.Rungs) == 1 {
		r.state.Departures = append(r.state.Departures, departure{lane, at, excess > population.Hopeless(len(at))})
	}
}

// mostStayed reports whether walkers that came where they are on their own say enough. Those that were moved to others
// agree with them in any case. Where they may have left another mode, they may be a quarter of the rest; those that
// were on their way say nothing, and may be half of all.
func (r *Warmup) mostStayed() bool {
	moved, onTheWay := map[int]bool{}, map[int]bool{} // lanes
	for _, l := range r.state.Departures {
		if l.Hopeless {
			onTheWay[l.Lane] = true
		} else {
			moved[l.Lane] = true
		}
	}
	lanes := r.Walkers.Lanes()
	for lane := range moved {
		delete(onTheWay, lane)
	}
	rest := lanes - len(onTheWay)
	return 4*len(moved) <= rest && 2*rest >= lanes
}

// connected reports whether no barrier lies between where the walkers of windows are, and the places that they have
// left. The log density of a single hill does not fall below the lower end anywhere on the straight line between two
// places: exactly so where it is concave. Where it is not, as along a bent ridge, a fall proves nothing; so connected
// walkers are in one mode, slow as they may be, and others may be or not.
func (r *Warmup) connected(windows ...*population.Visits) (bool, error) {
	at, err := r.modes.CentersOf(windows)
	if err != nil || len(at) == 0 {
		return false, err
	}
	for _, l := range r.state.Departures {
		at = append(at, l.At)
	}
	groups, err := r.modes.Groups(at)
	return err == nil && r.oneGroup(groups, len(at)-len(r.state.Departures)), err
}

// oneGroup reports whether the walkers, the first n places, are in one group, and all but a quarter at most of those
// that were moved had left a place that is connected with it: on its slope, they were witnesses of it.
func (r *Warmup) oneGroup(groups [][]int, n int) bool {
	elsewhere := map[int]bool{} // lanes
	with := func(g []int) bool { return slices.ContainsFunc(g, func(i int) bool { return i < n }) }
	several := 0
	for _, g := range groups {
		if with(g) {
			several++
			continue
		}
		for _, i := range g {
			elsewhere[r.state.Departures[i-n].Lane] = true
		}
	}
	return several == 1 && 4*len(elsewhere) <= r.Walkers.Lanes()
}
