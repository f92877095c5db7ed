package lsp

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ppl/lang/diag"
	"ppl/lang/format"
	"ppl/lang/names"
	"ppl/lang/parse"
)

// Formatting returns the edit that brings a text to canonical form. A text with syntax errors is not changed.
func (s *server) Formatting(_ context.Context, p *protocol.DocumentFormattingParams) (out []protocol.TextEdit,
	err error) {
	defer guard(&err)
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	text := d.source.Text
	if diag.HasErrors(d.wrong) {
		return nil, nil
	}
	canonical := format.File(d.tree)
	if canonical == text {
		return nil, nil
	}
	all := protocol.Range{End: d.position(len(text))}
	return []protocol.TextEdit{{Range: all, NewText: canonical}}, nil
}

// symbolAt returns the occurrence of a model's symbol at a position.
func (s *server) symbolAt(u uri.URI, p protocol.Position) (d *document, o names.Occurrence, err error) {
	if d, err = s.document(u); err != nil {
		return d, o, err
	}
	o, ok := d.names().At(d.offset(p))
	if !ok {
		return d, o, errNoName
	}
	return d, o, nil
}

var errNoName = errors.New("there is no name of the model here")

// Definition returns the position of the declaration of the name at a position.
func (s *server) Definition(_ context.Context, p *protocol.DefinitionParams) (r protocol.DefinitionResult, err error) {
	defer guard(&err)
	d, o, err := s.symbolAt(p.TextDocument.URI, p.Position)
	if err != nil || !o.Symbol.At.Valid() {
		return nil, noError(err)
	}
	at := d.location(o.Symbol.At)
	return &at, nil
}

// noError returns the error unless it is errNoName.
func noError(err error) error {
	if errors.Is(err, errNoName) {
		return nil
	}
	return err
}

// References lists the occurrences of the name at a position.
func (s *server) References(_ context.Context, p *protocol.ReferenceParams) (out []protocol.Location, err error) {
	defer guard(&err)
	d, o, err := s.symbolAt(p.TextDocument.URI, p.Position)
	if err != nil {
		return nil, noError(err)
	}
	for _, x := range d.names().Places(o.Symbol) {
		if !x.Declare || p.Context.IncludeDeclaration {
			out = append(out, d.location(x.At))
		}
	}
	return out, nil
}

// DocumentHighlight lists the occurrences of the name at a position, with declarations marked as writes.
func (s *server) DocumentHighlight(_ context.Context, p *protocol.DocumentHighlightParams) (
	out []protocol.DocumentHighlight, err error) {
	defer guard(&err)
	d, o, err := s.symbolAt(p.TextDocument.URI, p.Position)
	if err != nil {
		return nil, noError(err)
	}
	for _, x := range d.names().Places(o.Symbol) {
		kind := protocol.DocumentHighlightKindRead
		if x.Declare {
			kind = protocol.DocumentHighlightKindWrite
		}
		out = append(out, protocol.DocumentHighlight{Range: d.rangeOf(x.At), Kind: kind})
	}
	return out, nil
}

// PrepareRename returns the range of the name to be renamed.
func (s *server) PrepareRename(_ context.Context, p *protocol.PrepareRenameParams) (r protocol.PrepareRenameResult,
	err error) {
	defer guard(&err)
	d, o, err := s.symbolAt(p.TextDocument.URI, p.Position)
	if err != nil {
		return nil, err
	}
	if o.Symbol.Kind == names.Elsewhere {
		return nil, fmt.Errorf("%s is not declared in this file", o.Symbol.Name)
	}
	at := d.rangeOf(o.At)
	return &at, nil
}

// Rename renames a symbol everywhere in the text. It returns an error if the new name is already used, since that would
// change the meaning of the model.
func (s *server) Rename(_ context.Context, p *protocol.RenameParams) (e *protocol.WorkspaceEdit, err error) {
	defer guard(&err)
	d, o, err := s.symbolAt(p.TextDocument.URI, p.Position)
	if err != nil {
		return nil, err
	}
	places := d.names().Places(o.Symbol)
	switch {
	case o.Symbol.Kind == names.Elsewhere:
		return nil, fmt.Errorf("%s is not declared in this file", o.Symbol.Name)
	case parse.IsKeyword(p.NewName), s.words[p.NewName].Name != "":
		return nil, fmt.Errorf("%s is a word of the language; choose another name", p.NewName)
	case !isName(p.NewName):
		return nil, fmt.Errorf("%q is not a name: a name has letters A to Z, digits and _, and does not begin with "+
			"a digit",
			p.NewName)
	}
	for _, x := range places {
		for _, other := range d.names().Visible(x.At.Start) {
			if other.Name == p.NewName && other != o.Symbol {
				return nil, fmt.Errorf("%s is already declared in line %d; choose another name", p.NewName,
					other.At.Line())
			}
		}
	}
	edits := make([]protocol.TextEdit, 0, len(places))
	for _, x := range places {
		edits = append(edits, protocol.TextEdit{Range: d.rangeOf(x.At), NewText: p.NewName})
	}
	return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{d.uri: edits}}, nil
}

// isName reports whether a text is a valid name.
func isName(text string) bool {
	for k := range len(text) {
		if !isWord(text[k]) || k == 0 && text[k] <= '9' {
			return false
		}
	}
	return text != ""
}

// CodeAction lists the fixes of the diagnostics in a range.
func (s *server) CodeAction(_ context.Context, p *protocol.CodeActionParams) (out []protocol.CommandOrCodeAction,
	err error) {
	defer guard(&err)
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	start, end := d.offset(p.Range.Start), d.offset(p.Range.End)
	_, ds := d.lastCheck()
	kind, preferred := protocol.CodeActionKindQuickFix, true
	for _, x := range ds {
		if x.Fix == nil || x.Span.End < start || x.Span.Start > end || x.Fix.Span.File.Name != d.path {
			continue
		}
		out = append(out, &protocol.CodeAction{Title: fmt.Sprintf("Write %s", x.Fix.Text), Kind: &kind,
			IsPreferred: &preferred, Diagnostics: []protocol.Diagnostic{d.diagnostic(x)},
			Edit: &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{
				d.uri: {{Range: d.rangeOf(x.Fix.Span), NewText: x.Fix.Text}}}}})
	}
	return out, nil
}
