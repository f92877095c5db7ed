package subsampling

import "slices"

// Anchors are renewed at the end of each window of warm-up. At the position of a walker far from all anchors, such as
// in a mode that no climb reached, the anchor may give more noise than no anchor. Then the position becomes an anchor,
// by one pass over all rows for all such walkers, and the noise of their rungs is measured again:
//
//	walkers    · ·A·     ·    ·    A is a mode; two walkers are far
//	anchors      A       R    R    renewed at their positions
//
// Renewed anchors are not modes: to learn a metric, points are centred by modes. While draws are collected anchors do
// not change, so that steps do not depend on the history of the run.

// farFromAnchors reports which walkers have more noise with their anchors than without. It considers only rungs on
// which an anchor at a typical point would halve the noise: two independent points of a rung have a squared distance of
// 2·dim in its metric.
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

// Renewal returns the part that makes anchors of the walkers that are far from all anchors.
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

// AnyWalkerFar reports whether a walker is far from all anchors.
func (s *Subsampling) AnyWalkerFar() bool {
	return slices.Contains(s.controls.farFromAnchors(s.Positions()), true)
}
