// Package runs implements the commands that compute draws and store them in a run directory: sample, optimize and
// predict. The command worker takes part in the run of a process on another machine.
//
//	ppl sample model.ppl --data d.csv      draws from the posterior, in model.run
//	ppl worker --connect node1             takes part in ppl sample model.ppl --workers 1 on node1
//	ppl optimize model.ppl --data d.csv    the mode of the posterior
//	ppl predict model.run --data new.csv   draws of new data at the draws of the run
//	ppl predict model.ppl                  draws from the prior, in model.prior
//
// The package parses flags and prints; package app does the work. The directory is a Zarr store with the groups of
// ArviZ's InferenceData (https://arviz-devs.github.io/arviz/schema/schema.html).
package runs

import (
	"github.com/spf13/cobra"

	"ppl/cmd/ppl/terminal"
)

// Commands returns the commands of the package. They print to the console c.
func Commands(c *terminal.Console) []*cobra.Command {
	return []*cobra.Command{
		c.AddLimits(sampleCommand(c)),
		workerCommand(c),
		c.AddLimits(optimizeCommand(c)),
		c.AddLimits(predictCommand(c)),
	}
}
