package results

import (
	"context"
	"errors"

	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/cmd/ppl/answers"
	"ppl/cmd/ppl/terminal"
	"ppl/runtime/sys/process"

	"github.com/spf13/cobra"
)

func queryCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "query RUN QUERY… [--json|--csv]",
		Short: "Evaluate expressions at the draws of a run",
		Long:  queryText,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return fault.Usagef("RUN is missing")
			case 1:
				return fault.Usagef("QUERY is missing; write, for example, ppl query %s 'P(tau > 3)'", args[0])
			}
			return nil
		},

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object, with every element")
	asCSV := cmd.Flags().Bool("csv", false, "print one table, with every element")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *asJSON && *asCSV {
			return fault.Usagef("--json and --csv cannot be combined")
		}
		run, err := analysis.Open(args[0], c.Notes(false))
		if err != nil {
			return err
		}
		run.Memory = c.DrawsMemory()
		ctx, release := process.Stoppable(cmd.Context())
		defer release()
		switch {
		case *asJSON:
			return queryAll(ctx, c, run, args[1:], answers.NewJSON(c.Out, run))
		case *asCSV:
			return queryAll(ctx, c, run, args[1:], answers.NewCSV(c.Out))
		}
		return queryAll(ctx, c, run, args[1:], &answers.Text{To: c.Out, Several: len(args) > 2})
	}
	c.AddMemoryLimit(cmd, "let draws take half of `SIZE`, such as 2GB (default: 256MB); of a longer run, only some "+
		"draws are used, evenly spaced")
	return cmd
}

const queryText = `Evaluate expressions of the language over parameters, generated quantities, data and definitions of a
run's model, at every draw. A query is

  exp(b_arm)               an expression: mean, sd, 95% interval, effective sample size; a table for an array
  P(tau > 3)               the probability of a condition, ± its Monte Carlo standard error
  mean(y_new | tau < 3)    mean, sd or median over the draws in which a condition holds
  u[1] - u[2] | tau < 3    the summary of these draws
  rank u                   the probabilities that each element is the largest, and the smallest
  d = u[1] - u[2]          a definition, for the queries after it
  P(z[3] == 1), mode(z)    discrete unknowns, which the model sums out, drawn again as the run drew them`

func queryAll(ctx context.Context, c *terminal.Console, run *analysis.Run, lines []string,
	to answers.Printer) (err error) {
	failure := false
	for _, line := range lines {
		a, err := run.Ask(ctx, line, to.Most())
		e := (*fault.Error)(nil)
		switch {
		case errors.As(err, &e) && len(e.Diagnostics) > 0:
			c.PrintDiagnostics(e.Diagnostics)
			failure = true
		case err != nil:
			return err
		case a != nil:
			if err := to.Add(a); err != nil {
				return fault.Of(err)
			}
		}
	}
	if err := to.Close(); err != nil {
		return fault.Of(err)
	}
	if failure {
		return fault.Wrong(nil)
	}
	return nil
}
