package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ppl/infer/draws"
	"ppl/infer/report"
)

func summaryCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "summary RUN [--json]",
		Short: "Summarise the draws of a run",
		Args:  one("RUN"),

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return c.summarise(args[0], *asJSON) }
	return cmd
}

// summarise reads a run from disk and prints its summary.
func (c *console) summarise(dir string, asJSON bool) error {
	summary, err := readReport(dir)
	if err != nil {
		return err
	}
	if asJSON {
		return report.JSON(c.out, summary)
	}
	return report.Table(c.out, summary, c.width)
}

func readReport(dir string) (report.Report, error) {
	run, err := draws.Open(dir)
	if err != nil {
		return report.Report{}, failed(err)
	}
	if len(run.Layout.Prior)+len(run.Layout.PriorPredictive) > 0 {
		return report.Report{},
			wrong(fmt.Errorf("%s holds draws from the prior, of which there is no summary; ArviZ reads them", dir))
	}
	r, err := report.FromRun(run)
	if err != nil {
		return r, failed(err)
	}
	return r, nil
}
