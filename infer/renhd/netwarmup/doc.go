// Package netwarmup warms up a network: it runs an optimiser, measures the noise of gradients by block, and then runs
// the sampler, halving the step until all blocks of weights have kinetic temperature 1.
//
//	err := netwarmup.New(run).WarmUp()
package netwarmup
