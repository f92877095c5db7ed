package lsp

import (
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ppl/lang/source"
)

// Positions of the protocol are line numbers and UTF-16 units within a line, both from 0. Positions of ppl are byte
// offsets.

// offset returns the offset of a position. A position beyond the end of a line is the end of that line.
func offset(text string, p protocol.Position) int {
	at := 0
	for range p.Line {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	for units := 0; at < len(text) && text[at] != '\n' && units < int(p.Character); {
		r, size := utf8.DecodeRuneInString(text[at:])
		units += utf16.RuneLen(r)
		at += size
	}
	return at
}

// position returns the position of an offset.
func (d *document) position(offset int) protocol.Position {
	text := d.source.Text
	offset = max(0, min(offset, len(text)))
	line, _ := d.source.Position(offset)
	units := 0
	for _, r := range text[strings.LastIndexByte(text[:offset], '\n')+1 : offset] {
		units += utf16.RuneLen(r)
	}
	return protocol.Position{Line: uint32(line - 1), Character: uint32(units)}
}

func (d *document) offset(p protocol.Position) int { return offset(d.source.Text, p) }

func (d *document) rangeOf(s source.Span) protocol.Range {
	return protocol.Range{Start: d.position(s.Start), End: d.position(s.End)}
}

func (d *document) location(s source.Span) protocol.Location {
	return protocol.Location{URI: d.uri, Range: d.rangeOf(s)}
}

// changed applies a change sent by the editor to a text.
func changed(text string, change protocol.TextDocumentContentChangeEvent) string {
	switch c := change.(type) {
	case *protocol.TextDocumentContentChangeWholeDocument:
		return c.Text
	case *protocol.TextDocumentContentChangePartial:
		start, end := offset(text, c.Range.Start), offset(text, c.Range.End)
		return text[:start] + c.Text + text[max(start, end):]
	}
	return text
}

// pathOf returns the path of a file URI. ok is false for other URIs.
func pathOf(u uri.URI) (path string, ok bool) {
	if !u.IsFile() {
		return "", false
	}
	path = u.Path()
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), true
}
