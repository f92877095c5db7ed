package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version of ppl, as CHANGELOG.md counts them. The linker sets it from the tag in `make release` and `make install`.
var version = "0.1.0"

func versionCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  none,

		DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(c.out, "ppl %s%s, %s, %s/%s\n", version, revision(), runtime.Version(), runtime.GOOS,
				runtime.GOARCH)
			return nil
		},
	}
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
