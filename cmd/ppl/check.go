package main

import (
	"github.com/spf13/cobra"

	"ppl/compiler"
)

func checkCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "check MODEL",
		Short: "Say what is wrong with a model, without data",
		Args:  one("MODEL"),

		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			_, ds := compiler.Check(args[0])
			return c.diagnose(ds)
		},
	}
}
