package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/imports"
	"ppl/cmd/ppl/terminal"
	"ppl/compiler"
	"ppl/lang/diag"
)

func importCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import PROGRAM.stan|MODEL.bug [--data F|NAME=F]… [-o MODEL.ppl]",
		Short: "Print a program of Stan or a model of BUGS as a model",
		Long: "Print a program of Stan as a model of ppl, whose log density is the same up to a constant. Loops " +
			"become indices,\nbounds become supports, and functions of the program are written where it calls them. " +
			"With --data, loops and conditions\nthat depend on data are unrolled if no index expresses them; the " +
			"model then fits only data of these sizes.\nA statement without a translation becomes a comment with " +
			"its line and the reason, and the exit code is 3.\n" +
			"ppl check, sample, optimize, predict and logprob take a program itself: ppl sample PROGRAM.stan " +
			"--data F.\nA file whose name ends with .bug, .bugs or .jags is a model of BUGS or JAGS. With --data, " +
			"variables with a\ndistribution are observed if they are in the data; without, if nothing reads them.",
		Args: terminal.OneArg("PROGRAM"),

		DisableFlagsInUseLine: true,
	}
	data := terminal.AddDataFlag(cmd)
	check := cmd.Flags().StringArray("verify", nil, "with data from `F` or NAME=F, compare the log densities of the "+
		"program, run as it is, and of the model at 20 points")
	out := cmd.Flags().StringP("out", "o", "", "write the model to `MODEL.ppl`")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		to := c.Notes(false)
		if imports.IsBUGS(args[0]) {
			if len(*check) > 0 {
				return fault.Usagef("--verify is for programs of Stan")
			}
			text, err := imports.BUGS(args[0], *data, to)
			if err != nil {
				return err
			}
			if err := putModel(c, *out, text); err != nil {
				return err
			}
			_, ds := compiler.CheckText(imports.ModelPath(args[0]), text)
			return c.Diagnose(ds)
		}
		p, err := imports.ReadStan(args[0], to)
		if err != nil {
			return err
		}
		m, _, err := p.Translate(*data)
		if err != nil {
			return err
		}
		if err := putModel(c, *out, m.Text); err != nil {
			return err
		}
		p.NoteLeft(m, to)
		if n := len(m.Unsaid); n > 0 {
			return &fault.Error{Kind: fault.Failure, Err: fmt.Errorf("%s: %s not translated", args[0],
				diag.Count(n, "statement is", "statements are"))}
		}
		_, ds := compiler.CheckText(imports.ModelPath(args[0]), m.Text)
		if diag.HasErrors(ds) || len(*check) == 0 {
			return c.Diagnose(ds)
		}
		return p.Verify(m, *check, c.Notes(true))
	}
	return cmd
}

// putModel writes a model to a file, or prints it if path is empty.
func putModel(c *terminal.Console, path, text string) error {
	if path == "" {
		_, err := fmt.Fprint(c.Out, text)
		return fault.Of(err)
	}
	return fault.Of(terminal.WriteFile(path, terminal.Bytes([]byte(text))))
}

// load compiles a model or a Stan program with its data.
func load(c *terminal.Console, model string, data []string) (*compiler.Program, error) {
	from, err := imports.Source(model, data, c.Notes(false))
	if err != nil {
		return nil, err
	}
	from.Network = c.Network
	return app.LoadInMemory(from, c.Notes(false))
}

// TranslateStan replaces a Stan program by its translation, which it writes to a file next to the run. It replaces a
// file that contains another model only if replace is set.
func TranslateStan(c *terminal.Console, model *string, data *[]string, run string, replace bool) error {
	if !imports.IsStan(*model) {
		return nil
	}
	from, err := imports.Source(*model, *data, c.Notes(false))
	if err != nil {
		return err
	}
	*model, *data = filepath.Join(filepath.Dir(run), from.Model), from.Data
	return KeepModel(c, *model, from.Text, "the program as a model", replace)
}

// KeepModel writes a generated model to a file. It replaces a file that contains another model only if replace is set.
func KeepModel(c *terminal.Console, path, text, what string, replace bool) error {
	before, err := os.ReadFile(path)
	switch {
	case err == nil && string(before) == text:
		return nil
	case err == nil && !replace:
		return fault.Usagef("%s contains another model; --overwrite replaces it and its run, or sample the file "+
			"itself: ppl sample %[1]s", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fault.Of(err)
	}
	if err := terminal.WriteFile(path, terminal.Bytes([]byte(text))); err != nil {
		return fault.Of(err)
	}
	c.Notef("note: %s is in %s", what, path)
	return nil
}
