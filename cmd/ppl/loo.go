package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ppl/infer/draws"
	"ppl/infer/report"
)

func looCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "loo RUN [NAME] [--json]",
		Short: "Estimate how well a model predicts rows that it has not seen",
		Long: "Estimate the expected log predictive density of each row of the data when it is left out, by Pareto " +
			"smoothed importance sampling\n" +
			"(PSIS-LOO) and by WAIC, and name the rows for which the estimate cannot be trusted. NAME is the observed " +
			"array, where there are several.",
		Args: atLeastOne("RUN", 2),

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object, with every row")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		run, err := openRun(args[0])
		if err != nil {
			return err
		}
		l, err := report.CrossValidate(run, append(args, "")[1])
		if err != nil {
			return fault(err)
		}
		if *asJSON {
			return l.JSON(c.out)
		}
		return l.Text(c.out, c.width)
	}
	return cmd
}

// openRun opens a directory with draws from a posterior.
func openRun(dir string) (*draws.Run, error) {
	run, err := draws.Open(dir)
	switch {
	case errors.Is(err, os.ErrNotExist) && !exists(dir):
		return nil, wrong(fmt.Errorf("there is no run in %s", dir))
	case err != nil:
		return nil, wrong(err)
	}
	return run, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// fault gives an error its exit code: what the user asked for that a run cannot give is wrong, the rest has failed.
func fault(err error) error {
	if errors.As(err, new(report.Unusable)) {
		return wrong(err)
	}
	return failed(err)
}
