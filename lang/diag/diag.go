// Package diag describes mistakes in a user's model: a code, a place, related places, and advice. Passes add to a List
// and continue, so that one run reports several mistakes:
//
//	diags.Errorf(diag.Undefined, span, "`%s` is not defined", name).Meant("`%s`", near)
//
// Render prints what a List has collected, with the line of source.
package diag

import (
	"fmt"
	"slices"
	"strings"

	"ppl/lang/source"
)

// A Severity says whether a diagnostic stops the compiler: only errors do.
type Severity int

const (
	Error Severity = iota
	Warning
	Note
)

func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// A Diagnostic is one mistake or warning. Code is its kind, by the name that the catalogue has.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     source.Span
	Message  string    // what is wrong: one sentence, without a period at its end
	Related  []Related // other places that are part of the mistake
	Help     string    // how to fix it; may be empty
	Fix      *Fix      // an edit that does what Help says; nil if Help leaves a choice
}

// A Fix replaces the text of a span.
type Fix struct {
	Span source.Span
	Text string
}

// A Related place, with a message that says how it is part of the mistake.
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

// Errorf adds an error. The Entry it returns takes related places and help.
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

// said returns a message without what of its quotations is longer than anyone reads.
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

// All returns the diagnostics in the order of Sorted, each once: a function's body is checked at each call.
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

// Sorted orders diagnostics by file name and place. Diagnostics of one place keep their order; those without a place
// come last.
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

// An Entry is a diagnostic just added to a List, to be completed by chained calls: diags.Errorf(…).Related(…).Help(…).
type Entry struct {
	list *List
	i    int
}

// Related adds another place that is part of the mistake.
func (e Entry) Related(at source.Span, format string, args ...any) Entry {
	d := &e.list.items[e.i]
	d.Related = append(d.Related, Related{at, fmt.Sprintf(format, args...)})
	return e
}

// Help sets the advice how to fix it.
func (e Entry) Help(format string, args ...any) Entry {
	e.list.items[e.i].Help = said(format, args)
	return e
}

// Meant sets the advice that asks whether something else was meant.
func (e Entry) Meant(format string, args ...any) Entry { return e.Help("%s", Meant(format, args...)) }

// Replace adds a fix that writes a text instead of what is wrong.
func (e Entry) Replace(text string) Entry {
	d := &e.list.items[e.i]
	d.Fix = &Fix{d.Span, text}
	return e
}
