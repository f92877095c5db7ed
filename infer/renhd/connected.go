package renhd

import (
	"math"
	"slices"
)

// A leftPlace is where an explorer was when it was restarted at the position of another.
type leftPlace struct {
	Lane     int
	At       []float64
	Hopeless bool // so far below the others that it was on its way, and in no mode
}

// leave remembers where a walker was that is moved to another, and by how much its log density was less than the best.
// Only explorers are witnesses of where the target is.
func (r *run) leave(lane int, at []float64, excess float64) {
	if len(r.walkers.Rungs) == 1 {
		r.state.Left = append(r.state.Left, leftPlace{lane, at, excess > hopeless(len(at))})
	}
}

// mostStayed reports whether walkers that came where they are on their own say enough. Those that were moved to others
// agree with them in any case. Where they may have left another mode, they may be a quarter of the rest; those that
// were on their way say nothing, and may be half of all.
func (r *run) mostStayed() bool {
	moved, onTheWay := map[int]bool{}, map[int]bool{} // lanes
	for _, l := range r.state.Left {
		if l.Hopeless {
			onTheWay[l.Lane] = true
		} else {
			moved[l.Lane] = true
		}
	}
	lanes := r.walkers.lanes()
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
func (r *run) connected(windows ...*windowState) (bool, error) {
	at, err := r.centersOf(windows)
	if err != nil || len(at) == 0 {
		return false, err
	}
	for _, l := range r.state.Left {
		at = append(at, l.At)
	}
	groups, err := r.groups(at)
	return err == nil && r.oneGroup(groups, len(at)-len(r.state.Left)), err
}

// oneGroup reports whether the walkers, the first n places, are in one group, and all but a quarter at most of those
// that were moved had left a place that is connected with it: on its slope, they were witnesses of it.
func (r *run) oneGroup(groups [][]int, n int) bool {
	elsewhere := map[int]bool{} // lanes
	with := func(g []int) bool { return slices.ContainsFunc(g, func(i int) bool { return i < n }) }
	several := 0
	for _, g := range groups {
		if with(g) {
			several++
			continue
		}
		for _, i := range g {
			elsewhere[r.state.Left[i-n].Lane] = true
		}
	}
	return several == 1 && 4*len(elsewhere) <= r.walkers.lanes()
}

// centersOf is a place for each walker of windows: the mean of the second half of its way, or the highest point of it
// if that is higher. In many dimensions the line between two single draws passes the barrier between two modes on the
// inner side of both, where the density is higher by a factor of e to the d/4; that between their centers does not.
// None where a walker was nowhere with a density.
func (r *run) centersOf(windows []*windowState) (at [][]float64, err error) {
	var best []float64
	for _, w := range windows {
		for _, late := range w.Late {
			if late.Top == nil {
				return nil, nil
			}
			at, best = append(at, late.mean(), late.Top), append(best, late.Density)
		}
	}
	height, err := r.heights(at)
	if err != nil {
		return nil, err
	}
	var centers [][]float64
	for k := range best {
		if height[2*k] >= best[k] {
			centers = append(centers, at[2*k])
		} else {
			centers = append(centers, at[2*k+1])
		}
	}
	return centers, nil
}

// mostGroups bounds the groups that are looked for: more than that are many modes in any case.
const mostGroups = 24

// groups divides places into those between which no barrier lies, by number: each place is compared with the first of
// every group.
func (r *run) groups(at [][]float64) (groups [][]int, err error) {
	height, err := r.heights(at)
	if err != nil {
		return nil, err
	}
	left := allOf(len(at))
	for len(left) > 0 && len(groups) < mostGroups {
		first := highest(left, height)
		lowest, err := r.lowestBetween(at, first, left)
		if err != nil {
			return nil, err
		}
		var group, rest []int
		for k, i := range left {
			if i == first || lowest[k] >= math.Min(height[i], height[first])-barrierDepth {
				group = append(group, i)
			} else {
				rest = append(rest, i)
			}
		}
		groups, left = append(groups, group), rest
	}
	return groups, nil
}

// barrierDepth is how far the log density has to fall between two places to count: less hardly slows walkers down.
const barrierDepth = 2

// highest is that of places whose log density is largest.
func highest(places []int, height []float64) int {
	best := places[0]
	for _, i := range places {
		if height[i] > height[best] {
			best = i
		}
	}
	return best
}
