// Package source holds the text of a model and converts byte offsets to lines and columns: in "a = 1\nb = 2", offset 6
// is line 2, column 1.
package source

import (
	"sort"
	"unicode/utf8"
)

// A File is one source text. All positions are byte offsets into Text.
type File struct {
	Name  string
	Text  string
	lines []int // byte offset at which each line starts
}

// New returns a File with an index of its lines. Diagnostics print name before the line number.
func New(name, text string) *File {
	f := &File{Name: name, Text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// A Span is the half-open byte range [Start, End) of a file. The zero Span means that there is no position.
type Span struct {
	File       *File
	Start, End int
}

// Valid reports whether the span is in a file.
func (s Span) Valid() bool { return s.File != nil }

// To returns the smallest span that contains both s and t.
func (s Span) To(t Span) Span {
	if !s.Valid() {
		return t
	}
	if !t.Valid() {
		return s
	}
	return Span{s.File, min(s.Start, t.Start), max(s.End, t.End)}
}

// Text returns the source text of the span.
func (s Span) Text() string {
	if !s.Valid() {
		return ""
	}
	return s.File.Text[s.Start:s.End]
}

// Line returns the line, from 1, on which a valid span starts.
func (s Span) Line() int { l, _ := s.File.Position(s.Start); return l }

// Column returns the column, from 1 and in characters, at which a valid span starts.
func (s Span) Column() int { _, c := s.File.Position(s.Start); return c }

// Position converts a byte offset to a line and a column, both from 1. Columns count characters, not bytes. An offset
// outside of the text is moved to its nearest end.
func (f *File) Position(offset int) (line, column int) {
	offset = max(0, min(offset, len(f.Text)))
	line = sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset })
	return line, 1 + utf8.RuneCountInString(f.Text[f.lines[line-1]:offset])
}

// Line returns the text of a line, counted from 1, without its newline. It returns "" for a line that does not exist.
func (f *File) Line(line int) string {
	if line < 1 || line > len(f.lines) {
		return ""
	}
	start, end := f.lines[line-1], len(f.Text)
	if line < len(f.lines) {
		end = f.lines[line] - 1
	}
	return f.Text[start:end]
}
