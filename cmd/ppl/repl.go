package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/app/imports"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/cmd/ppl/answers"
	"ppl/cmd/ppl/messages"
	"ppl/cmd/ppl/repl"
	"ppl/cmd/ppl/runs"
	"ppl/cmd/ppl/terminal"
	"ppl/lang/diag"
	"ppl/lang/source"
)

func sessionCommand(c *terminal.Console, root func(*terminal.Console) *cobra.Command) *cobra.Command {
	var data []string
	cmd := &cobra.Command{
		Use:   "repl [MODEL|RUN] [--json]",
		Short: "Ask about the draws of a run, or write a model and sample it, line by line",
		Long: "Reads queries (ppl query --help), statements of a model, and commands that begin with a dot; " +
			".help lists " +
			"them. Brackets that are\nopen, or an operator at the end, continue a line. From a pipe the lines are a " +
			"script: ppl repl RUN < analysis.txt; .save FILE writes one.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fault.Usagef("one MODEL or RUN at a time; %q is too many", args[1])
			}
			return nil
		},

		DisableFlagsInUseLine: true,
	}
	cmd.Flags().StringArrayVar(&data, "data", nil, terminal.DataUsage)
	asJSON := cmd.Flags().Bool("json", false, "answer requests of a program such as a Jupyter kernel: a JSON object "+
		"on each line")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		run := repl.Run
		if *asJSON {
			run = repl.RunJSON
		}
		return run(cmd.Context(), sessionHost{c, root}, append(args, "")[0], data)
	}
	return cmd
}

// A sessionHost implements repl.Host for the command line.
type sessionHost struct {
	c    *terminal.Console
	root func(*terminal.Console) *cobra.Command // returns the command tree for a console
}

// Out returns the writer for results.
func (h sessionHost) Out() io.Writer { return h.c.Out }

// Width returns the number of columns of the terminal.
func (h sessionHost) Width() int { return h.c.Width }

// ReadModel reads a model, or translates a Stan program. It returns the data arguments with the names in the model.
func (h sessionHost) ReadModel(path string, data []string) (at, text string, given []string, err error) {
	if imports.IsStan(path) {
		from, err := imports.Source(path, data, h.c.Notes(false))
		return from.Model, from.Text, from.Data, err
	}
	text, err = source.ReadModel(path)
	if err != nil {
		return "", "", nil, fault.Wrongf("there is no model and no run %s%s", path, rundir.InsteadOfModel(path))
	}
	return path, text, data, nil
}

// Notef writes a line for the user.
func (h sessionHost) Notef(format string, args ...any) { h.c.Notef(format, args...) }

// PrintDiagnostics prints the problems of a model.
func (h sessionHost) PrintDiagnostics(ds []diag.Diagnostic) { h.c.PrintDiagnostics(ds) }

// Notes returns the printer for notes of package app.
func (h sessionHost) Notes() notes.Notes { return h.c.Notes(false) }

// Redirected returns a host that writes results to out and JSON messages to to.
func (h sessionHost) Redirected(out, to io.Writer) repl.Host {
	own := *h.c
	own.Out, own.Messages = out, messages.New(to)
	return sessionHost{&own, h.root}
}

// HasVerb reports whether the command line has a subcommand.
func (h sessionHost) HasVerb(name string) bool { return verb(h.root(h.c), name) != nil }

// CarryOut carries out a command line, with a run that is already open.
func (h sessionHost) CarryOut(ctx context.Context, run *analysis.Run, words []string) error {
	with := *h.c
	with.Opened = run
	root := h.root(&with)
	root.SetArgs(words)
	return root.ExecuteContext(ctx)
}

// Explain prints the description of a name.
func (h sessionHost) Explain(name string) error { return explain(h.c, h.root(h.c), name) }

// Answer answers a query and prints the answer.
func (h sessionHost) Answer(ctx context.Context, run *analysis.Run, query string) error {
	to := &answers.Text{To: h.c.Out}
	a, err := run.Ask(ctx, query, to.Most())
	if err != nil || a == nil {
		return err
	}
	return fault.Of(to.Add(a))
}

// ReadFlags parses flags of `ppl sample` into a request.
func (h sessionHost) ReadFlags(r *app.Request, flags []string) error {
	if err := runs.ReadFlags(r, flags); err != nil {
		return err
	}
	r.Disk = h.c.Disk
	return nil
}

// WriteFile writes a file that the user named.
func (h sessionHost) WriteFile(path, text string) error {
	return terminal.WriteFile(path, terminal.Bytes([]byte(text)))
}
