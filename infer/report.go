package infer

import "ppl/infer/draws"

// A Report is what a sampler says of its own run, beside the draws: what goes into the run directory (Seconds is the caller's to fill in)
// and how far it got.
type Report struct {
	draws.SamplerReport
	Sampler string // "renhd"
	Chains  int    // ladders run
	Draws   int    // draws kept per chain
}
