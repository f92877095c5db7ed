package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/app/version"
	"ppl/cmd/ppl/terminal"

	"github.com/spf13/cobra"
)

func versionCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version [--json] [--mpi]",
		Short: "Print the version",
		Long: "Print the version. With --mpi, under a launcher such as mpirun -np 2, print which MPI connects the " +
			"processes, too, and how fast.",
		Args: terminal.NoArgs,

		DisableFlagsInUseLine: true,
	}
	withMPI := cmd.Flags().Bool("mpi", false, "try the connection of the processes that a launcher has started")
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object")
	cmd.RunE = func(*cobra.Command, []string) error {
		if *asJSON {
			return json.NewEncoder(c.Out).Encode(versionObject{version.Number(), version.Commit(), runtime.Version(),
				runtime.GOOS, runtime.GOARCH, append([]string{}, version.Tags()...), devices.Built()})
		}
		fmt.Fprint(c.Out, versionLine())
		switch {
		case !*withMPI:
			return nil
		case c.Job == nil:
			return fault.Of(errors.New("no launcher has started several processes; try mpirun -np 2 ppl version " +
				"--mpi"))
		}
		fmt.Fprintln(c.Out, c.Job.Describe())
		return nil
	}
	return cmd
}

// versionLine returns a line with the version, the commit, the Go version and the system.
func versionLine() string {
	return fmt.Sprintf("ppl %s, %s, %s/%s\n", version.Full(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

type versionObject struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`

	Tags    []string `json:"tags"`    // build tags
	Devices []string `json:"devices"` // devices included in the build, whether or not they work on this machine
}
