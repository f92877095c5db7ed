package infer

import (
	"slices"

	"ppl/posterior/store"
)

// A Report is what a sampler reports of its own run, beyond the draws: what goes into the run directory (Seconds is the
// caller's to fill in) and how far it got.
type Report struct {
	store.SamplerReport
	Sampler       string      // "renhd"
	Chains        int         // ladders run
	Draws         int         // draws kept per chain
	NonFiniteEnds [][]float64 // of the trajectories counted in NotFinite, where the first few ended: theta
}

// mostEnds is how many of NonFiniteEnds are kept.
const mostEnds = 20

// AddNonFinite counts a trajectory that ended where the target or its gradient is not finite.
func (r *Report) AddNonFinite(theta []float64) {
	r.NotFinite++
	if len(r.NonFiniteEnds) < mostEnds {
		r.NonFiniteEnds = append(r.NonFiniteEnds, slices.Clone(theta))
	}
}
