package main

import (
	"slices"

	"ppl/infer"
	"ppl/lang/diag"
)

// consoleNotes prints what package app reports while it works.
type consoleNotes struct {
	c     *console
	quiet bool // no notes and no progress
	show  func(infer.Progress)
	clear func()
}

// notes returns what prints the notes and the progress of a call; quiet leaves them out, but not warnings.
func (c *console) notes(quiet bool) *consoleNotes {
	n := &consoleNotes{c: c, quiet: quiet}
	n.show, n.clear = c.progress(quiet)
	return n
}

// Note prints a decision.
func (n *consoleNotes) Note(text string) {
	if !n.quiet {
		n.c.notef("note: %s", text)
	}
}

// Step prints what begins now.
func (n *consoleNotes) Step(text string) { n.c.notef("%s", text) }

// Warn prints a warning.
func (n *consoleNotes) Warn(text string) { n.c.notef("warning: %s", text) }

// Diagnostics prints warnings and notes about a model.
func (n *consoleNotes) Diagnostics(ds []diag.Diagnostic) {
	if n.quiet {
		ds = slices.DeleteFunc(slices.Clone(ds), func(d diag.Diagnostic) bool { return d.Severity == diag.Note })
	}
	n.c.printDiagnostics(ds)
}

// Progress shows how far the call is.
func (n *consoleNotes) Progress(p infer.Progress) { n.show(p) }

// ProgressEnd removes the line of progress.
func (n *consoleNotes) ProgressEnd() { n.clear() }
