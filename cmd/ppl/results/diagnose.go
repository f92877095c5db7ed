package results

import (
	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/report"
	"ppl/posterior/summary"
)

func diagnoseCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diagnose RUN [NAME…] [--json]",
		Short: "Say in words what is wrong with a run and what to do about it",
		Long: "Goes through what can be wrong with a run, question by question: did the chains agree, are there " +
			"enough draws, where did trajectories\n" +
			"diverge, did replicas move along the ladder, did thermostat and minibatches keep the right " +
			"temperature.\n" +
			"Before that, it prints the effective sizes and R-hat of NAMEs. It exits with 3 if the draws should " +
			"not be used.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fault.Usagef("RUN is missing")
			}
			return nil
		},

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		r, err := readReport(args[0], summary.View{Names: args[1:]})
		if err != nil {
			return err
		}
		if *asJSON {
			err = report.DiagnosisJSON(c.Out, r)
		} else {
			err = report.Diagnosis(c.Out, r, c.Width)
		}
		if err == nil && r.Unusable {
			return fault.Silent()
		}
		return err
	}
	return cmd
}
