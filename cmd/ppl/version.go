package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version of ppl, as CHANGELOG.md counts them. The linker sets it from the tag in `make release` and `make install`.
var version = "0.1.0"

func versionCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version [--mpi]",
		Short: "Print the version",
		Long: "Print the version. With --mpi, under a launcher such as mpirun -np 2, print which MPI connects the " +
			"processes, too, and how fast.",
		Args: none,

		DisableFlagsInUseLine: true,
	}
	withMPI := cmd.Flags().Bool("mpi", false, "try the connection of the processes that a launcher has started")
	cmd.RunE = func(*cobra.Command, []string) error {
		fmt.Fprintf(c.out, "ppl %s%s, %s, %s/%s\n", version, revision(), runtime.Version(), runtime.GOOS,
			runtime.GOARCH)
		switch {
		case !*withMPI:
			return nil
		case c.job == nil:
			return failed(errors.New("no launcher has started several processes; try mpirun -np 2 ppl version " +
				"--mpi"))
		}
		fmt.Fprintln(c.out, c.job.describe())
		return nil
	}
	return cmd
}

// revision is the commit the binary was built from, where the build knows it.
func revision() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return " (" + s.Value[:min(12, len(s.Value))] + ")"
		}
	}
	return ""
}
