package renhd

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/infer/stats"
)

// rescue sends walkers that are lost to where the nearest other of their rung is: nearest, so that a mode is not given up with a walker.
// Warm-up need not be reversible. Lost is a walker that for two windows hardly moved, for something in its corner of the space stops it, or
// whose log density stayed so far below that of others that no volume makes up for it.
func (r *run) rescue(t *tuner) error {
	if r.free() {
		return nil
	}
	w, at, lost := r.walkers, r.walkers.positions(), t.lost()
	again := slices.Clone(lost)
	for lane := range again {
		again[lane] = lost[lane] && w.lost != nil && w.lost[lane]
	}
	w.lost = lost
	changed := false
	for lane := range at {
		if !again[lane] {
			continue
		}
		if to := fellows(w.rungOf, lost, lane); len(to) > 0 {
			at[lane], changed = at[nearest(at, lane, to)], true
		}
	}
	if !changed {
		return nil
	}
	_, err := w.place(r.ctx, at)
	return err
}

// nearest is that of to whose position is closest to lane's, coordinates in units of their spread over to.
func nearest(at [][]float64, lane int, to []int) int {
	unit := make([]float64, len(at[lane]))
	for j := range unit {
		column := make([]float64, len(to))
		for i, other := range to {
			column[i] = at[other][j]
		}
		unit[j] = stat.PopStdDev(column, nil)
	}
	distance := func(other int) (sum float64) {
		for j, x := range at[lane] {
			if unit[j] > 0 {
				sum += (at[other][j] - x) * (at[other][j] - x) / (unit[j] * unit[j])
			}
		}
		return sum
	}
	return slices.MinFunc(to, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
}

// hopeless is a gap in log density that no volume makes up for: 20 + 5d, a factor of e⁵ > 100 in each direction and more.
func hopeless(dim int) float64 { return 20 + 5*float64(dim) }

// fellows are the walkers of a lane's rung that are not lost.
func fellows(rungOf []int, lost []bool, lane int) []int {
	var out []int
	for l, r := range rungOf {
		if r == rungOf[lane] && !lost[l] {
			out = append(out, l)
		}
	}
	return out
}

// lost tells the walkers that seem to be, by lane. Densities can be compared only where all walkers are of one rung and none is still coming down
// from far out, and count only when several of them agree on the best.
func (t *tuner) lost() []bool {
	out, level := make([]bool, t.walkers.lanes()), make([]float64, t.walkers.lanes())
	for lane, xs := range t.density {
		out[lane] = t.moved[lane] < 0.05*float64(t.sweeps)
		level[lane] = stats.Quantile(xs[len(xs)/2:], 0.5)
	}
	if len(t.walkers.rungs) > 1 || t.heats != nil && t.hot() {
		return out
	}
	sorted := slices.Clone(level)
	slices.Sort(sorted)
	low := sorted[len(sorted)*7/8] - hopeless(t.walkers.dim)
	for lane, l := range level {
		out[lane] = out[lane] || l < low || math.IsNaN(l)
	}
	return out
}
