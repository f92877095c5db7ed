package infer

import (
	"slices"

	"ppl/posterior/store"
)

// A Report is a sampler's report about a run: the part that is stored in the run directory (the caller sets Seconds),
// and the amount of work done.
type Report struct {
	store.SamplerReport
	Sampler       string      // name of the sampler, such as "renhd"
	Chains        int         // number of ladders
	Draws         int         // draws kept per chain
	NonFiniteEnds [][]float64 // theta at the ends of the first few trajectories counted in NotFinite
}

// mostEnds is the maximum length of NonFiniteEnds.
const mostEnds = 20

// AddNonFinite counts a trajectory that ended at a point theta at which the density or its gradient is not finite.
func (r *Report) AddNonFinite(theta []float64) {
	r.NotFinite++
	if len(r.NonFiniteEnds) < mostEnds {
		r.NonFiniteEnds = append(r.NonFiniteEnds, slices.Clone(theta))
	}
}
