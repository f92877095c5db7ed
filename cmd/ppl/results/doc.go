// Package results implements the commands that read runs and add no draws: list, watch, summary, diagnose, query, plot,
// effects, loo, compare, evidence, sensitivity, report and export.
//
//	ppl summary model.run tau               means, quantiles, effective sizes, R-hat
//	ppl query model.run 'P(tau > 3)'        expressions at every draw
//	ppl compare a.run b.run                 which model predicts better
//	ppl export model.run --format parquet   the draws for other programs
//
// Each command opens its run, calls a package of posterior or app/analysis, and prints the result as a table, or as
// JSON with --json. The typical order of use is that of Gelman et al. 2020, Bayesian workflow (arXiv:2011.01808).
package results

import (
	"github.com/spf13/cobra"

	"ppl/cmd/ppl/terminal"
)

// Commands returns the commands of the package. They print to the console c.
func Commands(c *terminal.Console) []*cobra.Command {
	return []*cobra.Command{
		listCommand(c),
		watchCommand(c),
		summaryCommand(c),
		diagnoseCommand(c),
		queryCommand(c),
		plotCommand(c),
		c.AddLimits(effectsCommand(c)),
		looCommand(c),
		compareCommand(c),
		evidenceCommand(c),
		sensitivityCommand(c),
		reportCommand(c),
		exportCommand(c),
	}
}
