// Package diag describes mistakes in a user's model: a code, a position, related positions, and advice. Compiler passes
// add to a List and continue, so that one run reports several mistakes:
//
//	diags.Errorf(diag.Undefined, span, "`%s` is not defined", name).Meant("`%s`", near)
//
// Render prints the diagnostics of a List, with the source line.
package diag

import (
	"fmt"
	"slices"
	"strings"

	"ppl/lang/source"
)

// A Severity determines whether a diagnostic stops the compiler: only errors do.
type Severity int

const (
	Error Severity = iota
	Warning
	Note
)

func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// A Diagnostic is one mistake or warning. Code identifies its kind in the catalogue.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     source.Span
	Message  string    // description of the mistake: one sentence, without a period at its end
	Related  []Related // other positions that are part of the mistake
	Help     string    // advice on correcting the mistake; may be empty
	Fix      *Fix      // an edit that implements Help; nil if Help leaves a choice
}

// A Fix is an edit that replaces the text of a span.
type Fix struct {
	Span source.Span
	Text string
}

// A Related is another position that is part of the mistake, with a message about it.
type Related struct {
	Span    source.Span
	Message string
}

// A List collects diagnostics. The zero value is ready to use.
type List struct {
	items []Diagnostic
}

// Add appends diagnostics.
func (l *List) Add(ds ...Diagnostic) { l.items = append(l.items, ds...) }

// Errorf adds an error. Related positions and advice can be added to the returned Entry.
func (l *List) Errorf(code Code, at source.Span, format string, args ...any) Entry {
	return l.addf(Error, code, at, format, args)
}

// Warnf adds a warning.
func (l *List) Warnf(code Code, at source.Span, format string, args ...any) Entry {
	return l.addf(Warning, code, at, format, args)
}

// Notef adds a note.
func (l *List) Notef(code Code, at source.Span, format string, args ...any) Entry {
	return l.addf(Note, code, at, format, args)
}

func (l *List) addf(s Severity, code Code, at source.Span, format string, args []any) Entry {
	l.Add(Diagnostic{Code: code, Severity: s, Span: at, Message: said(format, args)})
	return Entry{l, len(l.items) - 1}
}

// said formats a message and shortens long quotations in it.
func said(format string, args []any) string { return Brief(fmt.Sprintf(format, args...)) }

// Len returns the number of diagnostics of every severity.
func (l *List) Len() int { return len(l.items) }

// Errors returns the number of errors.
func (l *List) Errors() (n int) {
	for _, d := range l.items {
		if d.Severity == Error {
			n++
		}
	}
	return n
}

// HasErrors reports whether any diagnostic stops the compiler.
func (l *List) HasErrors() bool { return HasErrors(l.items) }

// HasErrors reports whether any of ds stops the compiler.
func HasErrors(ds []Diagnostic) bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == Error })
}

// All returns the diagnostics, sorted and without duplicates, which arise because the body of a function is checked at
// each call.
func (l *List) All() []Diagnostic {
	type key struct {
		code    Code
		message string
		span    source.Span
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(Sorted(l.items), func(d Diagnostic) bool {
		k := key{d.Code, d.Message, d.Span}
		again := seen[k]
		seen[k] = true
		return again
	})
}

// Sorted returns diagnostics sorted by file name and position. Diagnostics at the same position keep their order; those
// without a position come last.
func Sorted(ds []Diagnostic) []Diagnostic {
	sorted := slices.Clone(ds)
	slices.SortStableFunc(sorted, func(a, b Diagnostic) int { return compare(a.Span, b.Span) })
	return sorted
}

func compare(a, b source.Span) int {
	switch {
	case a.Valid() && b.Valid():
		if c := strings.Compare(a.File.Name, b.File.Name); c != 0 {
			return c
		}
		return a.Start - b.Start
	case a.Valid():
		return -1
	case b.Valid():
		return 1
	}
	return 0
}

// An Entry is a diagnostic that was just added to a List. Chained calls complete it:
// diags.Errorf(…).Related(…).Help(…).
type Entry struct {
	list *List
	i    int
}

// Related adds another position that is part of the mistake.
func (e Entry) Related(at source.Span, format string, args ...any) Entry {
	d := &e.list.items[e.i]
	d.Related = append(d.Related, Related{at, fmt.Sprintf(format, args...)})
	return e
}

// Help sets the advice on how to correct the mistake.
func (e Entry) Help(format string, args ...any) Entry {
	e.list.items[e.i].Help = said(format, args)
	return e
}

// Meant sets the advice "did you mean …?".
func (e Entry) Meant(format string, args ...any) Entry { return e.Help("%s", Meant(format, args...)) }

// Replace adds a fix that replaces the marked text.
func (e Entry) Replace(text string) Entry {
	d := &e.list.items[e.i]
	d.Fix = &Fix{d.Span, text}
	return e
}
