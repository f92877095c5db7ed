package main

import (
	"github.com/spf13/cobra"

	"ppl/infer/report"
)

func looCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "loo RUN [NAME] [--refit] [--json]",
		Short: "Estimate how well a model predicts rows that it has not seen",
		Long: "Estimate the expected log predictive density of each row of the data when it is left out, by Pareto " +
			"smoothed importance sampling\n" +
			"(PSIS-LOO) and by WAIC, and name the rows for which the estimate cannot be trusted. NAME is " +
			"the observed array, where there are several.\n" +
			"--refit samples again without each of these rows, with the options of the run.",
		Args: atLeastOne("RUN", 2),

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object, with every row")
	refit := cmd.Flags().Bool("refit", false, refitUsage)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		run, err := openRun(args[0])
		if err != nil {
			return err
		}
		l, err := report.CrossValidate(run, append(args, "")[1])
		if err != nil {
			return fault(err)
		}
		if *refit {
			ctx, release := stoppable(cmd.Context())
			defer release()
			if err := c.refit(ctx, run, &l); err != nil {
				return err
			}
		}
		if *asJSON {
			return l.JSON(c.out)
		}
		return l.Text(c.out, c.width)
	}
	return cmd
}
