// Package diag describes what is wrong with a model in its user's words: a code, a place, related places and a way out.
package diag

import (
	"ppl/lang/source"
)

// A Severity says whether a diagnostic stops the compiler.
type Severity int

const (
	Error Severity = iota
	Warning
	Note
)

func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// A Diagnostic is one finding. Code is the stable name in the catalogue ("E10", "W01").
type Diagnostic struct {
	Code     string
	Severity Severity
	Span     source.Span
	Message  string    // what is wrong, one sentence without a final point
	Related  []Related // other places that matter
	Help     string    // a way to mend it, may be empty
}

// A Related place with what it contributes.
type Related struct {
	Span    source.Span
	Message string
}

// A List collects diagnostics. The zero value is ready to use.
type List struct {
	items []Diagnostic
}

// Add appends a diagnostic.
func (l *List) Add(d Diagnostic) { l.items = append(l.items, d) }

// Errorf and friends live in render.go beside the printer.
