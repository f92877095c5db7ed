package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ppl/compiler"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A checkDocument is what ppl check --json prints: what is wrong with a model, and how it was understood.
type checkDocument struct {
	Model       string             `json:"model"`
	OK          bool               `json:"ok"`
	Diagnostics []diagnosticObject `json:"diagnostics"`
	Arrays      []arrayObject      `json:"arrays"`
	Latents     []string           `json:"latents"`
	Rows        string             `json:"rows,omitempty"`

	Understood *compiler.Understood `json:"understood,omitempty"`

	LargeData []string `json:"large_data,omitempty"`
}

type diagnosticObject struct {
	Severity string          `json:"severity"`
	Code     string          `json:"code"`
	At       placeObject     `json:"at"`
	Message  string          `json:"message"`
	Help     string          `json:"help,omitempty"`
	Fix      *fixObject      `json:"fix,omitempty"`
	Related  []relatedObject `json:"related,omitempty"`
}

// A fixObject is an edit that does what the help says.
type fixObject struct {
	At   placeObject `json:"at"`
	Text string      `json:"text"`
}

type relatedObject struct {
	At      placeObject `json:"at"`
	Message string      `json:"message"`
}

// A placeObject is a span. Lines and columns count from 1, offsets in bytes from 0; the end is the place after its last
// character.
type placeObject struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	Offset    int    `json:"offset"`
	EndOffset int    `json:"end_offset"`
	Text      string `json:"text"`
}

type arrayObject struct {
	Name string      `json:"name"`
	Role string      `json:"role"`
	Type string      `json:"type"`
	At   placeObject `json:"at"`
}

func printCheck(w io.Writer, path string, m *model.Model, p *compiler.Program, ds []diag.Diagnostic,
	cache compiler.RowCache) error {
	d := checkDocument{Model: path, OK: !diag.HasErrors(ds), Diagnostics: []diagnosticObject{}, Arrays: []arrayObject{},
		Latents: []string{}}
	for _, x := range ds {
		d.Diagnostics = append(d.Diagnostics, diagnosticOf(x))
	}
	if m != nil && d.OK {
		for _, a := range m.Arrays {
			d.Arrays = append(d.Arrays, arrayObject{a.Name, a.Role.String(), typeText(a.Type), placeOf(a.At)})
		}
		for _, l := range m.Latents {
			d.Latents = append(d.Latents, l.Text())
		}
		u := compiler.Understand(m, p)
		d.Understood = &u
		d.Rows, d.LargeData = m.RowText(), compiler.LargeData(m, path, cache)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(d)
}

// typeText is an element type with the names of the axes, as real[N, K].
func typeText(t model.Type) string {
	if len(t.Axes) == 0 {
		return fmt.Sprint(t.Elem)
	}
	var names []string
	for _, s := range t.Axes {
		names = append(names, s.Name)
	}
	return fmt.Sprintf("%v[%s]", t.Elem, strings.Join(names, ", "))
}

func diagnosticOf(x diag.Diagnostic) diagnosticObject {
	d := diagnosticObject{Severity: x.Severity.String(), Code: x.Code, At: placeOf(x.Span), Message: x.Message,
		Help: x.Help}
	if x.Fix != nil {
		d.Fix = &fixObject{placeOf(x.Fix.Span), x.Fix.Text}
	}
	for _, r := range x.Related {
		d.Related = append(d.Related, relatedObject{placeOf(r.Span), r.Message})
	}
	return d
}

func placeOf(s source.Span) placeObject {
	if s.File == nil {
		return placeObject{}
	}
	line, column := s.File.Position(s.Start)
	endLine, endColumn := s.File.Position(s.End)
	return placeObject{s.File.Name, line, column, endLine, endColumn, s.Start, s.End, s.Text()}
}
