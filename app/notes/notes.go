// Package notes defines how calls of package app report to their caller while they work. A caller that needs only some
// of the reports embeds None:
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

// Notes receives the reports of a call. Several goroutines may call its methods at the same time.
type Notes interface {
	// Note receives a decision, as a sentence without a full stop: for example, which device was chosen, or why a run
	// is extended.
	Note(text string)
	// Step receives the name of the part of a call that begins now, if the call has several parts.
	Step(text string)
	// Warn receives what the caller should know before trusting the result, or why the call waits.
	Warn(text string)
	// Diagnostics receives warnings and notes about a model and its data. Errors are returned by the call instead
	// (package fault).
	Diagnostics(ds []diag.Diagnostic)
	// Progress receives the progress of the call, several times a second.
	Progress(p infer.Progress)
	// ProgressEnd announces that no more progress follows, before another report.
	ProgressEnd()
}

// None ignores all reports.
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

// Diagnose returns an error if one of the diagnostics is an error; otherwise it passes them to n.
func Diagnose(n Notes, ds []diag.Diagnostic) error {
	if err := fault.Diagnosed(ds); err != nil {
		return err
	}
	if len(ds) > 0 {
		n.Diagnostics(ds)
	}
	return nil
}
