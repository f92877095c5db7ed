// Package netwarmup warms up a network: an optimiser, the noise of gradients by block, and the sampler itself, with
// steps halved until all blocks of weights have the kinetic temperature 1.
//
//	err := netwarmup.New(run).WarmUp()
package netwarmup
