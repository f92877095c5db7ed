package results

import (
	"context"

	"github.com/spf13/cobra"

	"ppl/app/analysis"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/bayesfactor"
	"ppl/runtime/sys/process"
)

func evidenceCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "evidence RUN… [--json]",
		Short: "Estimate how probable models make their data, and Bayes factors",
		Long: "Estimate the evidence (marginal likelihood) of the model of each run from its draws, by bridge " +
			"sampling, with a standard error. Where the run had a ladder of temperatures, it is also estimated along " +
			"the ladder: by stepping stones, by bridges from each temperature to the next, and by thermodynamic " +
			"integration.\n" +
			"Several runs on the same data are compared by Bayes factors. The evidence depends on the priors, " +
			"also where the posterior does not:\n" +
			"ppl compare asks instead how well models predict. Priors have to be proper.",
		Args: terminal.AtLeastOneArg("RUN", 0),

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print a list with one object for each run")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, release := process.Stoppable(cmd.Context())
		defer release()
		all, err := estimateEvidences(ctx, c, args)
		if err != nil {
			return err
		}
		return c.Print(all, *asJSON)
	}
	return cmd
}

// estimateEvidences estimates the evidences of runs on the same data, largest first.
func estimateEvidences(ctx context.Context, c *terminal.Console, dirs []string) (bayesfactor.Comparison, error) {
	return analysis.Evidences(ctx, dirs, c.LiveNotes())
}
