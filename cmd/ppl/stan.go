package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/compiler/datasets/datafile"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
	"ppl/lang/stan/translate"
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
		if isBUGS(args[0]) {
			if len(*check) > 0 {
				return fault.Usagef("--verify is for programs of Stan")
			}
			text, err := c.importBUGS(args[0], *data)
			if err != nil {
				return err
			}
			if err := c.putModel(*out, text); err != nil {
				return err
			}
			_, ds := compiler.CheckText(modelOf(args[0]), text)
			return c.diagnose(ds)
		}
		p, err := c.parseStan(args[0])
		if err != nil {
			return err
		}
		m, _, err := p.translated(*data)
		if err != nil {
			return err
		}
		if err := c.putModel(*out, m.Text); err != nil {
			return err
		}
		c.leftOut(m)
		if n := len(m.Unsaid); n > 0 {
			return &fault.Error{Kind: fault.Failure, Err: fmt.Errorf("%s: %s not translated", args[0],
				diag.Count(n, "statement is", "statements are"))}
		}
		_, ds := compiler.CheckText(modelOf(args[0]), m.Text)
		if diag.HasErrors(ds) || len(*check) == 0 {
			return c.diagnose(ds)
		}
		return c.verify(p, m, *check)
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

// isStan reports whether a model is a program of Stan.
func isStan(model string) bool { return filepath.Ext(model) == ".stan" }

// modelOf is the file in which the model of a program would be.
func modelOf(program string) string {
	base := filepath.Base(program)
	return strings.TrimSuffix(base, filepath.Ext(base)) + ".ppl"
}

// A stanModel is a program of Stan as the text of a model, with the data in the names of the model.
type stanModel struct {
	path, text string
	data       []string
}

// A stanProgram is a checked program of Stan.
type stanProgram struct {
	path string
	tree *stan.Program
	info *stan.Info
}

// parseStan reads a program. What is wrong with it is printed.
func (c *console) parseStan(path string) (*stanProgram, error) {
	text, err := source.ReadModel(path)
	if err != nil {
		return nil, fault.Wrong(err)
	}
	p, ds := stan.Parse(source.New(path, text))
	if err := c.diagnose(ds); err != nil {
		return nil, err
	}
	info, ds := stan.Check(p)
	return &stanProgram{path, p, info}, c.diagnose(ds)
}

// translated is the program as a model, with the data in the names of the model.
func (p *stanProgram) translated(data []string) (*translate.Model, []string, error) {
	known, err := stanData(data)
	if err != nil {
		return nil, nil, err
	}
	m := translate.Program(p.tree, p.info, known)
	return m, renamedData(data, m.Renamed), nil
}

// readStan translates a program for a command that computes with it: a density that is not all there is an error.
func (c *console) readStan(path string, data []string) (*stanModel, error) {
	p, err := c.parseStan(path)
	if err != nil {
		return nil, err
	}
	m, given, err := p.translated(data)
	if err != nil {
		return nil, err
	}
	if !m.Equal() {
		var ds diag.List
		for _, u := range m.Unsaid {
			if !u.Generated {
				ds.Errorf("E99", u.At, "not translated: %s", u.Reason)
			}
		}
		return nil, c.diagnose(ds.All())
	}
	for _, u := range m.Unsaid {
		c.notef("note: line %d is left out: %s", u.At.Line(), u.Reason)
	}
	c.leftOut(m)
	return &stanModel{path: modelOf(path), text: m.Text, data: given}, nil
}

// leftOut notes what has no part in the density.
func (c *console) leftOut(m *translate.Model) {
	for _, u := range m.Left {
		c.notef("note: line %d: %s", u.At.Line(), u.Reason)
	}
}

// sourceOf is a model with its data, also of a program of Stan.
func (c *console) sourceOf(model string, data []string) (app.Source, error) {
	if !isStan(model) {
		return app.Source{Model: model, Data: data}, nil
	}
	m, err := c.readStan(model, data)
	if err != nil {
		return app.Source{}, err
	}
	return app.Source{Model: m.path, Text: m.text, Data: m.data}, nil
}

// loaded is the program of a model with its data, also of a program of Stan.
func (c *console) loaded(model string, data []string) (*compiler.Program, error) {
	from, err := c.sourceOf(model, data)
	if err != nil {
		return nil, err
	}
	return app.LoadInMemory(from, c.notes(false))
}

// takeStan puts the model of a program of Stan in the place of the program, in a file next to the run, which names it.
// A file with another model is replaced only if that is asked for.
func (c *console) takeStan(model *string, data *[]string, run string, replace bool) error {
	if !isStan(*model) {
		return nil
	}
	m, err := c.readStan(*model, *data)
	if err != nil {
		return err
	}
	*data = m.data
	m.path = filepath.Join(filepath.Dir(run), m.path)
	*model = m.path
	return c.keepModel(m.path, m.text, "the program as a model", replace)
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

// stanData are the values of data flags; nil without any.
func stanData(flags []string) (stan.Data, error) {
	var known stan.Data
	for _, flag := range flags {
		if known == nil {
			known = stan.Data{}
		}
		given := rundir.ParseData(flag)
		if v, err := strconv.ParseFloat(given.Path, 64); err == nil && given.Name != "" {
			known[given.Name] = stan.Array{Values: []float64{v}}
			continue
		}
		file, err := datafile.DefaultRowCache().Whole(given.Path)
		if err != nil {
			return nil, fault.Wrong(err)
		}
		for _, a := range file.Columns() {
			name := a.Name
			if given.Name != "" {
				if key := given.Key; key != "" && key != name || key == "" && given.Name != name {
					continue
				}
				name = given.Name
			}
			values := make([]float64, a.Values.Len())
			for i := range values {
				values[i] = a.Values.At(i)
			}
			known[name] = stan.Array{Dims: slices.Clone(a.Shape), Values: values}
		}
	}
	return known, nil
}

// renamedData adds to data flags where the model finds data whose names are words of ppl.
func renamedData(flags []string, renamed map[string]string) []string {
	out := slices.Clone(flags)
	for _, flag := range flags {
		given := rundir.ParseData(flag)
		if given.Name != "" {
			continue
		}
		for old, name := range renamed {
			out = append(out, rundir.DataFlag{Name: name, Path: given.Path, Key: old}.String())
		}
	}
	slices.Sort(out[len(flags):])
	return out
}
