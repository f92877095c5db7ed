package main

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
	"ppl/compiler"
	"ppl/lang/diag"
)

// importCommand prints programs of Stan and models of BUGS as models.
func importCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import PROGRAM.stan|MODEL.bug [--data F|NAME=F]… [-o MODEL.ppl]",
		Short: "Print a program of Stan or a model of BUGS as a model",
		Long: "Print a program of Stan as a model of ppl, whose log density is the same up to a constant. Loops " +
			"become indices,\nbounds become supports, and functions of the program are written where it calls them. " +
			"With --data, loops and conditions\nthat data decide are written out where no index can say them; the " +
			"model is then one for data of these sizes.\nWhat has no translation is a comment with its line and the " +
			"reason, and the exit code is 3.\n" +
			"ppl check, sample, optimize, predict and logprob take a program itself: ppl sample PROGRAM.stan " +
			"--data F.\nA file whose name ends with .bug, .bugs or .jags is a model of BUGS or JAGS. With --data, " +
			"variables with a\ndistribution are observed if they are in the data; without, if nothing reads them.",
		Args: one("PROGRAM"),

		DisableFlagsInUseLine: true,
	}
	data := dataFlag(cmd)
	check := cmd.Flags().StringArray("verify", nil, "with data from `F` or NAME=F, compare the log densities of the "+
		"program, run as it is, and of the model at 20 points")
	out := cmd.Flags().StringP("out", "o", "", "write the model to `MODEL.ppl`")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		to := c.notes(false)
		if imports.IsBUGS(args[0]) {
			if len(*check) > 0 {
				return fault.Usagef("--verify is for programs of Stan")
			}
			text, err := imports.BUGS(args[0], *data, to)
			if err != nil {
				return err
			}
			if err := c.putModel(*out, text); err != nil {
				return err
			}
			_, ds := compiler.CheckText(imports.ModelPath(args[0]), text)
			return c.diagnose(ds)
		}
		p, err := imports.ReadStan(args[0], to)
		if err != nil {
			return err
		}
		m, _, err := p.Translate(*data)
		if err != nil {
			return err
		}
		if err := c.putModel(*out, m.Text); err != nil {
			return err
		}
		p.NoteLeft(m, to)
		if n := len(m.Unsaid); n > 0 {
			return &fault.Error{Kind: fault.Failure, Err: fmt.Errorf("%s: %s not translated", args[0],
				diag.Count(n, "statement is", "statements are"))}
		}
		_, ds := compiler.CheckText(imports.ModelPath(args[0]), m.Text)
		if diag.HasErrors(ds) || len(*check) == 0 {
			return c.diagnose(ds)
		}
		return p.Verify(m, *check, c.notes(true))
	}
	return cmd
}

// putModel writes a model to a file, or prints it.
func (c *console) putModel(path, text string) error {
	if path == "" {
		_, err := fmt.Fprint(c.out, text)
		return fault.Of(err)
	}
	return fault.Of(writeNamed(path, writeBytes([]byte(text))))
}

// loaded is the program of a model with its data, also of a program of Stan.
func (c *console) loaded(model string, data []string) (*compiler.Program, error) {
	from, err := imports.Source(model, data, c.notes(false))
	if err != nil {
		return nil, err
	}
	from.Network = c.network
	return app.LoadInMemory(from, c.notes(false))
}

// takeStan puts the model of a program of Stan in the place of the program, in a file next to the run, which names it.
// A file with another model is replaced only if that is asked for.
func (c *console) takeStan(model *string, data *[]string, run string, replace bool) error {
	if !imports.IsStan(*model) {
		return nil
	}
	from, err := imports.Source(*model, *data, c.notes(false))
	if err != nil {
		return err
	}
	*model, *data = filepath.Join(filepath.Dir(run), from.Model), from.Data
	return c.keepModel(*model, from.Text, "the program as a model", replace)
}

// keepModel writes a model that was made of something else. A file with another model is replaced only if that is asked
// for.
func (c *console) keepModel(path, text, what string, replace bool) error {
	before, err := os.ReadFile(path)
	switch {
	case err == nil && string(before) == text:
		return nil
	case err == nil && !replace:
		return fault.Usagef("%s has another model; --overwrite replaces it and its run, or sample the file itself: "+
			"ppl sample %[1]s", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fault.Of(err)
	}
	if err := writeNamed(path, writeBytes([]byte(text))); err != nil {
		return fault.Of(err)
	}
	c.notef("note: %s is in %s", what, path)
	return nil
}
