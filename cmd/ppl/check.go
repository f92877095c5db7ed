package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ppl/compiler"
)

func checkCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check MODEL [--data F|NAME=F]…",
		Short: "Say what is wrong with a model",
		Long: "Say what is wrong with a model, how its discrete latents are summed out, and what its rows are and " +
			"where they are read from.\n" +
			"Its data are looked at too where they are at hand: given here, or all in the model and in files " +
			"that it names.",
		Args: one("MODEL"),

		DisableFlagsInUseLine: true,
	}
	data := dataFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error { return c.check(args[0], *data) }
	return cmd
}

func (c *console) check(path string, data []string) error {
	given, err := dataArgs(data)
	if err != nil {
		return err
	}
	cache := compiler.DefaultRowCache()
	m, ds := compiler.CheckWithData(path, given, cache)
	if err := c.diagnose(ds); err != nil {
		return err
	}
	for _, l := range m.Latents {
		fmt.Fprintln(c.out, l.Text())
	}
	if text := m.RowText(); text != "" {
		fmt.Fprintln(c.out, text)
	}
	for _, text := range compiler.LargeData(m, path, cache) {
		fmt.Fprintln(c.out, text)
	}
	return nil
}
