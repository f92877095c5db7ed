package infer

import (
	"slices"

	"ppl/infer/draws"
)

// A Report is what a sampler says of its own run, beside the draws: what goes into the run directory (Seconds is the
// caller's to fill in) and how far it got.
type Report struct {
	draws.SamplerReport
	Sampler string      // "renhd"
	Chains  int         // ladders run
	Draws   int         // draws kept per chain
	Astray  [][]float64 // of the trajectories counted in NotFinite, the first few's ends: theta
}

// mostAstray is how many ends are kept.
const mostAstray = 20

// Stray counts a trajectory that ended where the target or its gradient is not finite.
func (r *Report) Stray(theta []float64) {
	if r.NotFinite++; len(r.Astray) < mostAstray {
		r.Astray = append(r.Astray, slices.Clone(theta))
	}
}
