package warmup

import (
	"slices"

	"ppl/infer/renhd/population"
)

// A departure is the position of an explorer at the time when it was restarted at the position of another walker.
type departure struct {
	Lane     int
	At       []float64
	Hopeless bool // so far below the others that it was still on the way to the target, and not in a mode
}

// recordDeparture stores the position of a walker that is about to be moved to another one. excess is the best log
// density minus the walker's. It does nothing on a ladder, since only positions of explorers are evidence of where the
// target has mass.
func (r *Warmup) recordDeparture(lane int, at []float64, excess float64) {
	if len(r.Walkers.Rungs) == 1 {
		r.state.Departures = append(r.state.Departures, departure{lane, at, excess > population.Hopeless(len(at))})
	}
}

// enoughStayed reports whether enough walkers reached their positions without being moved. A moved walker agrees with
// the others in any case. Walkers that may have left another mode can be a quarter of the rest at most. Walkers that
// were still on the way to the target are no evidence, and can be half of all at most.
func (r *Warmup) enoughStayed() bool {
	moved, onTheWay := map[int]bool{}, map[int]bool{} // sets of lanes
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

// connected reports whether no barrier separates the positions of the walkers in some windows and those of departures.
// The criterion is that on the straight line between two positions the log density does not fall far below the lower of
// its ends. For a concave log density this always holds. Otherwise, as along a bent ridge, a fall proves nothing. So
// connected walkers are in one mode, however slow they may be; others may or may not be.
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

// oneGroup reports whether all walkers, the first n positions, are in one group, and at most a quarter of all lanes
// departed from a position outside this group.
func (r *Warmup) oneGroup(groups [][]int, n int) bool {
	elsewhere := map[int]bool{} // set of lanes
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
