package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/app/topics"
	"ppl/app/version"
	"ppl/cmd/ppl/models"
	"ppl/cmd/ppl/results"
	"ppl/cmd/ppl/runs"
	"ppl/cmd/ppl/terminal"
	"ppl/lang/diag"
)

// run carries out a command line, and returns its exit code.
func run(ctx context.Context, args []string, c *terminal.Console) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			c.Notef("ppl: internal error: %v\nThis is a fault of ppl, not of your model. Please report it with what "+
				"follows.", cause)
			fmt.Fprintf(c.Err, "%s\n", debug.Stack()) // not shortened
			code = terminal.CodeFailed
			if c.Job != nil {
				c.Job.Abort(code) // other ranks may be waiting for this one
			}
		}
	}()
	root := newRoot(c)
	if err := checkVerb(root, args); err != nil {
		return c.Conclude(root, err)
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if failed := c.OutputFailure(); failed != nil {
		err = failed
	}
	return c.Conclude(cmd, err)
}

func newRoot(c *terminal.Console) *cobra.Command {
	root := &cobra.Command{
		Use:               "ppl COMMAND",
		Short:             "Bayesian models: write the equations, get draws from the posterior",
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           version.Number(),
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              func(*cobra.Command, []string) error { return fault.Usagef("a command is missing") },

		DisableFlagsInUseLine: true,
	}
	root.SetUsageTemplate(usageTemplate)
	root.SetVersionTemplate(versionLine())
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand(c))
	root.AddCommand(models.Commands(c)...)
	root.AddCommand(runs.Commands(c)...)
	root.AddCommand(results.Commands(c)...)
	root.AddCommand(sessionCommand(c, newRoot), cacheCommand(c), versionCommand(c), completionCommand(c))
	root.AddCommand(editorCommands(c)...)
	root.AddCommand(packagerCommands(c)...)
	completeArgs(root)
	return root
}

// usageTemplate is the part of --help below the description.
const usageTemplate = `usage: {{.UseLine}}
{{- if .HasAvailableSubCommands}}

commands:
{{- range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}

{{.CommandPath}} help NAME explains a command, a distribution, a function or the code of a diagnostic.
{{- else}}

flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
`

// checkVerb returns an error for an unknown command, before cobra parses its flags.
func checkVerb(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || args[0] == "help" ||
		args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd {
		return nil
	}
	names := []string{"help"}
	for _, cmd := range root.Commands() {
		if cmd.Name() == args[0] {
			return nil
		}
		names = append(names, cmd.Name())
	}
	if near, ok := diag.Nearest(args[0], names); ok {
		return fault.Usagef("there is no command %q; %s", args[0], diag.Meant("%q", near))
	}
	switch name := args[0]; {
	case filepath.Ext(name) == ".ppl":
		return fault.Usagef("there is no command %q; %s", name, diag.Meant("ppl sample %s", name))
	case rundir.IsRun(name):
		return fault.Usagef("there is no command %q; %s", name, diag.Meant("ppl summary %s", name))
	case name == "resume":
		return fault.Usagef("there is no command %q; a run is resumed by ppl sample MODEL --resume", name)
	case name == "run", name == "fit":
		return fault.Usagef("there is no command %q; draws are made by ppl sample MODEL", name)
	}
	return fault.Usagef("there is no command %q; ppl --help lists them", args[0])
}

// flagError rewrites the error for a wrong flag, and suggests a flag that may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return fault.Usagef("--%s takes a whole number, not %q", value.GetFlag().Name, value.GetValue())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return fault.Usagef("%w", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	if say := topics.Foreign(name); say != "" {
		return fault.Usagef("there is no flag --%s; write %s", name, say)
	}
	if near, ok := diag.Nearest(name, names); ok {
		return fault.Usagef("there is no flag --%s; %s", name, diag.Meant("--%s", near))
	}
	return fault.Usagef("there is no flag %s%s", strings.Repeat("-", min(2, len(name))), name)
}
