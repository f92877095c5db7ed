package terminal

import (
	"slices"

	"ppl/infer"
	"ppl/lang/diag"
)

// Notes prints what package app reports while it works.
type Notes struct {
	c     *Console
	quiet bool // no notes and no progress
	show  func(infer.Progress)
	clear func()
}

// Notes returns what prints the notes and the progress of a call; quiet leaves them out, but not warnings.
func (c *Console) Notes(quiet bool) *Notes {
	n := &Notes{c: c, quiet: quiet}
	n.show, n.clear = c.progress(quiet)
	return n
}

// Note prints a decision.
func (n *Notes) Note(text string) {
	if !n.quiet {
		n.c.Notef("note: %s", text)
	}
}

// Step prints what begins now.
func (n *Notes) Step(text string) { n.c.Notef("%s", text) }

// Warn prints a warning.
func (n *Notes) Warn(text string) { n.c.Notef("warning: %s", text) }

// Diagnostics prints warnings about a model, and what was decided for it in a line each: ppl check shows the places,
// and who samples a model ten times has seen them.
func (n *Notes) Diagnostics(ds []diag.Diagnostic) {
	isNote := func(d diag.Diagnostic) bool { return d.Severity == diag.Note }
	if n.c.Messages != nil && !n.quiet {
		n.c.PrintDiagnostics(ds)
		return
	}
	if warnings := slices.DeleteFunc(slices.Clone(ds), isNote); len(warnings) > 0 {
		n.c.PrintDiagnostics(warnings)
	}
	if n.quiet {
		return
	}
	decisions := slices.DeleteFunc(slices.Clone(ds), func(d diag.Diagnostic) bool { return !isNote(d) })
	diag.RenderLines(n.c.Err, decisions[:min(shown, len(decisions))], n.c.Color)
}

// Progress shows how far the call is.
func (n *Notes) Progress(p infer.Progress) { n.show(p) }

// ProgressEnd removes the line of progress.
func (n *Notes) ProgressEnd() { n.clear() }

// LiveNotes returns what prints notes, with progress only if its line can be redrawn.
func (c *Console) LiveNotes() *Notes {
	n := c.Notes(false)
	if !c.Live {
		n.show, n.clear = c.progress(true)
	}
	return n
}
