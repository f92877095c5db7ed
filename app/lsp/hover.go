package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/lang/ast"
	"ppl/lang/names"
	"ppl/lang/source"
	"ppl/posterior/diagnose"
	"ppl/posterior/summary"
)

// Hover describes the name at a position: the documentation of a word of the language; or, for data and parameters,
// type and shape, the defining statement, and a summary from the model's run.
func (s *server) Hover(_ context.Context, p *protocol.HoverParams) (h *protocol.Hover, err error) {
	defer guard(&err)
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	o, ok := d.names().At(d.offset(p.Position))
	if !ok {
		return nil, nil
	}
	text := s.explain(d, o)
	if text == "" {
		return nil, nil
	}
	at := d.rangeOf(o.At)
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text},
		Range: &at}, nil
}

func (s *server) explain(d *document, o names.Occurrence) string {
	if o.Symbol.Kind == names.Elsewhere {
		w, ok := s.words[o.Symbol.Name]
		if !ok {
			return ""
		}
		return code(w.Text)
	}
	u, _ := d.lastCheck()
	parts := []string{code(understood(u, o.Symbol.Name))}
	if declared := d.statementOf(o.Symbol); declared != "" {
		parts = append(parts, code(declared))
	}
	if o.Symbol.Kind != names.Index && o.Symbol.Kind != names.Parameter {
		parts = append(parts, code(s.posterior(d, o.Symbol.Name)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n")
}

// code returns a text in a Markdown code fence, or "" if the text is empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "```ppl\n" + strings.TrimSpace(text) + "\n```"
}

// mostGroups is the maximum number of groups of an index set that a hover lists.
const mostGroups = 12

// understood describes a name of the model, as `ppl check` prints it.
func understood(u *compiler.Understood, name string) string {
	if u == nil {
		return ""
	}
	for _, p := range u.Parameters {
		if p.Name == name {
			return fmt.Sprintf("parameter %s%s: %s; %s", p.Name, axes(p.Axes, p.Shape), p.Support,
				strings.Join(p.Prior, " and "))
		}
	}
	for _, x := range u.Data {
		if x.Name != name {
			continue
		}
		text := fmt.Sprintf("data %s%s: %s", x.Name, axes(x.Axes, x.Shape), x.Type)
		if x.Low != nil && x.High != nil {
			text += fmt.Sprintf(" from %g to %g", *x.Low, *x.High)
		}
		if x.Missing > 0 {
			text += fmt.Sprintf(", %d missing", x.Missing)
		}
		for k, g := range x.Groups {
			if k == mostGroups {
				return text + fmt.Sprintf("\n  and %d more", len(x.Groups)-k)
			}
			text += fmt.Sprintf("\n  %s (%d)", g.Label, g.Count)
		}
		return text
	}
	return ""
}

func axes(sets []string, shape []int) string {
	if len(sets) == 0 {
		return ""
	}
	text := make([]string, len(sets))
	for k, name := range sets {
		text[k] = name
		if k < len(shape) && fmt.Sprint(shape[k]) != name {
			text[k] += fmt.Sprint(" = ", shape[k])
		}
	}
	return "[" + strings.Join(text, ", ") + "]"
}

// statementOf returns the first line of the statement that declares a symbol.
func (d *document) statementOf(symbol *names.Symbol) string {
	if symbol.Kind == names.Index || symbol.Kind == names.Parameter || !symbol.At.Valid() {
		return ""
	}
	if st := d.statementAt(symbol.At); st != nil {
		first, _, _ := strings.Cut(st.Span().Text(), "\n")
		return first
	}
	return ""
}

// statementAt returns the statement that contains a position, or nil if there is none.
func (d *document) statementAt(at source.Span) ast.Stmt {
	k, _ := slices.BinarySearchFunc(d.tree.Stmts, at.End, func(st ast.Stmt, end int) int {
		return cmp.Compare(st.Span().End, end)
	})
	if k < len(d.tree.Stmts) && d.tree.Stmts[k].Span().Start <= at.Start {
		return d.tree.Stmts[k]
	}
	return nil
}

// mostElements is the maximum number of elements of a variable that a hover shows.
const mostElements = 8

// posterior summarises a variable from the run MODEL.run next to the model. It is empty if there is no such run, or if
// it is not in an open folder.
func (s *server) posterior(d *document, name string) string {
	dir := strings.TrimSuffix(d.path, ".ppl") + ".run"
	if !s.mayRead(dir) {
		return ""
	}
	run, err := rundir.OpenPosterior(dir)
	if err != nil || run.Info.Draws*run.Layout.Chains > mostDrawsOfHover {
		return ""
	}
	summary, err := diagnose.Summarize(run, summary.View{Names: []string{name}})
	if err != nil {
		return ""
	}
	var lines []string
	for _, p := range summary.Parameters[:min(len(summary.Parameters), mostElements)] {
		lines = append(lines, fmt.Sprintf("%s = %.3g ± %.2g  [%.3g, %.3g]", p.Name, p.Mean, p.SD, p.Q5, p.Q95))
	}
	if len(lines) == 0 {
		return ""
	}
	if more := len(summary.Parameters) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return "# mean ± sd [5 %, 95 %] in " + filepath.Base(dir) + "\n" + strings.Join(lines, "\n")
}

// mostDrawsOfHover is the maximum number of draws of a run that is summarised, since the user waits for the hover.
const mostDrawsOfHover = 200_000

// wordBefore returns the part of a word that ends at an offset.
func wordBefore(f *source.File, at int) string {
	start := at
	for start > 0 && isWord(f.Text[start-1]) {
		start--
	}
	return f.Text[start:at]
}

func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}
