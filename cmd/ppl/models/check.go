package models

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/imports"
	"ppl/cmd/ppl/terminal"
	"ppl/compiler"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

func checkCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check MODEL|- [--data F|NAME=F]… [--json]",
		Short: "Say what is wrong with a model, and how it was understood",
		Long: "Say what is wrong with a model, and how it was understood: its data with groups and extremes, its " +
			"parameters with shapes, supports and priors, what is observed, the layers of its networks, how its " +
			"discrete latents are summed out, and what its rows are and where they are read from.\n" +
			"Also checks the data if every array is available: given here, in the model, or in the files " +
			"that it names.",
		Args: terminal.OneArg("MODEL"),

		DisableFlagsInUseLine: true,
	}
	data := terminal.AddDataFlag(cmd)
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object: diagnostics, and how the model was understood")
	name := terminal.AddNameFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		program, err := imports.Source(args[0], *data, c.Notes(false))
		if err != nil {
			return err
		}
		given, err := app.DataArgs(program.Data)
		if err != nil {
			return err
		}
		// Nearly all objects stay in use until the check ends, so frequent garbage collections would be wasted.
		defer debug.SetGCPercent(debug.SetGCPercent(200))
		cache := c.Network.Cache()
		r := compiler.Request{Path: program.Model, Text: program.Text, Data: given, Cache: &cache}
		if args[0] == terminal.Stdin {
			if r.Path, r.Text, err = terminal.ReadModel(cmd.InOrStdin(), args[0], *name); err != nil {
				return err
			}
			if r.Text == "" {
				r.Text = "\n" // an empty text would mean reading the file at Path
			}
		}
		m, p, ds := compiler.CheckWithData(r)
		return printUnderstood(c, r.Path, m, p, ds, cache, *asJSON)
	}
	return cmd
}

// printUnderstood prints the result of checking the model at path.
func printUnderstood(c *terminal.Console, path string, m *model.Model, p *compiler.Program, ds []diag.Diagnostic,
	cache compiler.RowCache, asJSON bool) error {
	if asJSON {
		if err := printCheck(c.Out, path, m, p, ds, cache); err != nil {
			return err
		}
		if diag.HasErrors(ds) {
			return fault.Wrong(nil)
		}
		return nil
	}
	if err := c.Diagnose(ds); err != nil {
		return err
	}
	for _, l := range compiler.Understand(m, p).Lines() {
		fmt.Fprintln(c.Out, l)
	}
	for _, l := range m.Latents {
		fmt.Fprintln(c.Out, l.Text())
	}
	if text := m.RowText(); text != "" {
		fmt.Fprintln(c.Out, text)
	}
	for _, text := range compiler.LargeData(m, path, cache) {
		fmt.Fprintln(c.Out, text)
	}
	return nil
}
