package terminal

import (
	"slices"

	"ppl/infer"
	"ppl/lang/diag"
)

// Notes prints the reports of package app.
type Notes struct {
	c     *Console
	quiet bool // print neither notes nor progress
	show  func(infer.Progress)
	clear func()
}

// Notes returns a printer for the notes and progress of a call. If quiet is set, it only prints warnings and steps.
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

// Step prints the name of the step that begins.
func (n *Notes) Step(text string) { n.c.Notef("%s", text) }

// Warn prints a warning.
func (n *Notes) Warn(text string) { n.c.Notef("warning: %s", text) }

// Diagnostics prints warnings about a model in full, and notes as one line each. `ppl check` shows the positions of
// notes; users who sample a model repeatedly do not need them.
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

// Progress shows the progress of the call.
func (n *Notes) Progress(p infer.Progress) { n.show(p) }

// ProgressEnd removes the progress line.
func (n *Notes) ProgressEnd() { n.clear() }

// LiveNotes returns a printer for notes that shows progress only if the progress line can be redrawn.
func (c *Console) LiveNotes() *Notes {
	n := c.Notes(false)
	if !c.Live {
		n.show, n.clear = c.progress(true)
	}
	return n
}
