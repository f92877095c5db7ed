package renhd

import (
	"math"
	"slices"

	"ppl/infer/stats"
)

// rescue sends walkers that are lost to where another of their rung is; warm-up need not be reversible. Lost is a walker that hardly
// moved in a window, for something in its corner of the space stops it, and one whose log density stayed so far below that of others
// that no volume makes up for it.
func (r *run) rescue(t *tuner) error {
	if r.free() {
		return nil
	}
	w, at, lost := r.walkers, r.walkers.positions(), t.lost()
	source, changed := r.source(), false
	for lane := range at {
		if !lost[lane] {
			continue
		}
		if to := fellows(w.rungOf, lost, lane); len(to) > 0 {
			at[lane], changed = at[to[source.IntN(len(to))]], true
		}
	}
	if !changed {
		return nil
	}
	_, err := w.place(r.ctx, at)
	return err
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

// lost tells the walkers that are, by lane. Densities can be compared only where all walkers are of one rung, and count only when
// several of them agree on the best.
func (t *tuner) lost() []bool {
	out, level := make([]bool, t.walkers.lanes()), make([]float64, t.walkers.lanes())
	for lane, xs := range t.density {
		out[lane] = t.moved[lane] < 0.05*float64(t.sweeps)
		level[lane] = stats.Quantile(xs[len(xs)/2:], 0.5)
	}
	if len(t.walkers.rungs) > 1 {
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
