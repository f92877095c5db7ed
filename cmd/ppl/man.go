//go:build !wheel

package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"ppl/app/fault"
	"ppl/app/version"
	"ppl/cmd/ppl/terminal"
)

// packagerCommands returns the commands for package maintainers. Wheels omit them, since their libraries are large.
func packagerCommands(c *terminal.Console) []*cobra.Command { return []*cobra.Command{manCommand(c)} }

// manCommand writes the manual pages for packages. It is hidden from users.
func manCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "man DIR",
		Short:  "Write a manual page for each command into a directory",
		Args:   terminal.OneArg("DIR"),
		Hidden: true,

		DisableFlagsInUseLine: true,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := os.MkdirAll(args[0], 0o777); err != nil {
			return fault.Of(err)
		}
		header := &doc.GenManHeader{Title: "PPL", Section: "1", Source: "ppl " + version.Number(), Manual: "ppl"}
		if err := doc.GenManTree(cmd.Root(), header, args[0]); err != nil {
			return fault.Of(err)
		}
		return nil
	}
	return cmd
}
