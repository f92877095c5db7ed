package terminal

import (
	"io"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/lang/source"
)

// Stdin is the path that means standard input.
const Stdin = "-"

// AddNameFlag adds the flag that names a model on standard input.
func AddNameFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("name", "stdin.ppl", "of a model on standard input (-): the `PATH` that messages give "+
		"it, and that files with data are relative to")
}

// ReadModel reads a model from a file, or from standard input, in which case at is name.
func ReadModel(in io.Reader, path, name string) (at, text string, err error) {
	if path != Stdin {
		text, err = source.ReadModel(path)
		if err != nil {
			return path, "", fault.Wrongf("%w%s", err, rundir.InsteadOfModel(path))
		}
		return path, text, nil
	}
	if text, err = source.ReadModelFrom(in, "standard input"); err != nil {
		return name, "", fault.Wrong(err)
	}
	return name, text, nil
}
