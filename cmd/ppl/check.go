package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ppl/compiler"
)

func checkCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "check MODEL",
		Short: "Say what is wrong with a model, without data, how its discrete latents are summed out, and what its rows are and where they are read from",
		Args:  one("MODEL"),

		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			m, ds := compiler.Check(args[0])
			if err := c.diagnose(ds); err != nil {
				return err
			}
			for _, l := range m.Latents {
				fmt.Fprintln(c.out, l.Text())
			}
			if text := m.RowText(); text != "" {
				fmt.Fprintln(c.out, text)
			}
			for _, text := range compiler.LargeData(m, args[0], compiler.DefaultShelf()) {
				fmt.Fprintln(c.out, text)
			}
			return nil
		},
	}
}
