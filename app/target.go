package app

import (
	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/types"
)

// A target is what samplers draw from: a program with the log densities that the run stores. Its effects can be
// reparameterized.
type target struct{ compiler.Recorded }

// Recentred returns the target with the given parameterization of its effects.
func (t target) Recentred(c types.Centring) infer.Recentrable {
	t.Program = t.Program.Recentred(c)
	return t
}
