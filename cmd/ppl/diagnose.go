package main

import (
	"github.com/spf13/cobra"

	"ppl/infer/report"
)

func diagnoseCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diagnose RUN",
		Short: "Say in words what is wrong with a run and what to do about it",
		Long: "Goes through what can be wrong with a run, question by question: did the chains agree, are there " +
			"enough draws, where did trajectories\n" +
			"diverge, did replicas move along the ladder, did thermostat and minibatches keep the right temperature.",
		Args: one("RUN"),

		DisableFlagsInUseLine: true,
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		r, err := readReport(args[0])
		if err != nil {
			return err
		}
		return report.Diagnosis(c.out, r, c.width)
	}
	return cmd
}
