package main

import (
	"io"

	"github.com/spf13/cobra"

	"ppl/infer/draws"
	"ppl/infer/report"
)

func compareCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare RUN RUN… [--of NAME] [--refit | --rows M] [--json]",
		Short: "Compare models by how well they predict rows that they have not seen",
		Long: "Compare the models of several runs on the same data: leave-one-out prediction of each row " +
			"(PSIS-LOO), the " +
			"differences to the best with\n" +
			"their standard errors, and the weights of stacking. --refit samples again without each row for which " +
			"the estimate cannot be trusted.\n\n" +
			"--rows M, for very many rows, leaves out the same M rows, chosen at random, in all models, and " +
			"estimates the differences over all rows\nfrom them, with the standard error that this adds. The weights " +
			"are those that predict the chosen rows best.",
		Args: atLeastTwoRuns,

		DisableFlagsInUseLine: true,
	}
	of := cmd.Flags().String("of", "", "the observed array `NAME`, where there are several")
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object")
	refit := cmd.Flags().Bool("refit", false, refitUsage)
	rows := cmd.Flags().Int("rows", 0, "leave out `M` rows chosen at random, the same in all models")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, release := stoppable(cmd.Context())
		defer release()
		if cmd.Flags().Changed("rows") {
			if err := checkPart(*rows, *of, *refit); err != nil {
				return err
			}
			comparison, err := c.compareParts(ctx, args, *rows)
			if err != nil {
				return err
			}
			return c.printed(comparison, *asJSON)
		}
		var runs []*draws.Run
		for _, dir := range args {
			run, err := openPosterior(dir)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		var mend func(*draws.Run, *report.LOO) error
		if *refit {
			mend = func(r *draws.Run, l *report.LOO) error { return c.refit(ctx, r, l) }
		}
		comparison, err := report.Compare(runs, *of, mend)
		if err != nil {
			return fault(err)
		}
		return c.printed(comparison, *asJSON)
	}
	return cmd
}

// A reporter prints what was found, for people or for programs.
type reporter interface {
	Text(w io.Writer, width int) error
	JSON(w io.Writer) error
}

func (c *console) printed(r reporter, asJSON bool) error {
	if asJSON {
		return r.JSON(c.out)
	}
	return r.Text(c.out, c.width)
}

func atLeastTwoRuns(_ *cobra.Command, args []string) error {
	if len(args) < 2 {
		return usagef("two or more RUNs are needed")
	}
	return nil
}
