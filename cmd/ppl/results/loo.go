package results

import (
	"context"

	"github.com/spf13/cobra"

	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/loo"
	"ppl/runtime/sys/process"
)

const refitUsage = "sample again without each row whose Pareto k̂ is too high"

func looCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "loo RUN [NAME] [--by G] [--refit | --rows M] [--json]",
		Short: "Estimate how well a model predicts rows that it has not seen",
		Long: "Estimate the expected log predictive density of each row of the data when it is left out, by Pareto " +
			"smoothed importance sampling\n" +
			"(PSIS-LOO) and by WAIC, and name the rows for which the estimate cannot be trusted. NAME is " +
			"the observed array, where there are several.\n" +
			"--refit samples again without each of these rows, with the options of the run.\n" +
			"--by G leaves out all rows of a group together, as if the group were new; G is a predictor with the " +
			"group of " +
			"each row.\n\n" +
			"--rows M, for very many rows, leaves out M rows chosen at random and estimates the total of all from " +
			"them, with the standard error\nthat this adds (Magnusson et al. 2020). The run need not hold the log " +
			"likelihood of each row then.",
		Args: terminal.AtLeastOneArg("RUN", 2),

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object, with every row")
	refit := cmd.Flags().Bool("refit", false, refitUsage)
	by := cmd.Flags().String("by", "", "leave out all rows of a group together, for each group of the predictor `G`")
	rows := cmd.Flags().Int("rows", 0, "leave out `M` rows chosen at random, and estimate the total of all from them")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("rows") {
			if *by != "" {
				return fault.Usagef("--rows and --by contradict each other; give one of them")
			}
			return printPart(cmd.Context(), c, args, *rows, *refit, *asJSON)
		}
		run, err := rundir.OpenPosterior(args[0])
		if err != nil {
			return err
		}
		name := append(args, "")[1]
		l, err := loo.CrossValidate(run, name)
		if *by != "" {
			l, err = loo.CrossValidateBy(run, name, *by)
		}
		if err != nil {
			return fault.Of(err)
		}
		if *refit {
			ctx, release := process.Stoppable(cmd.Context())
			defer release()
			if err := analysis.Refit(ctx, run, &l, c.Notes(false)); err != nil {
				return err
			}
		}
		return c.Print(l, *asJSON)
	}
	return cmd
}

// printPart carries out `ppl loo RUN --rows M`.
func printPart(ctx context.Context, c *terminal.Console, args []string, m int, refit, asJSON bool) error {
	if err := checkPart(m, append(args, "")[1], refit); err != nil {
		return err
	}
	ctx, release := process.Stoppable(ctx)
	defer release()
	l, err := analysis.CrossValidateRows(ctx, args[0], m, c.Notes(false))
	if err != nil {
		return err
	}
	return c.Print(l, asJSON)
}

// checkPart returns an error for arguments that contradict --rows m.
func checkPart(m int, of string, refit bool) error {
	switch {
	case m < 2:
		return fault.Usagef("--rows %d: at least 2 rows are needed", m)
	case refit:
		return fault.Usagef("--rows and --refit contradict each other; give one of them")
	case of != "":
		return fault.Usagef("--rows is for a model with one observed array; leave %s out", of)
	}
	return nil
}
