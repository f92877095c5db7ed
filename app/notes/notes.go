// Package notes is how the calls of package app speak to their caller while they work. A caller that wants to hear a
// part of it embeds None:
//
//	type printer struct{ notes.None }
//
//	func (printer) Note(text string) { fmt.Println(text) }
package notes

import (
	"ppl/app/fault"
	"ppl/infer"
	"ppl/lang/diag"
)

// Notes takes what a call reports while it works. Several goroutines may call its methods at the same time.
type Notes interface {
	// Note takes a decision that was made, in a sentence without a full stop: which device was chosen, or why a run is
	// extended.
	Note(text string)
	// Step takes the part of a call that begins now, if a call has several.
	Step(text string)
	// Warn takes what the caller should know before trusting the result, or why the call waits.
	Warn(text string)
	// Diagnostics takes the warnings and notes about a model and its data. Errors are returned by the call (package
	// fault).
	Diagnostics(ds []diag.Diagnostic)
	// Progress takes how far the call is, several times a second.
	Progress(p infer.Progress)
	// ProgressEnd says that no more progress follows, before something else is reported.
	ProgressEnd()
}

// None ignores everything.
type None struct{}

// Note ignores a decision.
func (None) Note(string) {}

// Step ignores a step.
func (None) Step(string) {}

// Warn ignores a warning.
func (None) Warn(string) {}

// Diagnostics ignores diagnostics.
func (None) Diagnostics([]diag.Diagnostic) {}

// Progress ignores progress.
func (None) Progress(infer.Progress) {}

// ProgressEnd ignores the end of progress.
func (None) ProgressEnd() {}

// Diagnose returns an error if one of the diagnostics is one; else it passes them to n.
func Diagnose(n Notes, ds []diag.Diagnostic) error {
	if err := fault.Diagnosed(ds); err != nil {
		return err
	}
	if len(ds) > 0 {
		n.Diagnostics(ds)
	}
	return nil
}
