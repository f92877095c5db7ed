// Package repl is a session: questions about the draws of a run, and a model that is written and sampled line by line.
//
//	> P(tau > 3)          a query, in the language of models
//	> b ~ Normal(0, 2)    a statement of the model
//	> .sample --draws 500 a command
//
// What a session shares with the command line, such as its verbs and how answers are printed, a Host gives it.
package repl

import (
	"context"
	"io"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/notes"
	"ppl/lang/diag"
)

// A Host is the command line around a session.
type Host interface {
	Out() io.Writer // where results go
	Width() int     // columns of Out; 0 if it is not a terminal
	Notef(format string, args ...any)
	// ReadModel reads a model, or a program of Stan as one, with its data as the model calls them.
	ReadModel(path string, data []string) (at, text string, given []string, err error)
	PrintDiagnostics(ds []diag.Diagnostic)
	Notes() notes.Notes
	// Redirected returns the host with results that go to out, and with messages that are JSON objects, one on each
	// line: {"kind": "note", "text": …}, {"kind": "diagnostic", …}.
	Redirected(out, messages io.Writer) Host

	HasVerb(name string) bool
	// CarryOut carries out a command line, of which the verb is the first word, while a run is open.
	CarryOut(ctx context.Context, run *analysis.Run, words []string) error
	// Explain prints what there is to say about a name.
	Explain(name string) error
	// Answer answers a query and prints the answer.
	Answer(ctx context.Context, run *analysis.Run, query string) error
	// ReadFlags reads flags of ppl sample into a request, whose values are their defaults.
	ReadFlags(r *app.Request, flags []string) error
	// WriteFile writes a file that the user named.
	WriteFile(path, text string) error
}
