package subsampling

import "slices"

// Anchors are renewed at the end of each window of warm-up. Where a walker has gone, as to a mode that no climb came
// to, its anchor may leave more noise in gradients than there is without one: then its position becomes an anchor, with
// one pass over all rows for all such walkers, and the noise of its rung is measured again:
//
//	walkers    · ·A·        · ·         A a mode; two walkers are far
//	anchors      A          R R         renewed where they are
//
// A renewed anchor is not a mode: points are centred by modes, to learn a metric. While draws are collected anchors
// stay as they are: steps do not depend on what the run has seen.

// farFromAnchors returns the walkers whose anchors leave more noise than there is without, on rungs where an anchor at
// a typical point would take away half of it: two independent points of a rung are 2·dim apart, squared, in its metric.
func (w *controls) farFromAnchors(at [][]float64) []bool {
	far := make([]bool, len(at))
	if !w.UsesAnchors || len(w.Anchors) == 0 {
		return far
	}
	for lane, x := range at {
		g, a := &w.Rungs[w.RungOf[lane]], &w.Anchors[w.nearestAnchor(x, false)]
		plain := g.Noises.Plain.Worst
		far[lane] = g.NoiseAt(g.Metric.Distance(x, a.At)) > plain && g.NoiseAt(2*float64(w.Dim)) < plain/2
	}
	return far
}

// Renewal makes anchors of the walkers that are far from all.
func (r *Subsampling) Renewal() *anchorSearch {
	return &anchorSearch{run: r, renews: true, starts: func() (at [][]float64) {
		all := r.controls.Positions()
		for lane, far := range r.controls.farFromAnchors(all) {
			if far {
				at = append(at, all[lane])
			}
		}
		return at
	}}
}

// renew adds anchors to the modes and to those renewed before that a walker still has.
func (r *Subsampling) renew(found []anchor) error {
	w := r.controls
	var kept []anchor
	for k, a := range w.Anchors {
		if !a.Renewed || slices.Contains(w.AnchorOf, k) {
			kept = append(kept, a)
		}
	}
	for _, a := range found[:max(0, min(len(found), w.mostAnchors()-len(kept)))] {
		a.Renewed = true
		kept = append(kept, a)
	}
	w.newAnchors(kept)
	return r.MeasureNoise()
}
