package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"ppl/posterior/layout"
	"ppl/posterior/summary"
)

// TableOfRuns prints a line for each run, with its number of draws and diagnostics. If the view names variables, it
// prints their rows from all runs instead.
func TableOfRuns(w io.Writer, runs []summary.Report, v summary.View, width int) error {
	if len(v.Names) == 0 {
		return trustOfRuns(w, runs)
	}
	all := summary.Report{View: v}
	all.View.All = true
	longest := 0
	for _, r := range runs {
		longest = max(longest, utf8.RuneCountInString(r.Dir))
	}
	for _, r := range runs {
		dir := r.Dir + strings.Repeat(" ", longest-utf8.RuneCountInString(r.Dir))
		for _, p := range r.Parameters {
			p.Name = dir + "  " + p.Name
			all.Parameters = append(all.Parameters, p)
		}
	}
	var b strings.Builder
	writeParameters(&b, all, width)
	_, err := io.WriteString(w, b.String())
	return err
}

func trustOfRuns(w io.Writer, runs []summary.Report) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "run\tdraws\tleast ess\tof\tgreatest r_hat\tof\tdivergences\twarnings\ttime")
	for _, r := range runs {
		at := r.Worst()
		fmt.Fprintf(t, "%s\t%d × %d\t%.0f\t%s\t%.3f\t%s\t%d\t%d\t%s\n", r.Dir, r.Chains, r.Draws, at.ESS, at.ESSOf,
			at.RHat, at.RHatOf, r.Divergences, len(r.Warnings), layout.Duration(r.Seconds))
	}
	return t.Flush()
}

// JSONOfRuns prints an array with an object for each run; it is the object of JSON with the run's directory.
func JSONOfRuns(w io.Writer, runs []summary.Report) error {
	type ofRun struct {
		Run string `json:"run"`
		document
	}
	all := make([]ofRun, len(runs))
	for i, r := range runs {
		all[i] = ofRun{r.Dir, documentOf(r)}
	}
	return layout.WriteJSON(w, all)
}

// CSVOfRuns prints the lines of CSV for several runs, with the run's directory in the first column.
func CSVOfRuns(w io.Writer, runs []summary.Report, v summary.View) error {
	lines := [][]string{append([]string{"run"}, header(v)...)}
	for _, r := range runs {
		for _, line := range csvLines(r) {
			lines = append(lines, append([]string{r.Dir}, line...))
		}
	}
	return writeCSV(w, lines)
}
