package results

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/export"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

func exportCommand(c *terminal.Console) *cobra.Command {
	var long strings.Builder
	long.WriteString("Write the draws of a run, or of the variables and elements that are named, in another format:\n")
	for _, f := range export.Formats() {
		fmt.Fprintf(&long, "\n  %-12s %s", f.Name, f.Doc)
	}
	long.WriteString("\n\nArviZ needs no export: it reads the run directory. The exit code is 3 if the disk is full.")
	cmd := &cobra.Command{
		Use:   "export RUN [NAME…|--group GROUP] --format F [--out FILE]",
		Short: "Write the draws of a run in another format",
		Long:  long.String(),
		Args:  terminal.AtLeastOneArg("RUN", 0),

		DisableFlagsInUseLine: true,
	}
	format := cmd.Flags().String("format", "", "`F`ormat: csv, json, parquet, netcdf or cmdstan-csv (default: the "+
		"ending of FILE, else csv)")
	out := cmd.Flags().String("out", "", "write to `FILE` (default: the terminal); for cmdstan-csv FILE_1.csv, "+
		"FILE_2.csv, …")
	var choice export.Choice
	cmd.Flags().StringVar(&choice.Group, "group", "", "write the `GROUP` of the run, such as log_likelihood, "+
		"sample_stats, posterior_predictive or predictions (default: the posterior)")
	cmd.Flags().BoolVar(&choice.LogLik, "log-lik", false, "for cmdstan-csv: add the log likelihood of each row as "+
		"log_lik")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		choice.Names = args[1:]
		return exportRun(c, args[0], choice, *format, *out)
	}
	return cmd
}

func exportRun(c *terminal.Console, dir string, choice export.Choice, format, path string) error {
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(path), ".")
		if format == "" {
			format = "csv"
		}
	}
	f, err := export.Find(format)
	if err != nil {
		return fault.Usagef("--format: %w", err)
	}
	run, err := rundir.Open(dir)
	if err != nil {
		return err
	}
	switch {
	case run.Info.Draws == 0:
		return fault.Wrongf("%s: not every chain has draws yet", dir)
	case choice.LogLik && f.Name != "cmdstan-csv":
		return fault.Usagef("--log-lik is for --format cmdstan-csv; --group log_likelihood writes it in other formats")
	case choice.LogLik && len(run.Layout.LogLikelihood) == 0:
		return fault.Wrongf("%s does not store the log likelihood of each row; sample with "+
			"--set log_likelihood=on", dir)
	case path == "" && (f.Binary || f.PerChain):
		return fault.Usagef("--format %s needs --out FILE", f.Name)
	case path == "":
		return failed(export.Write(c.Out, run, f, choice, 0))
	case !f.PerChain:
		return failed(terminal.WriteFile(path, chainWriter(run, f, choice, 0)))
	}
	for chain := range run.Layout.Chains {
		one := fmt.Sprintf("%s_%d.csv", strings.TrimSuffix(path, ".csv"), chain+1)
		if err := files.Output(one, chainWriter(run, f, choice, chain)); err != nil {
			return failed(err)
		}
	}
	return nil
}

func failed(err error) error {
	if err == nil {
		return nil
	}
	return fault.Of(err)
}

// chainWriter returns a function that writes one chain, or all chains in formats with a single file.
func chainWriter(run *store.Run, f export.Format, choice export.Choice, chain int) func(io.Writer) error {
	return func(w io.Writer) error { return export.Write(w, run, f, choice, chain) }
}
