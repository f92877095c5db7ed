package simulate

import (
	"slices"

	"ppl/compiler/density"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
)

// NewUnknowns makes a completer of arrays that a model does not know even at given parameters: discrete unknowns, which
// it draws jointly from their distribution given parameters and data, and data with missing entries, which it
// completes. These arrays are marked Late in saved. From one stream of random numbers it draws the discrete unknowns
// that a Completer of the same model draws.
func NewUnknowns(l *density.Layout, saved []Saved) *Completer {
	c := &Completer{saved: saved, drawn: NewNumbers(l, drawn{marginalize.Over(Inputs{})})}
	if slices.ContainsFunc(saved, func(s Saved) bool { return s.Array.Role == model.Latent }) {
		c.sums = posteriorOf(l, marginalize.Summed())
	}
	return c
}
