package results

import (
	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/sensitivity"
)

func sensitivityCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sensitivity RUN [NAME…] [--prior P,…] [--json]",
		Short: "Say how far the posterior depends on the priors",
		Long: "Raise the prior, and then the likelihood, to powers slightly below and above 1, and measure " +
			"how far the " +
			"posterior of each quantity\n" +
			"moves (power-scaling; without sampling again). Scaled are the priors that read no other parameter, or " +
			"those named " +
			"by --prior.",
		Args: terminal.AtLeastOneArg("RUN", 0),

		DisableFlagsInUseLine: true,
	}
	priors := cmd.Flags().StringSlice("prior", nil, "scale the priors of `P,…`")
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		run, err := rundir.OpenPosterior(args[0])
		if err != nil {
			return err
		}
		s, err := sensitivity.Of(run, args[1:], *priors)
		if err != nil {
			return fault.Of(err)
		}
		return c.Print(s, *asJSON)
	}
	return cmd
}
