package results

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/bayesfactor"
	"ppl/posterior/loo"
	"ppl/posterior/store"
	"ppl/runtime/sys/process"
)

func compareCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare RUN RUN… [--of NAME] [--refit | --rows M] [--evidence] [--json]",
		Short: "Compare models by how well they predict rows that they have not seen",
		Long: "Compare the models of several runs on the same data: leave-one-out prediction of each row " +
			"(PSIS-LOO), the " +
			"differences to the best with\n" +
			"their standard errors, and the weights of stacking. --refit samples again without each row for which " +
			"the estimate cannot be trusted.\n\n" +
			"--rows M, for very many rows, leaves out the same M rows, chosen at random, in all models, and " +
			"estimates the differences over all rows\nfrom them, with the standard error that this adds. The weights " +
			"are those that predict the chosen rows best.\n\n" +
			"--evidence adds log evidences and Bayes factors, as ppl evidence gives them, or the reason why there " +
			"are none. It takes longer: the\nmodels are compiled again, and their densities evaluated at all draws.",
		Args: atLeastTwoRuns,

		DisableFlagsInUseLine: true,
	}
	of := cmd.Flags().String("of", "", "the observed array `NAME`, where there are several")
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object")
	refit := cmd.Flags().Bool("refit", false, refitUsage)
	rows := cmd.Flags().Int("rows", 0, "leave out `M` rows chosen at random, the same in all models")
	withEvidence := cmd.Flags().Bool("evidence", false, "add Bayes factors, or why there are none")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, release := process.Stoppable(cmd.Context())
		defer release()
		if cmd.Flags().Changed("rows") {
			if err := checkPart(*rows, *of, *refit); err != nil {
				return err
			}
			if *withEvidence {
				return fault.Usagef("--rows selects some rows, and --evidence needs all; use ppl evidence")
			}
			comparison, err := analysis.CompareRows(ctx, args, *rows, c.Notes(false))
			if err != nil {
				return err
			}
			return c.Print(comparison, *asJSON)
		}
		var runs []*store.Run
		for _, dir := range args {
			run, err := rundir.OpenPosterior(dir)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		var refitRows func(*store.Run, *loo.Result) error
		if *refit {
			refitRows = func(r *store.Run, l *loo.Result) error { return analysis.Refit(ctx, r, l, c.Notes(false)) }
		}
		comparison, err := loo.Compare(runs, *of, refitRows)
		if err != nil {
			return fault.Of(err)
		}
		if *withEvidence {
			if comparison.Evidence, comparison.NoEvidence, err = evidencesOrWhy(ctx, c, args); err != nil {
				return err
			}
		}
		return c.Print(comparison, *asJSON)
	}
	return cmd
}

// evidencesOrWhy returns the evidences of several runs, or the reason why the runs have no comparable evidences. In the
// latter case, the comparison of predictions is still valid.
func evidencesOrWhy(ctx context.Context, c *terminal.Console, dirs []string) (bayesfactor.Comparison, string, error) {
	all, err := estimateEvidences(ctx, c, dirs)
	var e *fault.Error
	if errors.As(err, &e) && e.Kind == fault.Input && e.Err != nil {
		return nil, e.Err.Error(), nil
	}
	return all, "", err
}

func atLeastTwoRuns(_ *cobra.Command, args []string) error {
	if len(args) < 2 {
		return fault.Usagef("two or more RUNs are needed")
	}
	return nil
}
