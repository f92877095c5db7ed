package models

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ppl/cmd/ppl/messages"
	"ppl/compiler"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A checkDocument is the output of `ppl check --json`: the diagnostics of a model, and how it was understood.
type checkDocument struct {
	Model       string                `json:"model"`
	OK          bool                  `json:"ok"`
	Diagnostics []messages.Diagnostic `json:"diagnostics"`
	Arrays      []arrayObject         `json:"arrays"`
	Latents     []string              `json:"latents"`
	Rows        string                `json:"rows,omitempty"`

	Understood *compiler.Understood `json:"understood,omitempty"`

	LargeData []string `json:"large_data,omitempty"`
}

type arrayObject struct {
	Name string         `json:"name"`
	Role string         `json:"role"`
	Type string         `json:"type"`
	At   messages.Place `json:"at"`
}

func printCheck(w io.Writer, path string, m *model.Model, p *compiler.Program, ds []diag.Diagnostic,
	cache compiler.RowCache) error {
	d := checkDocument{Model: path, OK: !diag.HasErrors(ds), Diagnostics: []messages.Diagnostic{},
		Arrays: []arrayObject{}, Latents: []string{}}
	for _, x := range ds {
		d.Diagnostics = append(d.Diagnostics, messages.DiagnosticOf(x))
	}
	if m != nil && d.OK {
		for _, a := range m.Arrays {
			d.Arrays = append(d.Arrays, arrayObject{a.Name, a.Role.String(), typeText(a.Type), messages.PlaceOf(a.At)})
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

// typeText formats an element type with the names of the axes, for example real[N, K].
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
