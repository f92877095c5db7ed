package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
)

func fmtCommand(c *console) *cobra.Command {
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
	name := nameFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var first error
		for _, path := range args {
			if path == fromStdin && *write {
				return fault.Usagef("--write is for files; the model on standard input is printed")
			}
			at, text, err := readNamed(cmd.InOrStdin(), path, *name)
			if err == nil {
				err = c.format(at, text, *write)
			}
			first = cmp.Or(first, err)
		}
		return first
	}
	return cmd
}

// format prints the text of one file, or writes it back where its form changes.
func (c *console) format(path, text string, write bool) error {
	file, ds := parse.File(source.New(path, text))
	if err := c.diagnose(ds); err != nil {
		return err
	}
	formatted := format.File(file)
	if !write {
		_, err := fmt.Fprint(c.out, formatted)
		return err
	}
	if formatted == text {
		return nil
	}
	return fault.Of(writeNamed(path, writeBytes([]byte(formatted))))
}
