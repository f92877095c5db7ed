package models

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/cmd/ppl/terminal"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
)

func fmtCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fmt [-w] FILE…|-",
		Short: "Print models in their canonical form",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fault.Usagef("FILE is missing")
			}
			return nil
		},
		DisableFlagsInUseLine: true,
	}
	write := cmd.Flags().BoolP("write", "w", false, "write the result back to the file")
	name := terminal.AddNameFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var first error
		for _, path := range args {
			if path == terminal.Stdin && *write {
				return fault.Usagef("--write is for files; the model on standard input is printed")
			}
			at, text, err := terminal.ReadModel(cmd.InOrStdin(), path, *name)
			if err == nil {
				err = formatFile(c, at, text, *write)
			}
			first = cmp.Or(first, err)
		}
		return first
	}
	return cmd
}

// formatFile prints the formatted text of a file, or writes it back if it differs.
func formatFile(c *terminal.Console, path, text string, write bool) error {
	file, ds := parse.File(source.New(path, text))
	if err := c.Diagnose(ds); err != nil {
		return err
	}
	formatted := format.File(file)
	if !write {
		_, err := fmt.Fprint(c.Out, formatted)
		return err
	}
	if formatted == text {
		return nil
	}
	return fault.Of(terminal.WriteFile(path, terminal.Bytes([]byte(formatted))))
}
