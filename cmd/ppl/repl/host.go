// Package repl implements an interactive session: queries about the draws of a run, and a model that is written and
// sampled line by line.
//
//	> P(tau > 3)          a query, in the language of models
//	> b ~ Normal(0, 2)    a statement of the model
//	> .sample --draws 500 a command
//
// A Host provides what the session shares with the command line, such as subcommands and the printing of answers.
package repl

import (
	"context"
	"io"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/notes"
	"ppl/lang/diag"
)

// A Host provides the command line's functions to a session.
type Host interface {
	Out() io.Writer // receives results
	Width() int     // number of columns of Out; 0 if it is not a terminal
	Notef(format string, args ...any)
	// ReadModel reads a model, or translates a Stan program. It returns the data arguments with the names in the model.
	ReadModel(path string, data []string) (at, text string, given []string, err error)
	PrintDiagnostics(ds []diag.Diagnostic)
	Notes() notes.Notes
	// Redirected returns a host that writes results to out, and messages as JSON objects, one per line: {"kind":
	// "note", "text": …}, {"kind": "diagnostic", …}.
	Redirected(out, messages io.Writer) Host

	HasVerb(name string) bool
	// CarryOut carries out a command line, with a run that is already open. The first word is the subcommand.
	CarryOut(ctx context.Context, run *analysis.Run, words []string) error
	// Explain prints the description of a name.
	Explain(name string) error
	// Answer answers a query and prints the answer.
	Answer(ctx context.Context, run *analysis.Run, query string) error
	// ReadFlags parses flags of `ppl sample` into a request. The request's values are the defaults.
	ReadFlags(r *app.Request, flags []string) error
	// WriteFile writes a file that the user named.
	WriteFile(path, text string) error
}
