package warmup

import (
	"math"
	"slices"
	"strings"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
)

// If the density jumps in some coordinates but not in all, Metropolis steps move these and trajectories the others
// (dynamics.DiscontinuityMove), so that the step size suits the smooth ones. Such coordinates are found by bisection
// along lines: as two points approach each other, the difference of their log densities vanishes, unless there is a
// jump between them.
const (
	mostJumpy   = 16 // maximum number of such coordinates: with more, each would be moved too rarely
	mostSmooth  = 64 // maximum dimension in which jumps are searched
	lineProbes  = 24 // number of intervals on a line
	halvings    = 36 // number of halvings of the interval with the largest difference
	leastJump   = 0.01
	spreadQuant = 0.05 // quantile of positions that measures the spread of a coordinate
)

// moveAcrossDiscontinuities searches the coordinates in which the density jumps, and lets Metropolis steps move them
// from now on. It returns false if no coordinate jumps, if all jump, or if the same coordinates are moved already: then
// steps are short for another reason.
func (t *warmupWindow) moveAcrossDiscontinuities() (bool, error) {
	r := t.run
	if r.Walkers.Dim > mostSmooth {
		return false, nil
	}
	at := r.Walkers.Positions()
	var jumps []dynamics.Discontinuity
	for j := range r.Walkers.Dim {
		spread := spreadOf(append(slices.Clone(t.seen.Visited), at), j)
		jumpy, err := r.jumpsAlong(at, j, spread)
		if err != nil {
			return false, err
		}
		if jumpy {
			jumps = append(jumps, dynamics.Discontinuity{At: j, Spread: spread})
		}
	}
	same := slices.EqualFunc(jumps, r.Discontinuities, func(a, b dynamics.Discontinuity) bool { return a.At == b.At })
	if n := len(jumps); n == 0 || n == r.Walkers.Dim || n > mostJumpy || same {
		_, err := r.Walkers.Place(r.Ctx, at)
		return false, err
	}
	r.Discontinuities, r.Phase = jumps, r.Phase.Across(jumps)
	for j := range r.Walkers.Rungs {
		r.Walkers.Rungs[j].Step = r.Phase.FirstStepIn(r.Walkers.Rungs[j])
	}
	return true, r.ChangeProgram(at)
}

// spreadOf returns half the distance between a low and a high quantile of a coordinate over all positions.
func spreadOf(places [][][]float64, j int) float64 {
	all := slices.Concat(population.Coordinate(places, j)...)
	low, high := stats.Quantile(all, spreadQuant), stats.Quantile(all, 1-spreadQuant)
	return math.Max(high-low, 1e-6*(1+math.Abs(high))) / 2
}

// jumpsAlong reports whether the log density jumps along coordinate j, on a line through some walker.
func (r *Warmup) jumpsAlong(at [][]float64, j int, spread float64) (bool, error) {
	steepest := make([]interval, len(at))
	now := make([]linePoint, len(at))
	for k := range lineProbes + 1 {
		before := slices.Clone(now)
		for lane, x := range at {
			now[lane].at = x[j] + 2*spread*(2*float64(k)/lineProbes-1)
		}
		if err := r.evaluateAlong(at, j, now); err != nil {
			return false, err
		}
		for lane := range at {
			if next := (interval{before[lane], now[lane]}); k > 0 && next.gap() > steepest[lane].gap() {
				steepest[lane] = next
			}
		}
	}
	for range halvings {
		for lane, s := range steepest {
			now[lane].at = (s.from.at + s.to.at) / 2
		}
		if err := r.evaluateAlong(at, j, now); err != nil {
			return false, err
		}
		for lane, s := range steepest {
			low, high := interval{s.from, now[lane]}, interval{now[lane], s.to}
			steepest[lane] = high
			if low.gap() > high.gap() {
				steepest[lane] = low
			}
		}
	}
	return slices.ContainsFunc(steepest, func(s interval) bool { return s.gap() > leastJump }), nil
}

// evaluateAlong sets the heights of points, one on the line of each walker along coordinate j.
func (r *Warmup) evaluateAlong(at [][]float64, j int, points []linePoint) error {
	moved := make([][]float64, len(at))
	for lane, x := range at {
		moved[lane] = slices.Clone(x)
		moved[lane][j] = points[lane].at
	}
	_, err := r.Walkers.Place(r.Ctx, moved)
	for lane, height := range r.Walkers.LogDensities() {
		points[lane].height = height
	}
	return err
}

// An interval is a segment of a line, with the log densities at its ends.
type interval struct{ from, to linePoint }

type linePoint struct{ at, height float64 }

// gap returns the difference between the log densities at the ends, or 0 if one of them is not finite, as outside the
// support.
func (i interval) gap() float64 {
	if d := math.Abs(i.from.height - i.to.height); !math.IsNaN(d) && !math.IsInf(d, 0) {
		return d
	}
	return 0
}

// RemarkOnDiscontinuities reports the parameters that Metropolis steps move.
func (r *Warmup) RemarkOnDiscontinuities() {
	if len(r.Discontinuities) == 0 {
		return
	}
	where := ""
	if r.Phase.Ends != nil {
		var names []string
		for _, j := range r.Discontinuities {
			names = append(names, r.Phase.Ends[j.At].Parameter)
		}
		where = " in " + strings.Join(slices.Compact(names), ", ")
	}
	r.Notef("the density jumps%s, for example because a parameter is compared with a number or rounded: Metropolis "+
		"steps move the coordinates with jumps, and trajectories the others", where)
}
