package ppl_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is the width of a line; a tab counts as four.
const columns = 120

// TestLines holds Go files to a width, raw strings aside: they are text for others. `make lines` runs it.
func TestLines(t *testing.T) {
	if os.Getenv("PPL_LINES") == "" {
		t.Skip("make lines runs it")
	}
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		t.Skip(err)
	}
	for _, name := range strings.Fields(string(out)) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range longLines(text) {
			t.Errorf("%s:%d: more than %d columns", name, line, columns)
		}
	}
}

// TestDocumentLines holds what people read to the same width. Code and tables are exempt, since they cannot be wrapped.
func TestDocumentLines(t *testing.T) {
	paths, err := filepath.Glob("docs/guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
		"lang/REFERENCE.md", "lang/diag/DIAGNOSTICS.md", "python/README.md",
		"r/README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range longParagraphs(string(text)) {
			t.Errorf("%s:%d: more than %d columns", path, line, columns)
		}
	}
}

func TestLongParagraphs(t *testing.T) {
	long := strings.Repeat("word ", 30)
	text := strings.Join([]string{long, "| " + long, "    " + long, "```", long, "```", "short", "- " + long}, "\n")
	if got := longParagraphs(text); len(got) != 2 || got[0] != 1 || got[1] != 8 {
		t.Errorf("long lines %v, want 1 and 8", got)
	}
}

// longParagraphs returns the numbers of the lines of Markdown that are too long and neither code nor a table.
func longParagraphs(text string) (long []int) {
	code := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			continue
		}
		exempt := code || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "    ")
		if !exempt && utf8.RuneCountInString(line) > columns {
			long = append(long, i+1)
		}
	}
	return long
}

func TestLongLines(t *testing.T) {
	fits, long := "// "+strings.Repeat("é", columns-3), "//  "+strings.Repeat("é", columns-3)
	text := strings.Join([]string{"package p", fits, long, "var s = `", long, "`", "\t" + fits[:len(fits)-6]}, "\n")
	if got := longLines([]byte(text)); len(got) != 2 || got[0] != 3 || got[1] != 7 {
		t.Errorf("long lines %v, want 3 and 7", got)
	}
}

// longLines are the numbers of lines that are too long.
func longLines(text []byte) (long []int) {
	raw := rawLines(text)
	for i, line := range bytes.Split(text, []byte("\n")) {
		if utf8.RuneCount(line)+3*bytes.Count(line, []byte("\t")) > columns && !raw[i+1] {
			long = append(long, i+1)
		}
	}
	return long
}

// rawLines are the lines that a raw string is on.
func rawLines(text []byte) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING && literal[0] == '`' {
			first := file.Line(at)
			for k := range strings.Count(literal, "\n") + 1 {
				lines[first+k] = true
			}
		}
	}
}
