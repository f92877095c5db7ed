package dynamics

import (
	"ppl/autodiff"
)

const clock = "clock" // minibatches that a lane has seen; of one chain all see the same

// density is log ρ and log ℓ of the target.
func (s System) density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	return s.Target.Density(theta)
}
