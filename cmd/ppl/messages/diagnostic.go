package messages

import (
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A Diagnostic is a problem of a model, with its position.
type Diagnostic struct {
	Severity string    `json:"severity"`
	Code     string    `json:"code"`
	At       Place     `json:"at"`
	Message  string    `json:"message"`
	Help     string    `json:"help,omitempty"`
	Fix      *Fix      `json:"fix,omitempty"`
	Related  []Related `json:"related,omitempty"`
}

// A Fix is an edit that carries out the help text.
type Fix struct {
	At   Place  `json:"at"`
	Text string `json:"text"`
}

// A Related is a further position to which a diagnostic refers.
type Related struct {
	At      Place  `json:"at"`
	Message string `json:"message"`
}

// A Place is a span of text. Lines and columns count from 1, offsets in bytes from 0. The end is the position after the
// last character.
type Place struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	Offset    int    `json:"offset"`
	EndOffset int    `json:"end_offset"`
	Text      string `json:"text"`
}

// DiagnosticOf converts a diagnostic.
func DiagnosticOf(x diag.Diagnostic) Diagnostic {
	d := Diagnostic{Severity: x.Severity.String(), Code: string(x.Code), At: PlaceOf(x.Span), Message: x.Message,
		Help: x.Help}
	if x.Fix != nil {
		d.Fix = &Fix{PlaceOf(x.Fix.Span), x.Fix.Text}
	}
	for _, r := range x.Related {
		d.Related = append(d.Related, Related{PlaceOf(r.Span), r.Message})
	}
	return d
}

// PlaceOf converts a span.
func PlaceOf(s source.Span) Place {
	if s.File == nil {
		return Place{}
	}
	line, column := s.File.Position(s.Start)
	endLine, endColumn := s.File.Position(s.End)
	return Place{s.File.Name, line, column, endLine, endColumn, s.Start, s.End, s.Text()}
}
