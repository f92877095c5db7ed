package app

import (
	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/types"
)

// A target is what samplers draw from: a program with the log densities that a run keeps. Its effects can be given
// other coordinates.
type target struct{ compiler.Recorded }

// Recentred returns the target in other coordinates of its effects.
func (t target) Recentred(c types.Centring) infer.Recentrable {
	t.Program = t.Program.Recentred(c)
	return t
}
