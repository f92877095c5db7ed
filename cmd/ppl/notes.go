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

// Diagnostics prints warnings about a model, and what was decided for it in a line each: ppl check shows the places,
// and who samples a model ten times has seen them.
func (n *consoleNotes) Diagnostics(ds []diag.Diagnostic) {
	isNote := func(d diag.Diagnostic) bool { return d.Severity == diag.Note }
	if n.c.messages != nil && !n.quiet {
		n.c.printDiagnostics(ds)
		return
	}
	if warnings := slices.DeleteFunc(slices.Clone(ds), isNote); len(warnings) > 0 {
		n.c.printDiagnostics(warnings)
	}
	if n.quiet {
		return
	}
	decisions := slices.DeleteFunc(slices.Clone(ds), func(d diag.Diagnostic) bool { return !isNote(d) })
	diag.RenderLines(n.c.err, decisions[:min(shown, len(decisions))], n.c.color)
}

// Progress shows how far the call is.
func (n *consoleNotes) Progress(p infer.Progress) { n.show(p) }

// ProgressEnd removes the line of progress.
func (n *consoleNotes) ProgressEnd() { n.clear() }
