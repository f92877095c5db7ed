package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"ppl/compiler"
)

const dataUsage = "data from file `F`, or one array from NAME=F; may be repeated"

// dataFlag adds --data to a command.
func dataFlag(cmd *cobra.Command) *[]string {
	return cmd.Flags().StringArray("data", nil, dataUsage)
}

// load compiles a model with its data, and prints what there is to say of them.
func (c *console) load(model string, data []string) (*compiler.Program, error) {
	args, err := dataArgs(data)
	if err != nil {
		return nil, err
	}
	p, ds := compiler.Load(model, args)
	return p, c.diagnose(ds)
}

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// dataArgs reads --data flags. What stands before the first = is a name only if it can be one: ./a=b.csv is a file.
func dataArgs(flags []string) ([]compiler.DataArg, error) {
	var args []compiler.DataArg
	for _, f := range flags {
		name, path, found := strings.Cut(f, "=")
		if !found || !nameForm.MatchString(name) {
			name, path = "", f
		}
		if path == "" {
			return nil, usagef("--data %q names no file; write --data FILE or --data NAME=FILE", f)
		}
		args = append(args, compiler.DataArg{Name: name, Path: path})
	}
	return args, nil
}
