package results

import (
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/diagnose"
	"ppl/posterior/report"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

func summaryCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "summary RUN… [NAME…] [flags]",
		Short: "Summarise the draws of a run, or compare those of several runs",
		Long: "Summarise the draws of a run: of everything, or of the variables and elements that are named, as " +
			"theta or 'theta[2]'.\n" +
			"Of several runs, such as the tasks of a job, print one table: a line for each run that says how good " +
			"its draws are, or the lines\nof the variables that are named, with the run. --csv and --json have all " +
			"variables of all runs. A run that cannot be read is named, and left out.",
		Args: terminal.AtLeastOneArg("RUN", 0),

		DisableFlagsInUseLine: true,
	}
	var v summary.View
	f := cmd.Flags()
	f.BoolVar(&v.All, "all", false, "every element of long arrays")
	interval := f.String("ci", "", "`I`nterval in the place of quantiles: hdi95 is the shortest with 95 % of the "+
		"draws, eti90 "+
		"has equal tails")
	f.Float64SliceVar(&v.Quantiles, "quantiles", nil, "quantiles `P,…` in the place of 0.05,0.5,0.95")
	f.StringVar(&v.Sort, "sort", "", "sort by a `column`: name, mean, sd, mcse, ess_bulk, ess_tail or r_hat, the "+
		"worst first")
	asJSON := f.Bool("json", false, "print one JSON object")
	asCSV := f.Bool("csv", false, "print comma-separated values")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var dirs []string
		dirs, v.Names = runsAndNames(args)
		if err := completeView(&v, *interval); err != nil {
			return err
		}
		if len(dirs) > 1 {
			return summariseRuns(c, dirs, v, *asJSON, *asCSV)
		}
		v.Memory = c.DrawsMemory()
		summary, err := readReport(dirs[0], v)
		switch {
		case err != nil:
			return err
		case *asJSON:
			return report.JSON(c.Out, summary)
		case *asCSV:
			return report.CSV(c.Out, summary)
		}
		return report.Table(c.Out, summary, c.Width)
	}
	c.AddMemoryLimit(cmd, "let draws take half of `SIZE`, such as 2GB (default: 256MB); of a longer run, R-hat "+
		"is that of a sample, and effective sizes are those of all draws to 1 %")
	return cmd
}

// runsAndNames separates runs from names of variables. The first argument is always a run.
func runsAndNames(args []string) (runs, names []string) {
	for i, arg := range args {
		if i == 0 || rundir.IsRun(arg) || strings.HasSuffix(arg, ".run") {
			runs = append(runs, arg)
		} else {
			names = append(names, arg)
		}
	}
	return runs, names
}

// summariseRuns prints one table for several runs. If some runs cannot be read, it returns an error after printing the
// others.
func summariseRuns(c *terminal.Console, dirs []string, v summary.View, asJSON, asCSV bool) error {
	var runs []summary.Report
	for _, dir := range dirs {
		v.Memory = c.DrawsMemory()
		r, err := readReport(dir, v)
		if err != nil {
			c.Notef("%v", err)
			continue
		}
		runs = append(runs, r)
	}
	var err error
	switch {
	case asJSON:
		err = report.JSONOfRuns(c.Out, runs)
	case asCSV:
		err = report.CSVOfRuns(c.Out, runs, v)
	case len(runs) > 0:
		err = report.TableOfRuns(c.Out, runs, v, c.Width)
	}
	if missing := len(dirs) - len(runs); err == nil && missing > 0 {
		err = fault.Wrongf("%d of %d runs could not be summarised", missing, len(dirs))
	}
	return err
}

// completeView checks the flags of a view, and sets its interval.
func completeView(v *summary.View, interval string) (err error) {
	if interval != "" && len(v.Quantiles) > 0 {
		return fault.Usagef("--ci and --quantiles take the same columns; give one of them")
	}
	for _, q := range v.Quantiles {
		if !(q >= 0 && q <= 1) {
			return fault.Usagef("--quantiles %v: a quantile is from 0 to 1", q)
		}
	}
	if interval != "" {
		if v.Interval, err = summary.ParseInterval(interval); err != nil {
			return fault.Usagef("--ci: %w", err)
		}
	}
	return nil
}

// Summarise prints the summary of a run that has just ended.
func Summarise(c *terminal.Console, dir string, asJSON bool) error {
	run, err := rundir.Open(dir)
	if err != nil {
		return err
	}
	return SummariseRun(c, run, asJSON, true)
}

// SummariseRun prints the summary of a run. The summary names the run's directory if kept is set.
func SummariseRun(c *terminal.Console, run *store.Run, asJSON, kept bool) error {
	summary, err := diagnose.Summarize(run, summary.View{Memory: c.DrawsMemory()})
	if err != nil {
		return fault.Of(err)
	}
	if !kept {
		summary.Dir = ""
	}
	if asJSON {
		return report.JSON(c.Out, summary)
	}
	return report.Table(c.Out, summary, c.Width)
}

func readReport(dir string, v summary.View) (summary.Report, error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return summary.Report{}, err
	}
	r, err := diagnose.Summarize(run, v)
	if err != nil {
		return r, fault.Of(err)
	}
	return r, nil
}
