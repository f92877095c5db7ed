package main

import (
	"github.com/spf13/cobra"

	"ppl/infer/draws"
	"ppl/infer/report"
)

func compareCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare RUN RUN… [--of NAME] [--refit] [--json]",
		Short: "Compare models by how well they predict rows that they have not seen",
		Long: "Compare the models of several runs on the same data: leave-one-out prediction of each row " +
			"(PSIS-LOO), the " +
			"differences to the best with\n" +
			"their standard errors, and the weights of stacking.",
		Args: atLeastTwoRuns,

		DisableFlagsInUseLine: true,
	}
	of := cmd.Flags().String("of", "", "the observed array `NAME`, where there are several")
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object")
	refit := cmd.Flags().Bool("refit", false, refitUsage)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var runs []*draws.Run
		for _, dir := range args {
			run, err := openRun(dir)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		ctx, release := stoppable(cmd.Context())
		defer release()
		var mend func(*draws.Run, *report.LOO) error
		if *refit {
			mend = func(r *draws.Run, l *report.LOO) error { return c.refit(ctx, r, l) }
		}
		comparison, err := report.Compare(runs, *of, mend)
		if err != nil {
			return fault(err)
		}
		if *asJSON {
			return comparison.JSON(c.out)
		}
		return comparison.Text(c.out, c.width)
	}
	return cmd
}

func atLeastTwoRuns(_ *cobra.Command, args []string) error {
	if len(args) < 2 {
		return usagef("two or more RUNs are needed")
	}
	return nil
}
