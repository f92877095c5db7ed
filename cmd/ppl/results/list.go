package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/store"
)

func listCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [DIR] [--json]",
		Short: "List the runs in a directory, the oldest first",
		Long: "List the runs in a directory (default: the working directory): whether a run is running, finished, " +
			"interrupted, failed or killed,\n" +
			"how many draws of each chain can be read, and the model and the sampler.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fault.Usagef("%q is too many", args[1])
			}
			return nil
		},

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON array")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		dir := "."
		if len(args) > 0 {
			dir = args[0]
		}
		runs, err := runsIn(dir)
		switch {
		case err != nil:
			return fault.Of(err)
		case *asJSON:
			return writeRunsJSON(c.Out, runs)
		case len(runs) == 0:
			c.Notef("%s has no runs", dir)
			return nil
		}
		for _, r := range runs {
			if r.Problem != "" {
				c.Notef("note: %s", r.Problem)
			}
		}
		return writeRuns(c.Out, runs)
	}
	return cmd
}

// A listedRun describes a run in the output of `ppl list`, from its run.json only. Problem is the reason why that
// cannot be read.
type listedRun struct {
	Path    string `json:"path"`
	Problem string `json:"problem,omitempty"`
	store.Info
}

// unreadableRun is the status of a run whose run.json cannot be read.
const unreadableRun store.Status = "unreadable"

// runsIn returns the runs in a directory, oldest first.
func runsIn(dir string) ([]listedRun, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	runs := []listedRun{}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			continue
		}
		info, err := store.ReadInfo(path)
		if errors.As(err, new(store.ErrNotRun)) && !rundir.IsRun(path) {
			continue
		}
		run := listedRun{Path: path, Info: info}
		if err != nil {
			run.Status, run.Problem = unreadableRun, err.Error()
		}
		runs = append(runs, run)
	}
	slices.SortStableFunc(runs, func(a, b listedRun) int { return a.Created.Compare(b.Created) })
	return runs, nil
}

func writeRuns(out io.Writer, runs []listedRun) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "run\tstatus\tdraws\tsampler\tmodel\tbegan")
	for _, r := range runs {
		if r.Problem != "" {
			fmt.Fprintf(w, "%s\t%s\t\t\t\t\n", r.Path, r.Status)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%d × %d\t%s\t%s\t%s\n", r.Path, r.Status, len(r.Written), r.Draws, r.Sampler, r.Model,
			r.Created.Local().Format(time.DateTime))
	}
	return w.Flush()
}

func writeRunsJSON(out io.Writer, runs []listedRun) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(runs)
}
