package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/posterior/export"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

func exportCommand(c *console) *cobra.Command {
	var long strings.Builder
	long.WriteString("Write the draws of a run, or of the variables and elements that are named, in another format:\n")
	for _, f := range export.Formats() {
		fmt.Fprintf(&long, "\n  %-12s %s", f.Name, f.Doc)
	}
	long.WriteString("\n\nArviZ needs no export: it reads the run directory. A full disk is exit 3.")
	cmd := &cobra.Command{
		Use:   "export RUN [NAME…] --format F [--out FILE]",
		Short: "Write the draws of a run in another format",
		Long:  long.String(),
		Args:  atLeastOne("RUN", 0),

		DisableFlagsInUseLine: true,
	}
	format := cmd.Flags().String("format", "", "`F`ormat: csv, json, parquet, netcdf or cmdstan-csv (default: the "+
		"ending of FILE, else csv)")
	out := cmd.Flags().String("out", "", "write to `FILE` (default: the terminal); for cmdstan-csv FILE_1.csv, "+
		"FILE_2.csv, …")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return c.export(args[0], args[1:], *format, *out) }
	return cmd
}

func (c *console) export(dir string, names []string, format, path string) error {
	if format == "" {
		if format = strings.TrimPrefix(filepath.Ext(path), "."); format == "" {
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
		return fault.Wrongf("%s has no draws yet of every chain", dir)
	case path == "" && (f.Binary || f.PerChain):
		return fault.Usagef("--format %s needs --out FILE", f.Name)
	case path == "":
		return exported(export.Write(c.out, run, f, names, 0))
	case !f.PerChain:
		return exported(writeNamed(path, exporting(run, f, names, 0)))
	}
	for chain := range run.Layout.Chains {
		one := fmt.Sprintf("%s_%d.csv", strings.TrimSuffix(path, ".csv"), chain+1)
		if err := files.Output(one, exporting(run, f, names, chain)); err != nil {
			return exported(err)
		}
	}
	return nil
}

func exported(err error) error {
	if err == nil {
		return nil
	}
	return fault.Of(err)
}

// exporting writes a chain, or all of them in a format that has one file.
func exporting(run *store.Run, f export.Format, names []string, chain int) func(io.Writer) error {
	return func(w io.Writer) error { return export.Write(w, run, f, names, chain) }
}
