package simulate

import (
	"slices"

	"ppl/compiler/density"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
)

// NewUnknowns returns a Completer of arrays that are not determined by the parameters: discrete unknowns, which it
// draws jointly given parameters and data, and data with missing entries, which it completes. These arrays are marked
// Late in saved. With the same stream of random numbers it draws the same discrete unknowns as a Completer of the same
// model.
func NewUnknowns(l *density.Layout, saved []Saved) *Completer {
	c := &Completer{saved: saved, drawn: NewNumbers(l, drawn{marginalize.Over(Inputs{})})}
	if slices.ContainsFunc(saved, func(s Saved) bool { return s.Array.Role == model.Latent }) {
		c.sums = posteriorOf(l, marginalize.Summed())
	}
	return c
}
