// Package models implements the commands that work on the text of a model and need no run: check, fmt, build, formula,
// import and logprob.
//
//	ppl check model.ppl                                    its problems, and how it was understood
//	ppl build --emit=c model.ppl --data d.csv              a stage of the compiler
//	ppl formula 'y ~ x + (1 | g)' --data d.csv             the model of an R formula
//	ppl logprob model.ppl --data d.csv --at values.json    its log density at a point
//
// Formulas have the meaning that they have in brms (Bürkner 2017, doi:10.18637/jss.v080.i01).
package models

import (
	"github.com/spf13/cobra"

	"ppl/cmd/ppl/terminal"
)

// Commands returns the commands of the package. They print to the console c.
func Commands(c *terminal.Console) []*cobra.Command {
	return []*cobra.Command{
		c.AddLimits(checkCommand(c)),
		c.AddLimits(buildCommand(c)),
		c.AddLimits(logprobCommand(c)),
		fmtCommand(c),
		formulaCommand(c),
		importCommand(c),
	}
}
